"""Averages over benchmarks: each benchmark counts by its weight, not by how many items it has."""

from collections.abc import Sequence
from math import sqrt

from evalsuite.stats.intervals import Estimate


def weighted_mean(estimates: Sequence[Estimate], weights: Sequence[float] | None = None) -> Estimate:
    """The weighted mean of independent estimates; equal weights unless given. Its `n` is the sum of their items.

    The interval recovers each estimate's variance from its own bounds (MOVER: Zou & Donner 2008, Statistics in Medicine
    27:1693, for a sum; each term is scaled by its weight): low = m − √Σ w²(p − l)², high = m + √Σ w²(u − p)². It keeps
    the skew of small benchmarks, and stays within [0, 1].

    Raises:
        ValueError: no estimates, a weight that is missing or negative, or weights that sum to 0.
    """
    return _mover(estimates, weights, 0.0, 1.0)


def mean_of_differences(
    differences: Sequence[Estimate], weights: Sequence[float] | None = None, largest: float = 1.0
) -> Estimate:
    """As `weighted_mean`, for differences of scores: the interval stays within [−largest, largest].

    Raises:
        ValueError: as `weighted_mean`.
    """
    return _mover(differences, weights, -largest, largest)


def _mover(estimates: Sequence[Estimate], weights: Sequence[float] | None, least: float, most: float) -> Estimate:
    given = [1.0] * len(estimates) if weights is None else list(weights)
    if not estimates or len(given) != len(estimates) or min(given) < 0 or sum(given) == 0:
        raise ValueError(f"cannot average {len(estimates)} estimates with the weights {given}")
    shares = [weight / sum(given) for weight in given]
    terms = list(zip(shares, estimates, strict=True))
    value = sum(w * e.value for w, e in terms)
    below = sqrt(sum((w * (e.value - e.low)) ** 2 for w, e in terms))
    above = sqrt(sum((w * (e.high - e.value)) ** 2 for w, e in terms))
    return Estimate(value, max(least, value - below), min(most, value + above), sum(e.n for e in estimates))
