"""A sweep as its folder holds it, and what it needs next: rounds of races, task by task, over one engine."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalsuite.baselines.choose import optimism
from evalsuite.baselines.course import Course, fold_numbers, run_course, winners
from evalsuite.baselines.grid import Grid
from evalsuite.baselines.plan import FOLDS
from evalsuite.baselines.scores import ScoreTable, score_table
from evalsuite.errors import RequestError
from evalsuite.evaluate.limits import at_limits
from evalsuite.evaluate.loop import Job, Schedule, jobs_of
from evalsuite.evaluate.plan import Plan
from evalsuite.evaluate.run import Run
from evalsuite.evaluate.watch import Watch
from evalsuite.grading.pool import GraderPool


@dataclass(frozen=True, slots=True)
class TaskSweep:
    """One task of a sweep. `facts` is what run.json says of its choice items."""

    task: str
    table: ScoreTable
    course: Course
    facts: dict[str, Any]

    @property
    def winners(self) -> list[int]:
        """The setting that wins each race, as rows of `table.flat`; empty before the first round is complete."""
        return winners(self.table, self.course) if all(race.looked for race in self.course.races) else []

    @property
    def dropped(self) -> NDArray[np.bool_]:
        """The cells that were dropped before they were run on all choice items, shape [cells]."""
        alive = np.any([race.alive for race in self.course.races], axis=0)
        lacking = np.isnan(self.table.values).any(axis=(1, 2))
        dropped: NDArray[np.bool_] = ~alive & lacking
        return dropped

    @property
    def optimism(self) -> float | None:
        """How much more than a cross-fitted score the best setting claims on the items that chose it.

        Of the settings that were run on all choice items: a race drops those far from the best. None where there is
        no such setting yet.
        """
        whole = self.table.flat[~np.isnan(self.table.flat).any(axis=1)]
        return optimism(whole, fold_numbers(len(self.table.items), FOLDS)) if len(whole) else None


@dataclass(frozen=True, slots=True)
class SweepState:
    """All tasks of a sweep. `spent` counts the tokens of its rollouts, taken over or not."""

    tasks: tuple[TaskSweep, ...]
    spent: int
    budget: int | None

    @property
    def over(self) -> bool:
        """Whether the grid needs nothing more."""
        return all(task.course.over for task in self.tasks)

    @property
    def next_costs(self) -> int:
        """What the next round would cost, by the mean length of the answers so far; 0 before the first."""
        return sum(_expected_tokens(task) for task in self.tasks)

    @property
    def within_budget(self) -> bool:
        """Whether the next round may start. The first always may: without it there is nothing to choose from."""
        first = any(not task.winners for task in self.tasks)
        return self.budget is None or first or self.spent + self.next_costs <= self.budget


def read_sweep(run: Run, pool: GraderPool, watch: Watch) -> SweepState:
    """Where a sweep stands, from what is stored: answers under every limit, graded, and the races replayed.

    Raises:
        RequestError: the run is not a sweep.
    """
    sweep = run.manifest.get("sweep")
    if not sweep:
        raise RequestError(f"{run.folder}: not a sweep: `evalsuite sweep` makes one")
    grid = Grid.from_dict(sweep["grid"])
    limits = grid.max_tokens
    at = dict(zip(limits, at_limits(run, limits, pool, watch), strict=True))
    tasks = []
    for name, facts in sweep["tasks"].items():
        protocols = [protocol for protocol in run.protocols if protocol.task == name]
        items = [item for task, item in run.items if task == name]
        table = score_table(at, protocols, grid.readings, items)
        tasks.append(TaskSweep(name, table, run_course(table, facts["folds"], racing=sweep["race"]), facts))
    tokens = sum(len(rollout.token_ids or ()) for rollout in run.rollouts.values())
    return SweepState(tuple(tasks), tokens, sweep["budget"])


def racing(plan: Plan, watch: Watch, show: Callable[[SweepState], None]) -> Schedule:
    """The schedule of a sweep: round after round until every race is over or the budget does not allow another."""

    def schedule(run: Run, pool: GraderPool) -> Sequence[Job]:
        state = read_sweep(run, pool, watch)
        show(state)
        if not state.within_budget:
            return ()
        return [job for task in state.tasks for job in _jobs(plan, task)]

    return schedule


def _jobs(plan: Plan, task: TaskSweep) -> Iterator[Job]:
    planned = {one.protocol.cell: one for one in plan.planned if one.protocol.task == task.task}
    for protocol, needs in zip(task.table.protocols, task.course.needs, strict=True):
        wanted = {item for item, needed in zip(task.table.items, needs, strict=True) if needed}
        one = planned[protocol.cell]
        yield from jobs_of(one, [item for item in one.items if item.id in wanted])


def _expected_tokens(task: TaskSweep) -> int:
    known = task.table.tokens[~np.isnan(task.table.values).any(axis=1)]
    missing = task.course.needs & np.isnan(task.table.values).any(axis=1)
    return int(known.mean() * missing.sum()) if known.size else 0
