"""How many samples an item a paired comparison needs, and what no number of samples shows."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, inf, isfinite, sqrt

import numpy as np
from numpy.typing import ArrayLike

from evalsuite.stats.levels import Spread
from evalsuite.stats.power import detectable_effect

UNIFORM_BETWEEN, UNIFORM_WITHIN = 1 / 12, 1 / 6
"""The two variances of items whose success rates are spread evenly over [0, 1]."""
UNIFORM_SHARE = UNIFORM_BETWEEN / (UNIFORM_BETWEEN + UNIFORM_WITHIN)
CORRELATION = 1 / 3
"""Of the success rates of two models over the same items. With the variances above it gives ω² = 1/9 and σ² = 1/6."""


@dataclass(frozen=True, slots=True)
class PairedVariance:
    """The variance of the difference of two models on one task, as a function of the samples an item of each.

    `between` is the variance over items of the difference of the two success rates (ω² in Miller 2024), `within` the
    sum of both models' variances of one sample about its item's rate (σ_A² + σ_B²).
    """

    items: int
    between: float
    within: float


def typical_variance(items: int) -> PairedVariance:
    """What is assumed where nothing was measured: evenly spread success rates, correlated by a third.

    That makes ω² = 1/9 and σ² = 1/6, the values of the example of Miller 2024 (arXiv 2411.00640), section 5.
    """
    return PairedVariance(items, 2 * UNIFORM_BETWEEN * (1 - CORRELATION), 2 * UNIFORM_WITHIN)


def variance_from_one(items: int, one: Spread) -> PairedVariance:
    """What one model's run says: the other varies as much, and their success rates correlate by `CORRELATION`.

    A run of one sample an item cannot tell its two levels apart: its variance is then shared out as that of evenly
    spread success rates is. As everywhere here, one typical item joins those of the run, so that a few items that are
    all wrong are not taken for a benchmark without variance.
    """
    between, within = _levels(one)
    typical = typical_variance(items)
    return PairedVariance(
        items,
        _joined(2 * between * (1 - CORRELATION), one.items, typical.between),
        _joined(2 * within, one.items, typical.within),
    )


def variance_from_two(items: int, one: Spread, other: Spread, differences: ArrayLike) -> PairedVariance:
    """What two models' runs over the same items say; nothing is assumed of their correlation.

    The variance of the differences of item means, less what each side's samples put into it.

    Args:
        items: of the comparison that is planned.
        one: the one run's levels.
        other: the other's.
        differences: of the two item means, shape [items of the runs].
    """
    variance = float(np.var(np.asarray(differences, dtype=np.float64), ddof=1))
    within = _levels(one)[1], _levels(other)[1]
    luck = within[0] / one.samples + within[1] / other.samples
    typical = typical_variance(items)
    return PairedVariance(
        items,
        _joined(max(0.0, variance - luck), one.items, typical.between),
        _joined(sum(within), one.items, typical.within),
    )


def _joined(variance: float, items: int, typical: float) -> float:
    """The mean variance after one typical item joined."""
    return (items * variance + typical) / (items + 1)


def _levels(one: Spread) -> tuple[float, float]:
    if one.within is not None:
        return max(0.0, one.between), one.within
    return UNIFORM_SHARE * one.between, (1 - UNIFORM_SHARE) * one.between


def error_of_mean(tasks: Sequence[PairedVariance], samples: float) -> float:
    """The standard error of the plain mean over tasks of the paired difference, with this many samples an item of each.

    √Σ(ω²/n + (σ_A² + σ_B²)/(nK)) / tasks: Miller 2024 (arXiv 2411.00640), section 5, summed over independent tasks.
    """
    return sqrt(sum((task.between + task.within / samples) / task.items for task in tasks)) / len(tasks)


def smallest_effect(tasks: Sequence[PairedVariance], samples: float = inf) -> float:
    """The smallest difference of the mean over tasks that is seen, a fraction: 80 % power, two-sided 5 %."""
    return detectable_effect(error_of_mean(tasks, samples))


def samples_needed(tasks: Sequence[PairedVariance], effect: float) -> int | None:
    """The fewest samples an item, the same in all tasks, that show this difference of their mean, if any do."""
    room = _allowed_variance(effect, len(tasks)) - sum(task.between / task.items for task in tasks)
    if room <= 0:
        return None
    needed = sum(task.within / task.items for task in tasks) / room
    return max(1, ceil(needed - 1e-9)) if isfinite(needed) else None


def items_needed(task: PairedVariance, effect: float, samples: float = inf) -> int:
    """How many items of the kind of this task show the difference: Miller 2024 (arXiv 2411.00640), section 5."""
    return ceil((task.between + task.within / samples) / _allowed_variance(effect, 1) - 1e-9)


def _allowed_variance(effect: float, tasks: int) -> float:
    """The variance that a sum of differences over tasks may have, so that their mean shows the effect."""
    return (tasks * effect / detectable_effect(1.0)) ** 2
