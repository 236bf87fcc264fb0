"""What a run says of one task: the score of every item under every setting that was asked or can be read from it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from evalsuite.evaluate.run import Run
from evalsuite.protocol import Parser, Protocol, Setting, setting_of
from evalsuite.rollouts.record import FinishReason

Readings = Sequence[tuple[int, Parser]]


@dataclass(frozen=True, slots=True)
class ScoreTable:
    """Scores of one task.

    `values` has shape [cells, readings, items]: the mean over an item's samples, in [0, 1], NaN where a sample is
    missing or has no score. `tokens` has shape [cells, items]: what was generated for an item, under the largest limit.
    """

    protocols: tuple[Protocol, ...]
    readings: tuple[tuple[int, Parser], ...]
    items: tuple[str, ...]
    values: NDArray[np.float64]
    tokens: NDArray[np.int64]

    @property
    def flat(self) -> NDArray[np.float64]:
        """Shape [settings, items]: all readings of the first cell, then those of the next."""
        return self.values.reshape(-1, len(self.items))

    def setting(self, number: int) -> Setting:
        """The setting in a row of `flat`."""
        return self.settings_of(number // len(self.readings))[number % len(self.readings)]

    def settings_of(self, cell: int) -> list[Setting]:
        """The settings of one cell, one a reading."""
        return [replace(setting_of(self.protocols[cell], parser), max_tokens=limit) for limit, parser in self.readings]


def score_table(
    at: Mapping[int, Run], protocols: Sequence[Protocol], readings: Readings, items: Sequence[str]
) -> ScoreTable:
    """The scores of these cells of a run; `at` holds the run as it is under each token limit.

    Of more samples than a protocol names, the first count.
    """
    place = {item: number for number, item in enumerate(items)}
    row = {protocol.cell: number for number, protocol in enumerate(protocols)}
    shape = (len(protocols), len(readings), len(items))
    sums, counts = np.zeros(shape), np.zeros(shape, dtype=np.int64)
    tokens = np.zeros((len(protocols), len(items)), dtype=np.int64)
    largest = max(limit for limit, _ in readings)
    for limit, run in at.items():
        columns = [(number, parser) for number, (at_limit, parser) in enumerate(readings) if at_limit == limit]
        for key, rollout in run.rollouts.items():
            cell, item = row.get(rollout.cell), place.get(rollout.item)
            if cell is None or item is None or rollout.finish_reason is FinishReason.ERROR:
                continue
            if rollout.sample >= protocols[cell].sampling.samples:
                continue
            if limit == largest:
                tokens[cell, item] += len(rollout.token_ids or ())
            too_long = rollout.finish_reason is FinishReason.PROMPT_TOO_LONG
            verdict = run.verdicts.get(key)
            for column, parser in columns:
                score = False if too_long else verdict and (verdict.correct if parser == "lenient" else verdict.strict)
                if score is not None:
                    sums[cell, column, item] += score
                    counts[cell, column, item] += 1
    samples = np.array([protocol.sampling.samples for protocol in protocols])[:, None, None]
    values = np.where(counts == samples, sums / np.maximum(counts, 1), np.nan)
    return ScoreTable(tuple(protocols), tuple(readings), tuple(items), values, tokens)
