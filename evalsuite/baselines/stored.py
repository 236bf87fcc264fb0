"""What is stored of one checkpoint, over all its runs: the scores of items under any setting that its rollouts tell."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from evalsuite.baselines.scores import score_table
from evalsuite.evaluate.limits import at_limits
from evalsuite.evaluate.regrade import grade_missing
from evalsuite.evaluate.run import Run, load_run, read_protocols
from evalsuite.evaluate.watch import Watch
from evalsuite.grading.pool import GraderPool
from evalsuite.protocol import Protocol, Setting, setting_of
from evalsuite.rollouts import store


@dataclass
class Stored:
    """The runs of one checkpoint, each read when something of it is needed, and graded by the present grader.

    `samples` and `seed` say which samples count: the first so many of each item, of greedy answers one.
    """

    folders: Sequence[Path]
    samples: int
    seed: int | None
    pool: GraderPool
    watch: Watch
    _protocols: dict[Path, tuple[Protocol, ...]] = field(default_factory=dict)
    _runs: dict[Path, Run] = field(default_factory=dict)
    _at: dict[tuple[Path, int], Run] = field(default_factory=dict)

    def scores(self, task: str, setting: Setting, items: Sequence[str]) -> NDArray[np.float64]:
        """The score of each item under a setting, shape [items]; NaN where a sample of it was never generated."""
        found = np.full(len(items), np.nan)
        first = self.protocol(task, setting)
        for folder in self.folders:
            for protocol in self._matching(folder, task, setting):
                if not np.isnan(found).any():
                    return found
                if first is None or protocol.cell != first.cell:
                    continue  # other examples, or other data behind the task's name
                run = self._under(folder, setting.max_tokens)
                reading = (setting.max_tokens, setting.parser)
                table = score_table({setting.max_tokens: run}, [protocol], [reading], items)
                found = np.where(np.isnan(found), table.values[0, 0], found)
        return found

    def protocol(self, task: str, setting: Setting) -> Protocol | None:
        """A protocol under which the task was asked so."""
        matching = (p for folder in self.folders for p in self._matching(folder, task, setting))
        return next(matching, None)

    def _matching(self, folder: Path, task: str, setting: Setting) -> list[Protocol]:
        wanted = self.samples if setting.temperature else 1
        return [
            replace(protocol, sampling=replace(protocol.sampling, samples=wanted))
            for protocol in self._protocols_of(folder)
            if protocol.task == task
            and protocol.sampling.temperature is not None
            and setting_of(protocol).asked == setting.asked
            and protocol.sampling.known[2] >= setting.max_tokens
            and protocol.sampling.samples >= wanted
            and protocol.sampling.seed == self.seed
        ]

    def _protocols_of(self, folder: Path) -> tuple[Protocol, ...]:
        if folder not in self._protocols:
            self._protocols[folder] = read_protocols(folder)
        return self._protocols[folder]

    def _run(self, folder: Path) -> Run:
        if folder not in self._runs:
            run = load_run(folder)
            with store.lock(folder):
                regraded = grade_missing(run, self.pool, self.watch)
            self._runs[folder] = load_run(folder) if regraded else run
        return self._runs[folder]

    def _under(self, folder: Path, limit: int) -> Run:
        if (folder, limit) not in self._at:
            run = self._run(folder)  # which takes the lock itself
            with store.lock(folder):
                [self._at[folder, limit]] = at_limits(run, [limit], self.pool, self.watch)
        return self._at[folder, limit]
