"""Where claims come from: the shipped registry, or a file of one's own."""

import difflib
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from evalsuite.catalog.paths import shipped
from evalsuite.claims.model import Claim
from evalsuite.errors import RequestError


def all_claims() -> dict[str, Claim]:
    """The shipped claims by name."""
    return {claim.name: claim for claim in map(read_claim, sorted(shipped("published").glob("*.yaml")))}


def find_claim(name: str) -> Claim:
    """The claim of this name, or in this file.

    Raises:
        RequestError: neither a name nor a file, or a file that makes no sense.
    """
    if name.endswith((".yaml", ".yml")):
        return read_claim(Path(name))
    claims = all_claims()
    if name not in claims:
        near = difflib.get_close_matches(name, claims, n=3, cutoff=0.4)
        hint = f"nearest: {', '.join(near)}" if near else "`evalsuite claims list` lists them"
        raise RequestError(f"no claim named '{name}' ({hint}); a file of your own ends in .yaml")
    return claims[name]


def read_claim(path: Path) -> Claim:
    """The claim in a file.

    Raises:
        RequestError: no such file, broken YAML, or a field that is missing or makes no sense.
    """
    try:
        content: Any = yaml.safe_load(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise RequestError(f"{path}: no such file") from None
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise RequestError(f"{path}: cannot be read as YAML ({' '.join(str(error).split())})") from None
    if not isinstance(content, dict):
        raise RequestError(f"{path}: not a claim: a mapping with title, source, columns and rows is expected")
    try:
        return Claim.model_validate({"name": path.stem} | content)
    except ValidationError as error:
        raise RequestError(f"{path}: {_first_fault(error, content)}") from None


def _first_fault(error: ValidationError, content: dict[str, Any]) -> str:
    fault = error.errors()[0]
    where = [str(part) for part in fault["loc"] if part not in ("int", "literal['unknown']", "constrained-int")]
    if fault["type"] == "missing" and where[-1] == "items":
        column = content["columns"][int(where[1])].get("name", f"number {int(where[1]) + 1}")
        return f"column `{column}` has no `items`: give its size, or `items: unknown`"
    said = fault["msg"].removeprefix("Value error, ")
    return f"`{'.'.join(where)}`: {said}" if where else said
