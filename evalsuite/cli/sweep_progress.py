"""The progress of a sweep: the cells of each task as they fill, above the bar of the round."""

from collections import defaultdict
from dataclasses import replace
from types import TracebackType
from typing import Self

from rich.console import Group, RenderableType
from rich.live import Live
from rich.text import Text

from evalsuite.baselines.scores import ScoreTable
from evalsuite.baselines.sweep import SweepState, TaskSweep
from evalsuite.cli.progress import RunProgress
from evalsuite.grading.verdict import Verdict
from evalsuite.report.sweep import cell_table, one_line
from evalsuite.rollouts.record import Rollout

ROWS = 24
"""Cells shown at once, over all tasks."""


class SweepProgress(RunProgress):
    """A `Watch` that also shows where a sweep stands: tables on a terminal, a line a task and round in a log file.

    Within a round the tables fill at the largest limit; the smaller limits are read when it is over.
    """

    def __init__(self) -> None:
        super().__init__(samples=None)
        self._state: SweepState | None = None
        self._filling: dict[str, ScoreTable] = {}
        self._verdicts: dict[tuple[str, str], list[Verdict]] = defaultdict(list)
        self._live = Live(
            get_renderable=self._view,
            console=self._console,
            refresh_per_second=2,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )

    def show(self, state: SweepState) -> None:
        """A round is over, or the sweep goes on where it was."""
        copies = [replace(task.table, values=task.table.values.copy()) for task in state.tasks]
        tasks = tuple(replace(task, table=copy) for task, copy in zip(state.tasks, copies, strict=True))
        self._state = replace(state, tasks=tasks)
        self._filling = {protocol.cell: table for table in copies for protocol in table.protocols}
        self._verdicts.clear()
        if not self._console.is_terminal and state.spent:
            for task in state.tasks:
                self.say(one_line(task))

    def graded(self, rollout: Rollout, verdict: Verdict) -> None:
        """Count a verdict, and fill its item's place in the table when it was the item's last sample."""
        super().graded(rollout, verdict)
        table = self._filling.get(rollout.cell)
        if table is None:
            return
        cell = next(row for row, protocol in enumerate(table.protocols) if protocol.cell == rollout.cell)
        verdicts = self._verdicts[rollout.cell, rollout.item]
        verdicts.append(verdict)
        if len(verdicts) == table.protocols[cell].sampling.samples:
            item = table.items.index(rollout.item)
            for number, (limit, parser) in enumerate(table.readings):
                if limit == table.readings[0][0]:
                    right = [one.correct if parser == "lenient" else one.strict for one in verdicts]
                    table.values[cell, number, item] = sum(map(bool, right)) / len(right)

    def __enter__(self) -> Self:
        if self._console.is_terminal:
            self._live.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        if self._console.is_terminal:
            self._live.stop()

    def _view(self) -> RenderableType:
        parts: list[RenderableType] = []
        if self._state:
            rows = max(3, ROWS // len(self._state.tasks))
            for task in self._state.tasks:
                parts += [*_titled(task, rows), Text()]
            parts.append(Text(_tokens(self._state, self._tokens)))
        return Group(*parts, self._bar.get_renderable())


def _titled(task: TaskSweep, rows: int) -> list[RenderableType]:
    return [Text(one_line(task), style="bold"), cell_table(task, rows)]


def _tokens(state: SweepState, since: int) -> str:
    spent = state.spent + since
    left = "" if state.budget is None else f", {max(0, state.budget - spent):,} left of the budget"
    return f"{spent:,} tokens spent{left}"
