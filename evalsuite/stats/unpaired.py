"""Two shares of the same items of which only the counts are known, not which items each side has right."""

from dataclasses import dataclass
from math import sqrt

import numpy as np
from scipy.stats import boschloo_exact
from statsmodels.stats.proportion import confint_proportions_2indep, test_proportions_2indep

from evalsuite.stats.intervals import Estimate
from evalsuite.stats.tests import mcnemar_mid_p

EXACT = 300
"""Up to so many items the exact test is fast enough."""


@dataclass(frozen=True, slots=True)
class Unpaired:
    """The difference second − first, a fraction, and what can be said of it without the pairing.

    `p` is that of a test which takes the sides for independent. `best` and `worst` are the p-values of the paired test
    (McNemar's mid-p) where the two sides' right answers overlap as much, and as little, as their counts allow. `error`
    is the standard error for independent sides, `least_error` that for the most favourable overlap.
    """

    difference: Estimate
    p: float
    best: float
    worst: float
    error: float
    least_error: float


def unpaired(first: int, second: int, n: int) -> Unpaired:
    """Compare two counts of right answers to the same n items.

    The interval is Newcombe's (1998, Statistics in Medicine 17:873, method 10), which stays within [−1, 1]. The test is
    Boschloo's exact one up to `EXACT` items (Boschloo 1970), the score test beyond.

    Raises:
        ValueError: n < 1, or a count outside 0 … n.
    """
    if n < 1 or not (0 <= first <= n and 0 <= second <= n):
        raise ValueError(f"{first} and {second} are no counts out of {n}")
    low, high = confint_proportions_2indep(second, n, first, n, compare="diff", method="newcomb")
    difference = (second - first) / n
    # Two made-up items a side, as Agresti & Caffo 2000 add them, so that no error is 0.
    errors = [(c + 1) * (n - c + 1) / (n + 2) ** 3 for c in (first, second)]
    # Where all items that differ favour one side, the variance of their differences is |d| − d²; of one item at least.
    least = max(abs(difference) - difference**2, 1 / n) / n
    return Unpaired(
        difference=Estimate(difference, min(float(low), difference), max(float(high), difference), n),
        p=_p(first, second, n),
        best=mcnemar_mid_p(max(second - first, 0), max(first - second, 0)),
        worst=mcnemar_mid_p(*_least_overlap(first, second, n)),
        error=sqrt(sum(errors)),
        least_error=sqrt(least),
    )


def _p(first: int, second: int, n: int) -> float:
    if first == second:
        return 1.0
    if n <= EXACT:
        return float(boschloo_exact(np.array([[first, second], [n - first, n - second]])).pvalue)
    return float(test_proportions_2indep(second, n, first, n, compare="diff", method="score").pvalue)


def _least_overlap(first: int, second: int, n: int) -> tuple[int, int]:
    """How many items only the first, and only the second side has right, where they share as few as they can."""
    shared = max(0, first + second - n)
    return first - shared, second - shared
