"""Several differences looked at together: intervals and p-values that hold for all of them at once."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import block_diag
from scipy.stats import norm, t

from evalsuite.stats.intervals import Estimate
from evalsuite.stats.paired import padded

DRAWS = 50_000
"""Drawn maxima: a corrected p of 0.05 is then known to within 0.002 (twice its standard error)."""


@dataclass(frozen=True, slots=True)
class Moments:
    """Means of differences over the same items, and how they move together.

    `values` are the plain means, `centres` those after made-up items joined (`padded`), both of shape [differences];
    `covariance` is that of the means, shape [differences, differences], and `freedom` the degrees of freedom behind
    each difference's own variance; all differences lie within [−1, 1].
    """

    values: NDArray[np.float64]
    centres: NDArray[np.float64]
    covariance: NDArray[np.float64]
    freedom: NDArray[np.float64]
    items: int


@dataclass(frozen=True, slots=True)
class Together:
    """Estimates whose intervals hold all at once at the level, and p-values corrected for how many there are.

    `critical` is how many standard errors the arms are long where items are many; 1.96 for a single difference at 95 %.
    `errors` are the standard errors.
    """

    estimates: tuple[Estimate, ...]
    p: tuple[float, ...]
    errors: tuple[float, ...]
    critical: float


def moments(differences: ArrayLike, samples: int = 1) -> Moments:
    """The moments of several models' differences from one baseline, paired over items.

    The made-up items widen each difference's own variance, not what two differences share: that errs on the safe side.

    Args:
        differences: in [−1, 1], shape [differences, items].
        samples: behind each item's difference; of several numbers the smallest.

    Raises:
        ValueError: another shape, or a difference out of range.
    """
    found = np.asarray(differences, dtype=np.float64)
    if found.ndim != 2 or not found.size or not (np.abs(found) <= 1 + 1e-9).all():
        raise ValueError(f"differences within ±1 of shape [differences, items] are needed, not {found.shape}")
    centres, variances = padded(found, samples)
    size = found.shape[1] + 2 / samples
    shared = found @ found.T / size - np.outer(centres, centres)
    np.fill_diagonal(shared, variances)
    freedom = np.full(len(found), max(1.0, found.shape[1] - 1.0))
    return Moments(found.mean(axis=1), centres, shared / size, freedom, found.shape[1])


def mean_moments(tasks: Sequence[Moments]) -> Moments:
    """The moments of plain means over independent tasks; degrees of freedom combine as by Welch and Satterthwaite."""
    variances = np.array([np.diag(task.covariance) for task in tasks])
    freedom = np.array([task.freedom for task in tasks])
    return Moments(
        values=np.mean([task.values for task in tasks], axis=0),
        centres=np.mean([task.centres for task in tasks], axis=0),
        covariance=np.sum([task.covariance for task in tasks], axis=0) / len(tasks) ** 2,
        freedom=variances.sum(axis=0) ** 2 / (variances**2 / freedom).sum(axis=0),
        items=sum(task.items for task in tasks),
    )


def joined_moments(tasks: Sequence[Moments]) -> Moments:
    """The moments of all differences of all tasks, one task after the other; tasks are independent."""
    return Moments(
        values=np.concatenate([task.values for task in tasks]),
        centres=np.concatenate([task.centres for task in tasks]),
        covariance=np.asarray(block_diag(*(task.covariance for task in tasks)), dtype=np.float64),
        freedom=np.concatenate([task.freedom for task in tasks]),
        items=sum(task.items for task in tasks),
    )


def simultaneous(found: Moments, level: float = 0.95, seed: int = 0) -> Together:
    """All differences at once, by the largest of jointly normal statistics (max-T).

    Each arm is as many standard errors long as the largest of the |z| stays below in `level` of the cases, where all
    true differences are 0 and the z correlate as estimated: Hothorn, Bretz & Westfall 2008 (Biometrical Journal 50:346)
    section 3; for several groups against one control it is Dunnett's procedure. Correlated looks, as at the steps of
    one training run, cost less than Bonferroni's correction, which bounds it from above. A statistic of few items is
    held against Student's t instead of the normal, at the same tail: `benchmarks/coverage.py --steps`.

    Args:
        found: the differences' moments.
        level: of all intervals together.
        seed: of the draws.
    """
    errors = np.sqrt(np.diag(found.covariance))
    many = errors.size
    z = norm.isf(t.sf(np.abs(found.centres) / errors, found.freedom))
    p = np.minimum(1.0, many * 2 * norm.sf(z))
    critical = float(norm.isf((1 - level) / (2 * many)))
    if many > 1:
        largest = np.sort(_largest(found.covariance / np.outer(errors, errors), seed))
        critical = min(critical, float(np.quantile(largest, level)))
        hits = DRAWS - np.searchsorted(largest, z, side="left")
        p = np.minimum(p, (hits + 1) / (DRAWS + 1))
    arms = t.isf(norm.sf(critical), found.freedom) * errors
    low = np.minimum(found.values, np.maximum(-1.0, found.centres - arms))
    high = np.maximum(found.values, np.minimum(1.0, found.centres + arms))
    bounds = zip(found.values.tolist(), low.tolist(), high.tolist(), strict=True)
    return Together(
        estimates=tuple(Estimate(*three, found.items) for three in bounds),
        p=tuple(p.tolist()),
        errors=tuple(errors.tolist()),
        critical=critical,
    )


def _largest(correlation: NDArray[np.float64], seed: int) -> NDArray[np.float64]:
    """The largest |z| of each draw, shape [DRAWS]."""
    values, vectors = np.linalg.eigh(correlation)
    root = vectors * np.sqrt(np.clip(values, 0, None))
    normal = np.random.default_rng(seed).standard_normal((DRAWS, len(correlation)))
    return np.asarray(np.abs(normal @ root.T).max(axis=1))
