"""Whether a paired difference could be luck: tests over the same items, two-sided."""

from collections.abc import Sequence
from itertools import product

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import binom, norm

EXACT = 14
"""Up to so many items that differ, all ways to flip their signs are counted."""
DRAWS = 100_000
"""Beyond, so many are drawn: a p of 0.05 is then known to within 0.0014 (twice its standard error)."""


def paired_p(differences: ArrayLike) -> float:
    """The p-value of the items' differences: McNemar's mid-p where each is −1, 0 or 1, else that of sign flips.

    Args:
        differences: one an item, shape [items].

    Raises:
        ValueError: no items, or a shape that is not one number an item.
    """
    found = _checked(differences)
    if np.isin(found, (-1.0, 0.0, 1.0)).all():
        return mcnemar_mid_p(int((found > 0).sum()), int((found < 0).sum()))
    return sign_flip_p([found])


def mcnemar_mid_p(only_first: int, only_second: int) -> float:
    """For one right or wrong answer an item: whether as many items are right on one side only as on the other.

    Half the probability of what was seen, and of its mirror image, is left out of the exact binomial p: Fagerland,
    Lydersen & Laake 2013 (BMC Medical Research Methodology 13:91), who find it near its nominal level where the exact
    test is far below.

    Args:
        only_first: items that only the first side has right.
        only_second: items that only the second side has right.
    """
    fewer, discordant = min(only_first, only_second), only_first + only_second
    return float(min(1.0, 2 * binom.cdf(fewer, discordant, 0.5) - binom.pmf(fewer, discordant, 0.5)))


def sign_flip_p(strata: Sequence[ArrayLike], weights: Sequence[float] | None = None, seed: int = 0) -> float:
    """How often the weighted mean over strata of mean differences is as far from 0 when signs are flipped at random.

    Where the two sides are alike, each item's difference is as likely to have either sign (Fisher 1935, The Design of
    Experiments, section 21). Up to `EXACT` items that differ, all flips are counted; beyond, `DRAWS` are drawn, and
    the p-value is (hits + 1) / (draws + 1) (Phipson & Smyth 2010).

    Args:
        strata: for each benchmark its items' differences, shape [items].
        weights: of the benchmarks; equal ones where not given.
        seed: of the draws.

    Raises:
        ValueError: no strata, or one without items.
    """
    parts = [_checked(differences) for differences in strata]
    given = np.ones(len(parts)) if weights is None else np.asarray(weights, dtype=np.float64)
    if not parts or given.shape != (len(parts),):
        raise ValueError(f"{len(parts)} strata with {given.size} weights")
    shares = given / given.sum()
    steps = np.concatenate([share * part / part.size for share, part in zip(shares, parts, strict=True)])
    steps = steps[steps != 0]
    observed = abs(steps.sum())
    if steps.size <= EXACT:
        signs = np.array(list(product((-1.0, 1.0), repeat=steps.size)))
        return float((np.abs(signs @ steps) >= observed * (1 - 1e-9)).mean())
    hits = (np.abs(_flipped(steps, seed)) >= observed * (1 - 1e-9)).sum()
    return float((hits + 1) / (DRAWS + 1))


def with_doubt(p: float, doubt: float) -> float:
    """The p-value that goes with an interval made wider by a factor: that of z / doubt."""
    return float(min(1.0, 2 * norm.sf(norm.isf(p / 2) / doubt)))


def _flipped(steps: NDArray[np.float64], seed: int) -> NDArray[np.float64]:
    """The sum under random signs, shape [DRAWS]. Of steps of the same size only the number of pluses matters."""
    rng = np.random.default_rng(seed)
    sizes, counts = np.unique(np.abs(steps).round(15), return_counts=True)
    total = np.zeros(DRAWS)
    for size, count in zip(sizes, counts, strict=True):
        total += size * (2 * rng.binomial(count, 0.5, DRAWS) - count)
    return total


def _checked(differences: ArrayLike) -> NDArray[np.float64]:
    found = np.asarray(differences, dtype=np.float64)
    if found.ndim != 1 or found.size == 0:
        raise ValueError(f"a paired test needs one difference an item, but the shape is {found.shape}")
    return found
