"""Sealed baselines as a forger would treat them."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.support.lab import records


def read(file: Path) -> Any:
    return json.loads(file.read_text(encoding="utf-8"))


def seal_by_hand(content: Any) -> str:
    plain = {name: value for name, value in content.items() if name != "seal"}
    text = json.dumps(plain, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def edit(file: Path, change: Callable[[Any], None], *, reseal: bool = False) -> None:
    """Change the content of a sealed file; a forger seals it again."""
    content = read(file)
    change(content)
    if reseal:
        content["seal"] = seal_by_hand(content)
    file.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def edit_line(file: Path, number: int, change: Callable[[Any], None]) -> None:
    """Change one line of a jsonl file."""
    lines = records(file)
    change(lines[number])
    file.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")


def put(*path: str | int, value: Any) -> Callable[[Any], None]:
    """The change that puts a value at a place."""

    def change(content: Any) -> None:
        for step in path[:-1]:
            content = content[step]
        assert content[path[-1]] != value
        content[path[-1]] = value

    return change


def rollouts_in(content: Any) -> int:
    """How many rollouts a sealed file stands on."""
    return sum(model[part]["rollouts"] for model in content["models"] for part in ("sweep", "scored"))
