"""The progress of a sweep: the cells of each task as they fill, above the bar of the round."""

from types import TracebackType
from typing import Self

from rich.console import Group, RenderableType
from rich.live import Live
from rich.text import Text

from evalsuite.baselines.sweep import SweepState
from evalsuite.cli.progress import RunProgress
from evalsuite.report.sweep import cell_table, one_line

ROWS = 24
"""Cells shown at once, over all tasks."""


class SweepProgress(RunProgress):
    """A `Watch` that also shows where a sweep stands: tables on a terminal, a line a task and round in a log file."""

    def __init__(self) -> None:
        super().__init__(samples=None)
        self._state: SweepState | None = None
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
        self._state = state
        if not self._console.is_terminal and state.spent:
            for task in state.tasks:
                self.say(one_line(task))

    def __enter__(self) -> Self:
        if self._console.is_terminal:
            self._live.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        if self._console.is_terminal:
            self._live.stop()

    def _view(self) -> RenderableType:
        parts: list[RenderableType] = []
        if self._state and self._state.spent:
            rows = max(3, ROWS // len(self._state.tasks))
            for task in self._state.tasks:
                parts += [Text(one_line(task), style="bold"), cell_table(task, rows), Text()]
            parts.append(Text(_tokens(self._state, self._tokens)))
        return Group(*parts, self._bar.get_renderable())


def _tokens(state: SweepState, since: int) -> str:
    spent = state.spent + since
    left = "" if state.budget is None else f", {max(0, state.budget - spent):,} left"
    return f"{spent:,} tokens spent{left}"
