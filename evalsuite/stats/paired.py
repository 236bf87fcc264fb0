"""How sure a difference of two means over the same items is."""

from math import sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evalsuite.stats.intervals import Estimate


def paired_difference(first: ArrayLike, second: ArrayLike, level: float = 0.95) -> Estimate:
    """The mean over items of first − second, a fraction in [−1, 1], with an interval that pairs the items.

    Wald's interval of the padded differences (`padded`), so that it never has zero width. The value itself is the plain
    mean.

    Args:
        first: each item's mean, shape [items], in [0, 1].
        second: the same of the other side, in the same order of items.
        level: confidence level.

    Raises:
        ValueError: no items, shapes that differ, a mean outside [0, 1], or a level outside (0, 1).
    """
    one, other = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if one.ndim != 1 or one.size == 0 or one.shape != other.shape:
        raise ValueError(f"a paired difference needs two means an item, but the shapes are {one.shape}, {other.shape}")
    if not ((one >= 0) & (one <= 1) & (other >= 0) & (other <= 1)).all():
        raise ValueError("an item's mean lies outside [0, 1]")
    return interval_of_differences(one - other, level)


def interval_of_differences(differences: ArrayLike, level: float = 0.95, largest: float = 1.0) -> Estimate:
    """The same of differences themselves: fractions in [−largest, largest], shape [items].

    Raises:
        ValueError: no items, a difference out of range, or a level outside (0, 1).
    """
    scaled = np.asarray(differences, dtype=np.float64) / largest
    if scaled.ndim != 1 or scaled.size == 0 or not (np.abs(scaled) <= 1 + 1e-9).all():
        raise ValueError(f"one difference an item within ±{largest:g} is needed, but the shape is {scaled.shape}")
    if not 0 < level < 1:
        raise ValueError(f"a confidence level lies between 0 and 1, not {level}")
    centre, variance = (float(moment) for moment in padded(scaled))
    half = NormalDist().inv_cdf((1 + level) / 2) * sqrt(variance / (scaled.size + 2))
    value = float(scaled.mean())
    low, high = min(value, max(-1.0, centre - half)), max(value, min(1.0, centre + half))
    return Estimate(largest * value, largest * low, largest * high, scaled.size)


def padded(differences: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The mean and the variance of differences after two made-up items joined them, so that few do not look certain.

    Agresti & Min 2005 (Statistics in Medicine 24:729) add half a pair to each of the four cells of the paired
    two-by-two table. In differences these are one item of 0, half an item of +1 and half an item of −1, which reads
    the same for means of several samples.

    Args:
        differences: in [−1, 1], shape [..., items].

    Returns:
        Two arrays of shape [...]; the variance is above 0.
    """
    n = differences.shape[-1] + 2
    mean = differences.sum(axis=-1) / n
    return mean, (np.square(differences).sum(axis=-1) + 1) / n - np.square(mean)
