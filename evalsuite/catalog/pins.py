"""Pins: the ids of a task's official items, so that other data under the same name is refused.

An id is made from an item's content. `metadata: sha256` of a task file pins the whole set; the list of ids in `pins/`
beside it lets a refusal say what differs.
"""

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path

from evalsuite.catalog.items import Item
from evalsuite.catalog.tasks import Task
from evalsuite.errors import RequestError

SHOWN = 3


def digest(ids: Iterable[str]) -> str:
    """The sha256 over a set of items, whatever their order."""
    return hashlib.sha256("\n".join(sorted(ids)).encode()).hexdigest()


def pin_file(task: Task) -> Path:
    """The list of a task's item ids, one a line."""
    return task.path.parent / "pins" / f"{task.name}.txt"


def write(task: Task, items: Iterable[Item]) -> Path:
    """Write the list of a task's item ids, one a line, in order."""
    file = pin_file(task)
    file.parent.mkdir(exist_ok=True)
    file.write_text("".join(f"{id}\n" for id in sorted(item.id for item in items)))
    return file


def check(task: Task, items: Sequence[Item], where: str) -> tuple[bool, tuple[str, ...]]:
    """Whether the items are pinned, and what is to be said about them; items that contradict their pin are refused."""
    if task.sha256 is not None:
        if digest(item.id for item in items) != task.sha256:
            raise RequestError(f"{task.name} from {where}: not the pinned items: {_difference(task, items)}")
        return True, ()
    if task.items is None or task.items == len(items):
        return False, ("not pinned",)
    return False, (f"{len(items):,} of {task.items:,} official items; not pinned",)


def _difference(task: Task, items: Sequence[Item]) -> str:
    if not pin_file(task).is_file():
        return f"{len(items)} items whose sha256 differs from `sha256` in {task.path}"
    official = set(pin_file(task).read_text().split())
    found = {item.id: item for item in items}
    missing, unexpected = sorted(official - found.keys()), sorted(found.keys() - official)
    parts = [
        f"{len(ids)} {what}{_first(ids)}" for what, ids in (("missing", missing), ("unexpected", unexpected)) if ids
    ]
    if unexpected and not task.gated:
        parts.append(f"an unexpected one begins {found[unexpected[0]].question[:80]!r}")
    return "; ".join(parts) or f"its `sha256` does not fit {pin_file(task)}"


def _first(ids: Sequence[str]) -> str:
    return f" ({', '.join(ids[:SHOWN])}{', …' if len(ids) > SHOWN else ''})"
