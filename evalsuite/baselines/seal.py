"""A sealed baseline: one readable JSON file that says what was chosen, on what, what it scores, and what made it."""

import hashlib
import json
import shlex
import sys
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from evalsuite import __version__
from evalsuite.errors import RequestError
from evalsuite.protocol import digest
from evalsuite.rollouts import jsonl
from evalsuite.rollouts.record import Rollout

FORMAT = 1
UNCHECKABLE = ("created", "command")
"""Fields that no rollout can confirm; the seal alone guards them."""


def seal(content: Mapping[str, Any]) -> str:
    """The hash over everything in the file but the seal itself."""
    return digest({name: value for name, value in content.items() if name != "seal"})


def sealed(
    sweep: Mapping[str, Any], suite: str | None, grader: str, models: Iterable[Mapping[str, Any]]
) -> dict[str, Any]:
    """The content of a baseline's file. `sweep` is what run.json says of the sweep, the same for every model."""
    offered = {name: value for name, value in sweep.items() if name != "tasks"}
    content = {
        "format": FORMAT,
        "evalsuite": __version__,
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "command": shlex.join(sys.argv),
        "suite": suite,
        "grader": grader,
        **offered,
        "models": list(models),
    }
    plain = json.loads(json.dumps(content))
    return {**plain, "seal": seal(plain)}


def write_baseline(content: Mapping[str, Any], folder: Path) -> Path:
    """Write the file, named by what it holds; one that already says the same, under a seal that holds, stays."""
    checkable = _checkable(content)
    names = "+".join(model["name"] for model in content["models"])
    what = content["suite"] or "+".join(content["models"][0]["tasks"])
    path = folder / f"{names[:60]}-{what[:40]}-{digest(checkable)[:8]}.json"
    if not _says(path, checkable):
        jsonl.write_whole(path, json.dumps(content, indent=2, ensure_ascii=False) + "\n")
    return path


def _checkable(content: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in content.items() if name not in (*UNCHECKABLE, "seal")}


def _says(path: Path, checkable: Mapping[str, Any]) -> bool:
    """Whether a file is there that says this and was not changed."""
    try:
        kept = read_baseline(path)
    except RequestError:
        return False
    return seal(kept) == kept["seal"] and _checkable(kept) == checkable


def read_baseline(path: Path) -> dict[str, Any]:
    """The content of a baseline's file, whether its seal holds or not.

    Raises:
        RequestError: no such file, or not one that evalsuite sealed.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise RequestError(f"{path}: no such file: `evalsuite baseline CHECKPOINT` makes one") from None
    except (ValueError, OSError) as error:
        raise RequestError(f"{path}: not a baseline file ({str(error).splitlines()[0]})") from None
    if not isinstance(content, dict) or not {"models", "grid", "seal"} <= content.keys():
        raise RequestError(f"{path}: not a baseline file: `evalsuite baseline CHECKPOINT` makes one")
    if content.get("format") != FORMAT:
        raise RequestError(f"{path}: written by another version of evalsuite (format {content.get('format')})")
    return content


def check_seal(content: Mapping[str, Any], path: Path) -> None:
    """Refuse a file that was changed after it was sealed.

    Raises:
        RequestError: the seal does not fit.
    """
    if seal(content) != content["seal"]:
        raise RequestError(
            f"{path}: changed after it was sealed: `evalsuite baseline verify {path}` names what differs"
        )


def rollouts_hash(rollouts: Iterable[Rollout]) -> str:
    """A hash over the rollouts of a run, whatever order they were written in: an answer that is changed changes it."""
    total = hashlib.sha256()
    for rollout in sorted(rollouts, key=lambda rollout: rollout.key):
        total.update(json.dumps(asdict(rollout), sort_keys=True).encode())
    return total.hexdigest()[:16]


def differences(stated: Any, found: Any, where: str = "") -> list[str]:
    """The fields in which a file and what the rollouts say differ, each with both values."""
    if isinstance(stated, Mapping) and isinstance(found, Mapping):
        names = dict.fromkeys([*stated, *found])
        return [line for name in names for line in differences(stated.get(name), found.get(name), f"{where}.{name}")]
    if isinstance(stated, list) and isinstance(found, list) and len(stated) == len(found):
        pairs = zip(stated, found, strict=True)
        return [line for i, (a, b) in enumerate(pairs) for line in differences(a, b, f"{where}[{i}]")]
    if stated == found:
        return []
    return [f"{where.removeprefix('.')}: the file says {_short(stated)}, the rollouts say {_short(found)}"]


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:57]}…"
