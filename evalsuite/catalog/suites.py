"""A suite: a named list of tasks whose plain mean is reported, as an lm-eval group file."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import permutations
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from evalsuite.catalog.grids import GridAxes
from evalsuite.catalog.tasks import Task
from evalsuite.errors import RequestError


@dataclass(frozen=True, slots=True)
class Suite:
    """The tasks that are averaged, in the order in which they are shown."""

    name: str
    path: Path
    tasks: tuple[str, ...]
    title: str = ""
    about: str = ""
    grid: GridAxes = field(default_factory=GridAxes)


def suite_from(config: dict[str, Any], path: Path) -> Suite:
    """The suite that the parsed group file at `path` describes."""
    tasks = config.get("task")
    if not isinstance(tasks, list) or not tasks or not all(isinstance(name, str) for name in tasks):
        raise RequestError(f"{path}: `task:` must be a list of task names")
    metadata = config.get("metadata") or {}
    try:
        grid = GridAxes.model_validate(metadata.get("grid") or {})
    except ValidationError as error:
        fault = error.errors()[0]
        key = ".".join(map(str, ("grid", *fault["loc"])))
        raise RequestError(f"{path}: `metadata: {key}`: {fault['msg'].removeprefix('Value error, ')}") from None
    return Suite(
        name=config["group"],
        path=path,
        tasks=tuple(tasks),
        title=metadata.get("title", ""),
        about=metadata.get("about", ""),
        grid=grid,
    )


def refuse_double_counting(tasks: Mapping[str, Task], where: str) -> None:
    """An average over a set and a part of it counts the part twice, whoever lists it: refuse it, naming both."""
    for whole, part in permutations(tasks.values(), 2):
        if part.name in whole.contains or whole.name in part.part_of:
            raise RequestError(f"{where}: averages {part.name} with {whole.name}, which contains it: leave one out")
