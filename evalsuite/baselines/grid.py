"""The grid of a sweep: which settings are offered, and which of them a task and a checkpoint can be asked with."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from itertools import product
from typing import Any

from evalsuite.catalog.checkpoint import Checkpoint
from evalsuite.catalog.grids import GridAxes
from evalsuite.catalog.prompts import PromptFormat, find_prompt
from evalsuite.catalog.tasks import Task
from evalsuite.errors import RequestError
from evalsuite.evaluate.cells import Cell, misfit
from evalsuite.evaluate.plan import check_context, longest_answer
from evalsuite.protocol import Parser

SMALLER_LIMITS = (1, 2, 4, 8)
"""Where no token limits are named: the default limit divided by each of these."""


@dataclass(frozen=True, slots=True)
class Grid:
    """What is offered to both sides of a comparison, whatever a checkpoint can do with it.

    `shots` is None where each prompt format keeps its own number. Limits and parsers stand from the most to the least
    generous: ties between settings go to the first.
    """

    prompts: tuple[str, ...]
    chat_template: tuple[str, ...]
    shots: tuple[int, ...] | None
    temperatures: tuple[float, ...]
    top_p: tuple[float, ...]
    max_tokens: tuple[int, ...]
    parsers: tuple[Parser, ...]

    @property
    def readings(self) -> tuple[tuple[int, Parser], ...]:
        """What is read from the same rollouts: each token limit with each parser."""
        return tuple(product(self.max_tokens, self.parsers))

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Grid":
        """The inverse of `as_dict`, from JSON too."""
        return cls(**{name: tuple(value) if isinstance(value, list) else value for name, value in data.items()})


@dataclass(frozen=True, slots=True)
class Offered:
    """The cells of one task for one checkpoint; `impossible` holds pairs of a cell and why it cannot be asked with."""

    cells: tuple[Cell, ...]
    impossible: tuple[tuple[str, str], ...]


def resolve(axes: GridAxes, checkpoint: Checkpoint) -> Grid:
    """The grid that these axes mean, with the token limits that suit the checkpoint where they name none.

    Raises:
        RequestError: a limit that leaves no room for a prompt.
    """
    longest = longest_answer(checkpoint)
    limits = axes.max_tokens or [max(1, longest // part) for part in SMALLER_LIMITS]
    check_context(checkpoint, max(limits))
    parsers: tuple[Parser, ...] = ("lenient", "strict")
    return Grid(
        prompts=tuple(axes.prompts),
        chat_template=tuple(axes.chat_template),
        shots=None if axes.shots is None else tuple(axes.shots),
        temperatures=tuple(axes.temperatures),
        top_p=tuple(axes.top_p),
        max_tokens=tuple(sorted(set(limits), reverse=True)),
        parsers=tuple(parser for parser in parsers if parser in axes.parsers),
    )


def offer(grid: Grid, task: Task, prompts: Mapping[str, PromptFormat], checkpoint: Checkpoint) -> Offered:
    """What of the grid makes sense for this task, apart from what this checkpoint cannot do.

    Raises:
        RequestError: nothing does.
    """
    cells, impossible = [], []
    for cell in _cells(grid, task, prompts):
        if cell.chat and checkpoint.chat_template is None:
            impossible.append((str(cell), f"{checkpoint.name} has no chat template"))
        else:
            cells.append(cell)
    if not cells:
        why = impossible[0][1] if impossible else _why_none(grid, task, prompts)
        raise RequestError(
            f"{task.name}: the grid has no cell for it: {why}; name other --prompts or --chat-template, or leave it out"
        )
    return Offered(tuple(cells), tuple(impossible))


def _why_none(grid: Grid, task: Task, prompts: Mapping[str, PromptFormat]) -> str:
    """What is wrong with the first combination of a grid none of which makes sense."""
    name, way = grid.prompts[0], grid.chat_template[0]
    return misfit(find_prompt(dict(prompts), name), task, Cell(name, way == "on"))


def _cells(grid: Grid, task: Task, prompts: Mapping[str, PromptFormat]) -> Iterator[Cell]:
    """Every combination that makes sense for some checkpoint, each once, with nothing left to a default."""
    seen = set()
    for name in grid.prompts:
        prompt = find_prompt(dict(prompts), name)
        shots = grid.shots if grid.shots is not None and prompt.head.shots else (prompt.head.shots,)
        chats = [way == "on" for way in grid.chat_template]
        for chat, shot, temperature, top_p in product(chats, shots, grid.temperatures, grid.top_p):
            cell = Cell(name, chat, shot, temperature, top_p if temperature else 1.0)
            if cell not in seen and not misfit(prompt, task, cell):
                seen.add(cell)
                yield cell
