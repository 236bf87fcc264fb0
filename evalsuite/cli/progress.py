"""The progress of a run: items done, tokens per second, time left, running accuracy."""

import time
from collections import Counter
from types import TracebackType
from typing import Self

from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from evalsuite.cli.console import remarks
from evalsuite.grading.verdict import Verdict
from evalsuite.rollouts.record import Rollout

SECONDS_BETWEEN_LINES = 30


class RunProgress:
    """A `Watch` on standard error: a live bar on a terminal, a line every half minute in a log file."""

    def __init__(self, samples: int | None = 1) -> None:
        """`samples` are the rollouts of one item; they are sent one after the other, so items finish in order.

        None where they differ: then items are not counted.
        """
        self._samples = samples
        self._console = remarks()
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=24),
            TextColumn("{task.fields[figures]}"),
            TimeRemainingColumn(elapsed_when_finished=True),
            console=self._console,
            redirect_stdout=False,  # else what an engine prints while it loads would pass by its log
            redirect_stderr=False,
            disable=not self._console.is_terminal,
        )
        self._task: TaskID | None = None
        self._what = ""
        self._generates = False
        self._total = self._done = self._done_before = self._tokens = 0
        self._right: Counter[bool] = Counter()
        self._started = self._last_line = time.monotonic()

    def say(self, line: str) -> None:
        """One remark."""
        self._console.print(line, markup=False)

    def begin(self, what: str, total: int, done: int = 0) -> None:
        """Start a bar."""
        self._what, self._generates = what, what == "generating"
        self._total, self._done, self._done_before, self._tokens = total, done, done, 0
        self._started = self._last_line = time.monotonic()
        if self._task is not None:
            self._bar.remove_task(self._task)
        self._task = self._bar.add_task(what, total=total, completed=done, figures="")

    def generated(self, rollout: Rollout) -> None:
        """Count a rollout and its tokens."""
        self._tokens += len(rollout.token_ids or ())
        self._done += 1
        self._update()

    def graded(self, rollout: Rollout, verdict: Verdict) -> None:
        """Count a verdict."""
        if verdict.correct is not None:
            self._right[verdict.correct] += 1
        self._done += not self._generates
        self._update()

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self._bar.stop()

    def _update(self) -> None:
        figures = self._figures()
        if self._task is not None:
            self._bar.update(self._task, completed=self._done, figures=figures)
        now = time.monotonic()
        if not self._console.is_terminal and now - self._last_line > SECONDS_BETWEEN_LINES:
            self._last_line = now
            rate = (self._done - self._done_before) / (now - self._started)
            left = f", {(self._total - self._done) / rate / 60:.0f} min left" if rate else ""
            self.say(f"{self._what} {figures}{left}")

    def _figures(self) -> str:
        parts = [f"{self._done:,}/{self._total:,} rollouts"]
        if self._generates and self._samples:
            parts.insert(0, f"{self._done // self._samples:,}/{self._total // self._samples:,} items")
        if self._generates:
            parts.append(f"{self._tokens / max(time.monotonic() - self._started, 1e-9):,.0f} tok/s")
        if scored := self._right.total():
            parts.append(f"{100 * self._right[True] / scored:.1f} % right")
        return " · ".join(parts)
