"""A sweep before it starts: the items on which each task's settings are chosen, under every cell of the grid."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from evalsuite.baselines.grid import Grid, Offered, offer
from evalsuite.catalog.checkpoint import Checkpoint
from evalsuite.catalog.items import Item
from evalsuite.catalog.load import LoadedTask, leave_out
from evalsuite.catalog.prompts import find_prompt
from evalsuite.catalog.tasks import Task
from evalsuite.errors import RequestError, UnavailableError
from evalsuite.evaluate.cells import Cell, Planned, Sources, plan_cell
from evalsuite.evaluate.plan import Plan, readable
from evalsuite.protocol import Sampling, digest

FOLDS = 5
FEWEST_DEV_ITEMS = 20
"""A dev source with fewer items says too little about settings: the task is cross-fitted instead."""


@dataclass(frozen=True, slots=True)
class SweepWish:
    """What is swept. `limit` bounds the scored items of a task, `dev_items` those taken from its dev source.

    `budget` bounds the tokens that choosing may cost, over all tasks; None: as many as the grid needs. `race` says
    whether cells that can no longer win are dropped.
    """

    suite: str | None
    tasks: str | None
    grid: Grid
    samples: int
    limit: int | None
    dev_items: int
    budget: int | None
    seed: int
    race: bool


def wish_of(held: Mapping[str, Any]) -> SweepWish:
    """The wish behind a sealed baseline, so that another checkpoint is offered the same."""
    grid = Grid.from_dict(held["grid"])
    same = {name: held[name] for name in ("suite", "samples", "limit", "dev_items", "budget", "seed", "race")}
    return SweepWish(tasks=held["tasks_asked"], grid=grid, **same)


@dataclass(frozen=True, slots=True)
class Choice:
    """Where one task's settings are chosen: on dev items, or on its own items in folds. `note` says why the latter."""

    split: str
    items: tuple[Item, ...]
    folds: int | None
    note: str


def plan_sweep(checkpoint: Checkpoint, wish: SweepWish, sources: Sources) -> Plan:
    """Resolve a wish into protocols, one a task and cell.

    Raises:
        RequestError: an unknown name, a grid without a cell for a task, or no task with data.
    """
    tasks = sources.catalog.select(wish.suite, wish.tasks)
    left_out: dict[str, str] = {}
    loaded = sources.load_all(tasks, left_out)
    if wish.suite is None and left_out:
        raise UnavailableError(next(iter(left_out.values())))
    if not loaded:
        raise RequestError(f"none of the tasks has data here: {next(iter(left_out.values()))}")
    scored = [item for one in loaded for item in one.items]
    planned: list[Planned] = []
    facts: dict[str, Any] = {}
    for one in loaded:
        offered = _with_examples(offer(wish.grid, one.task, sources.prompts, checkpoint), one.task, sources, scored)
        shots = max(cell.shots or 0 for cell in offered.cells)
        choice = choose_on(one, sources, scored, shots, wish)
        for cell in offered.cells:
            sampling = _sampling(wish, cell)
            planned.append(plan_cell(checkpoint, sources, one, cell, sampling, scored, choice.items, choice.split))
        scorable = list(readable(one.task, one.items[: wish.limit]))
        facts[one.task.name] = {
            "split": choice.split,
            "items": len(choice.items),
            "folds": choice.folds,
            "note": choice.note,
            "scored": len(scorable),
            "scored_sha256": digest([item.id for item in scorable]),
            "impossible": [list(pair) for pair in offered.impossible],
        }
    sweep = {
        "grid": wish.grid.as_dict(),
        "tasks_asked": wish.tasks,
        "samples": wish.samples,
        "limit": wish.limit,
        "dev_items": wish.dev_items,
        "budget": wish.budget,
        "seed": wish.seed,
        "race": wish.race,
        "tasks": facts,
    }
    members = tuple(task.name for task in tasks)
    return Plan(checkpoint, wish.suite, members, tuple(planned), tuple(left_out.items()), sweep)


