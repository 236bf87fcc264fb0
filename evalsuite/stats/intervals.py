"""How sure a mean over items is: intervals that stay within [0, 1] and never have zero width."""

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over `n` items with its interval, all fractions in [0, 1]."""

    value: float
    low: float
    high: float
    n: int


def wilson(successes: int, n: int, level: float = 0.95) -> Estimate:
    """The score interval of a binomial share: Wilson 1927; Brown, Cai & DasGupta 2001, equation 4.

    Raises:
        ValueError: n < 1, or not 0 ≤ successes ≤ n.
    """
    if n < 1 or not 0 <= successes <= n:
        raise ValueError(f"no share can be made of {successes} out of {n}")
    low, high = _score_bounds(successes / n, n, level)
    return Estimate(successes / n, low, high, n)


def mean_interval(item_means: ArrayLike, level: float = 0.95) -> Estimate:
    """The mean over items of per-item means, with an interval that treats items, not samples, as independent.

    Korn & Graubard 1998: the binomial interval at the effective sample size p(1−p)/se² instead of n, here Wilson's.
    se² is the variance between item means, over n. It holds both the spread of the items and the luck of the samples;
    more samples of an item shrink only the second.

    Two made-up items enter that variance, one all wrong and one all right: few items of which none happens to be an
    exception do not show how rare exceptions are, and equal item means are no proof of certainty. For the same reason
    the effective size is never below n: no distribution on [0, 1] varies more than a coin of the same mean, so that one
    sample an item, and any all-right or all-wrong result, give Wilson's interval exactly.

    Args:
        item_means: shape [items], each in [0, 1].
        level: confidence level.

    Raises:
        ValueError: no items, or a mean outside [0, 1].
    """
    means = np.asarray(item_means, dtype=np.float64)
    if means.ndim != 1 or means.size == 0:
        raise ValueError(f"a mean over items needs one number an item, but the shape is {means.shape}")
    if not ((means >= 0) & (means <= 1)).all():
        raise ValueError("an item's mean lies outside [0, 1]")
    n = means.size
    p = float(means.mean())
    variance = float(np.append(means, (0.0, 1.0)).var(ddof=1))
    low, high = _score_bounds(p, max(n, n * p * (1 - p) / variance), level)
    return Estimate(p, low, high, n)


def widened(estimate: Estimate, factor: float, least: float = 0.0, most: float = 1.0) -> Estimate:
    """The estimate with both arms of its interval made longer by a factor, within [least, most]."""
    low = max(least, estimate.value - factor * (estimate.value - estimate.low))
    high = min(most, estimate.value + factor * (estimate.high - estimate.value))
    return Estimate(estimate.value, low, high, estimate.n)


def _score_bounds(p: float, n: float, level: float) -> tuple[float, float]:
    if not 0 < level < 1:
        raise ValueError(f"a confidence level lies between 0 and 1, not {level}")
    z = NormalDist().inv_cdf((1 + level) / 2)
    shrink = 1 + z * z / n
    centre = (p + z * z / (2 * n)) / shrink
    half = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / shrink
    # Rounding alone may carry a bound past 0, 1 or the share itself.
    return min(p, max(0.0, centre - half)), max(p, min(1.0, centre + half))
