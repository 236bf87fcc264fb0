"""A suite: a named list of tasks whose plain mean is reported, as an lm-eval group file."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from evalsuite.catalog.grids import GridAxes
from evalsuite.catalog.tasks import Task
from evalsuite.errors import RequestError


class Metadata(BaseModel):
    """evalsuite's own keys of a suite file, under `metadata:`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    title: str = ""
    about: str = ""
    version: float | str | None = None
    grid: GridAxes | None = None


@dataclass(frozen=True, slots=True)
class Suite:
    """The tasks that are averaged, in the order in which they are shown; `grid` is what a sweep offers by default."""

    name: str
    path: Path
    tasks: tuple[str, ...]
    title: str
    about: str
    grid: GridAxes


def suite_from(config: dict[str, Any], path: Path) -> Suite:
    """The suite that the parsed group file at `path` describes.

    Raises:
        RequestError: no list of tasks, or a key or value under `metadata:` that makes no sense.
    """
    tasks = config.get("task")
    if not isinstance(tasks, list) or not tasks or not all(isinstance(name, str) for name in tasks):
        raise RequestError(f"{path}: `task:` must be a list of task names")
    try:
        metadata = Metadata.model_validate(config.get("metadata") or {})
    except ValidationError as error:
        raise RequestError(f"{path}: {_first_fault(error)}") from None
    return Suite(
        name=config["group"],
        path=path,
        tasks=tuple(tasks),
        title=metadata.title,
        about=metadata.about,
        grid=metadata.grid or GridAxes(),
    )


def _first_fault(error: ValidationError) -> str:
    fault = error.errors()[0]
    keys = [part for part in fault["loc"] if isinstance(part, str)]
    within: type[BaseModel] = GridAxes if keys[:1] == ["grid"] else Metadata
    if fault["type"] == "extra_forbidden":
        place = ": ".join(["metadata", *keys[:-1]])
        return f"unknown key `{keys[-1]}` under `{place}:`; known are {', '.join(within.model_fields)}"
    if fault["type"] == "model_type":
        return f"`{': '.join(['metadata', *keys])}`: must be a mapping of {', '.join(within.model_fields)}"
    value = f" (value {fault['loc'][-1] + 1})" if isinstance(fault["loc"][-1], int) else ""
    return f"`{': '.join(['metadata', *keys])}`{value}: {fault['msg'].removeprefix('Value error, ')}"


def refuse_double_counting(tasks: Mapping[str, Task], where: str) -> None:
    """An average over a set and a part of it counts the part twice, whoever lists it: refuse it, naming both."""
    for whole, part in permutations(tasks.values(), 2):
        if part.name in whole.contains or whole.name in part.part_of:
            raise RequestError(f"{where}: averages {part.name} with {whole.name}, which contains it: leave one out")
