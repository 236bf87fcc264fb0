"""Counts files: how many samples of each item were right, and nothing else.

One JSON object a line, `{"item": "a1", "n": 8, "c": 3}`, with a `"task"` where the file holds several.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from evalsuite.errors import RequestError

Counts = dict[str, dict[str, tuple[int, int]]]
"""By task and item, (n, c): n samples, of which c are right."""


def is_counts(path: Path) -> bool:
    """Whether the path is taken for a counts file: its name ends in .jsonl, and it is no folder."""
    return path.suffix == ".jsonl" and not path.is_dir()


def read_counts(path: Path) -> Counts:
    """Read a counts file. Items without a task belong to one that is named like the file.

    Raises:
        RequestError: no such file, an empty one, or a line that is no count, with its number.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise RequestError(f"{path}: cannot be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise RequestError(f"{path}: cannot be read (not UTF-8 text)") from None
    found: Counts = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        where = f"{path}, line {number}"
        task, item, n, c = _count(line, path.stem, where)
        items = found.setdefault(task, {})
        if item in items:
            raise RequestError(f"{where}: item '{item}' of {task} is already counted: each item has one line")
        items[item] = (n, c)
    if not found:
        raise RequestError(f'{path}: holds no counts: one {{"item": …, "n": …, "c": …}} a line is expected')
    return found


def check_same_items(task: str, one: tuple[str, Mapping[str, Any]], other: tuple[str, Mapping[str, Any]]) -> None:
    """Refuse two sides, each its path and its items, that do not hold the same items.

    Raises:
        RequestError: they differ; it names the first that only one side has.
    """
    (path, items), (other_path, other_items) = one, other
    if only := sorted(items.keys() ^ other_items.keys()):
        named = ", ".join(only[:3]) + (", …" if len(only) > 3 else "")
        raise RequestError(
            f"{task} of {path} and of {other_path}: {len(items):,} items against {len(other_items):,}, "
            f"{len(only):,} of them on one side only ({named}): numbers over other items say nothing of each other"
        )


def _count(line: str, task: str, where: str) -> tuple[str, str, int, int]:
    try:
        record: Any = json.loads(line)
    except ValueError:
        record = None
    if not isinstance(record, dict):
        raise RequestError(f'{where}: not a JSON object: {{"item": …, "n": …, "c": …}} is expected')
    if missing := [name for name in ("item", "n", "c") if name not in record]:
        raise RequestError(f"{where}: has no field '{missing[0]}': a count has `item`, `n` and `c`")
    n, c = record["n"], record["c"]
    if not all(isinstance(value, int) and not isinstance(value, bool) for value in (n, c)):
        raise RequestError(f"{where}: n and c are whole numbers, not {n!r} and {c!r}")
    if n < 1 or not 0 <= c <= n:
        raise RequestError(f"{where}: c = {c} right of n = {n} samples is not possible: 0 ≤ c ≤ n, and n ≥ 1")
    return str(record.get("task", task)), str(record["item"]), n, c
