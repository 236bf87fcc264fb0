"""Pass@k: how likely at least one of k answers is right, estimated without bias from n ≥ k answers per item."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evalsuite.stats.intervals import Estimate, mean_interval


def pass_at_k(n: ArrayLike, c: ArrayLike, k: int) -> NDArray[np.float64]:
    """Per item, 1 − C(n−c, k) / C(n, k), as the product of (n−c−j)/(n−j) over j = 0 … k−1.

    Chen et al. 2021 (arXiv 2107.03374), equation 1; the product needs no large binomials.

    Args:
        n: samples of each item, integers of shape [items].
        c: right ones among them, the same shape.
        k: how many answers one may give.

    Returns:
        Fractions in [0, 1], shape [items].

    Raises:
        ValueError: k < 1, k > n for some item (Pass@k is not defined there), or not 0 ≤ c ≤ n.
    """
    total, right = np.asarray(n, dtype=np.int64), np.asarray(c, dtype=np.int64)
    if total.ndim != 1 or total.shape != right.shape:
        raise ValueError(
            f"n and c must be one number an item each, but their shapes are {total.shape} and {right.shape}"
        )
    if ((right < 0) | (right > total)).any():
        raise ValueError("an item has more right samples than samples, or fewer than none")
    if k < 1:
        raise ValueError(f"Pass@{k} is not defined: k starts at 1")
    if (total < k).any():
        raise ValueError(f"Pass@{k} needs {k} samples of every item, but an item has {total.min()}")
    j = np.arange(k)
    wrong = np.maximum((total - right)[:, None] - j, 0)
    return np.asarray(1.0 - np.prod(wrong / (total[:, None] - j), axis=1))


def mean_pass_at_k(n: ArrayLike, c: ArrayLike, k: int, level: float = 0.95) -> Estimate:
    """The plain mean of `pass_at_k` over items, with the interval that any mean over items gets (`mean_interval`).

    Raises:
        ValueError: as `pass_at_k`, or no items.
    """
    return mean_interval(pass_at_k(n, c, k), level)
