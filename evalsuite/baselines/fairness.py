"""Whether two sides may be compared: the same ruler, and the same effort on both."""

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from evalsuite.baselines.sides import Side
from evalsuite.errors import RequestError
from evalsuite.protocol import Setting


def check_ruler(start: Side, trained: Side) -> None:
    """Refuse what cannot be measured against each other.

    Raises:
        RequestError: a comparison with itself, no task in common, or a task with other data or other items.
    """
    if start.source.resolve() == trained.source.resolve() and start.sha256 == trained.sha256:
        raise RequestError(
            f"{start.source}: a comparison with itself: name the run of another checkpoint, or another seed"
        )
    common = start.tasks.keys() & trained.tasks.keys()
    if not common:
        raise RequestError(
            f"{start.source} and {trained.source} have no task in common "
            f"({', '.join(start.tasks)} against {', '.join(trained.tasks)})"
        )
    for name in sorted(common):
        one, other = start.tasks[name], trained.tasks[name]
        where = f"another ruler: {name} of {start.source} and of {trained.source}"
        if one.data_sha256 != other.data_sha256:
            raise RequestError(f"{where}: other data ({one.data_sha256[:12]} against {other.data_sha256[:12]})")
        if one.split != other.split:
            raise RequestError(f"{where}: split {one.split} against {other.split}")
        if set(one.items) != set(other.items):
            extra = len(set(one.items) ^ set(other.items))
            raise RequestError(
                f"{where}: {len(one.items)} items against {len(other.items)}, {extra} of them on one side only: "
                "score both on the same items (--limit)"
            )


def check_examples(start: Side, trained: Side, task: str, settings: Iterable[Setting]) -> None:
    """Refuse few-shot readings whose examples differ.

    Raises:
        RequestError: under the same setting the two sides were shown other examples.
    """
    for setting in dict.fromkeys(settings):
        one, other = start.stored.protocol(task, setting), trained.stored.protocol(task, setting)
        if one and other and one.examples != other.examples:
            raise RequestError(
                f"another ruler: {task} with prompt {setting.prompt} shows other examples to {start.name} than to "
                f"{trained.name}: their dev items differ, so score both from the same data"
            )


def unequal_effort(start: Side, trained: Side) -> list[str]:
    """In what the two sides were not offered the same, in words; empty where they were."""
    found = []
    if start.sealed != trained.sealed:
        seal, run = (start, trained) if start.sealed else (trained, start)
        found.append(
            f"{seal.source.name} had its settings chosen from a grid; {run.source.name} is a run with settings given "
            f"by hand: seal it too, by `evalsuite baseline CHECKPOINT --against {seal.source}`"
        )
    else:
        found += _differences(start.offered, trained.offered, "")
    for name in sorted(start.tasks.keys() & trained.tasks.keys()):
        if start.sealed == trained.sealed:
            found += _differences(start.tasks[name].offered, trained.tasks[name].offered, f"{name}: ")
    return found


def _differences(one: Mapping[str, Any], other: Mapping[str, Any], where: str) -> Iterator[str]:
    for field in dict.fromkeys([*one, *other]):
        a, b = one.get(field), other.get(field)
        if isinstance(a, Mapping) and isinstance(b, Mapping):
            yield from _differences(a, b, f"{where}{field} ")
        elif a != b:
            yield f"{where}{field} {_short(a)} against {_short(b)}"


def _short(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def check_grader(content: Mapping[str, Any], grader: str, file: Path) -> None:
    """Refuse a baseline whose settings were chosen by another grader than the present one.

    Raises:
        RequestError: the graders differ.
    """
    if content["grader"] != grader:
        raise RequestError(
            f"{file}: another ruler: sealed with grader {content['grader']}, and the present one is {grader}: "
            "seal it again by the same command (nothing is generated anew)"
        )