def _with_examples(offered: Offered, task: Task, sources: Sources, scored: Sequence[Item]) -> Offered:
    """The same without the cells whose examples are not here: a task may have no dev source, or too few items in it."""
    cells, lacking = [], []
    for cell in offered.cells:
        try:
            sources.examples(task, find_prompt(sources.prompts, cell.prompt), cell.shots or 0, scored)
            cells.append(cell)
        except UnavailableError as error:
            lacking.append((str(cell), str(error).removeprefix(f"{task.name}: ")))
    if not cells:
        raise RequestError(f"{task.name}: the grid has no cell for it: {lacking[0][1]}")
    return Offered(tuple(cells), (*offered.impossible, *lacking))


def choose_on(loaded: LoadedTask, sources: Sources, scored: Sequence[Item], shots: int, wish: SweepWish) -> Choice:
    """A task's dev items, none of them scored anywhere or shown as an example; else its own items, in folds."""
    task = loaded.task
    dev: tuple[Item, ...] = ()
    why, where = "it has no dev source", ""
    if task.dev:
        sources.refuse_gated(task, "choice items")
        where = str(task.dev.task or task.dev.split)
        try:
            found = sources.dev(task, scored)
            shown = sources.shown(task, shots, scored)
            unseen = leave_out(found, shown).items
            taken = islice(readable(task, unseen), wish.dev_items)  # reading a gold takes time, and sources are large
            dev = tuple(replace(item, task=task.name) for item in taken)
            why = f"its dev source {where} has only {len(dev)} items that are neither scored nor shown as examples"
        except UnavailableError as error:
            why = f"its dev source {where} is not here ({str(error).removeprefix(f'{task.name}: ')})"
    if len(dev) >= FEWEST_DEV_ITEMS:
        return Choice(f"dev: {where}", dev, None, "")
    items = tuple(readable(task, loaded.items[: wish.limit]))
    if len(items) < 2 * FOLDS:
        raise RequestError(
            f"{task.name}: {why}, and {len(items)} items are too few to choose settings by cross-fitting: "
            f"ask for at least {2 * FOLDS}, or leave it out"
        )
    note = f"{why}: cross-fitted, each fold of its own items is scored with the setting chosen on the others"
    return Choice(task.split, items, FOLDS, note)


def scored_items(wish: SweepWish, sources: Sources) -> dict[str, tuple[str, ...]]:
    """The items that are scored, by task: those whose gold can be read."""
    tasks = sources.catalog.select(wish.suite, wish.tasks)
    loaded = sources.load_all(tasks, {})
    return {one.task.name: tuple(item.id for item in readable(one.task, one.items[: wish.limit])) for one in loaded}


def plan_scored(
    checkpoint: Checkpoint, wish: SweepWish, sources: Sources, asked: Mapping[str, Mapping[Cell, Sequence[str]]]
) -> Plan:
    """A run over scored items only: for each task, the cells that it is asked with and the items of each, by id.

    Everything else, the examples above all, is as in the sweep of the same wish.
    """
    tasks = sources.catalog.select(wish.suite, wish.tasks)
    left_out: dict[str, str] = {}
    loaded = sources.load_all(tasks, left_out)
    scored = [item for one in loaded for item in one.items]
    planned = []
    for one in loaded:
        for cell, ids in asked.get(one.task.name, {}).items():
            wanted = frozenset(ids)
            items = tuple(item for item in one.items if item.id in wanted)
            sampling = _sampling(wish, cell)
            planned.append(plan_cell(checkpoint, sources, one, cell, sampling, scored, items))
    members = tuple(task.name for task in tasks)
    return Plan(checkpoint, wish.suite, members, tuple(planned), tuple(left_out.items()))


def _sampling(wish: SweepWish, cell: Cell) -> Sampling:
    """Several greedy answers would all be the same: one is enough."""
    samples = wish.samples if cell.temperature else 1
    return Sampling(cell.temperature, cell.top_p, samples, wish.grid.max_tokens[0], wish.seed)
