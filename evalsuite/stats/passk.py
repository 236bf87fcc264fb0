"""Pass@k: how likely at least one of k answers is right, estimated without bias from n ≥ k answers per item."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evalsuite.stats.intervals import Estimate, wilson


def pass_at_ks(n: ArrayLike, c: ArrayLike, ks: Sequence[int]) -> NDArray[np.float64]:
    """Per item and k, 1 − C(n−c, k) / C(n, k), as the product of (n−c−j)/(n−j) over j = 0 … k−1.

    Chen et al. 2021 (arXiv 2107.03374), equation 1; the product needs no large binomials. Items with the same counts
    are worked out once.

    Args:
        n: samples of each item, integers of shape [items].
        c: right ones among them, the same shape.
        ks: how many answers one may give.

    Returns:
        Fractions in [0, 1], shape [items, ks].

    Raises:
        ValueError: k < 1, k > n for some item (Pass@k is not defined there), or not 0 ≤ c ≤ n.
    """
    total, right = _counts(n, c)
    _check_ks(total, ks)
    pairs, place = np.unique(np.stack([total, right]), axis=1, return_inverse=True)
    j = np.arange(max(ks, default=0))
    wrong = np.maximum((pairs[0] - pairs[1])[:, None] - j, 0)
    products = np.cumprod(wrong / np.maximum(pairs[0][:, None] - j, 1), axis=1)
    values: NDArray[np.float64] = 1.0 - products[:, np.asarray(ks, dtype=np.int64) - 1]
    return values[place.ravel()]


def resampled_means(values: ArrayLike, draws: int = 2000, seed: int = 0) -> NDArray[np.float64]:
    """Means over items drawn anew with replacement, the same items for every column: the item bootstrap.

    Items with equal values are drawn together, which changes nothing but the time it takes.

    Args:
        values: shape [items, columns].
        draws: how many.
        seed: of the draws.

    Returns:
        Shape [draws, columns].
    """
    distinct, counts = np.unique(np.asarray(values, dtype=np.float64), axis=0, return_counts=True)
    items = int(counts.sum())
    weights = np.random.default_rng(seed).multinomial(items, counts / items, size=draws) / items
    return np.asarray(weights @ distinct)


def cover_at(n: ArrayLike, c: ArrayLike, threshold: float, level: float = 0.95) -> Estimate:
    """Cover@τ: the share of items of which at least the share τ of the samples is right, with Wilson's interval.

    "Beyond Pass@k" (arXiv 2510.08325) defines it by an item's true success rate; c/n stands for that here, which few
    samples blur: an item near τ falls on either side.

    Raises:
        ValueError: τ outside (0, 1], no items, or not 0 ≤ c ≤ n.
    """
    total, right = _counts(n, c)
    if not 0 < threshold <= 1:
        raise ValueError(f"Cover@{threshold:g} is not defined: the threshold lies in (0, 1]")
    return wilson(int((right >= threshold * total - 1e-9).sum()), total.size, level)


def _counts(n: ArrayLike, c: ArrayLike) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    total, right = np.asarray(n, dtype=np.int64), np.asarray(c, dtype=np.int64)
    if total.ndim != 1 or total.shape != right.shape:
        raise ValueError(
            f"n and c must be one number an item each, but their shapes are {total.shape} and {right.shape}"
        )
    if ((right < 0) | (right > total)).any():
        raise ValueError("an item has more right samples than samples, or fewer than none")
    return total, right


def _check_ks(total: NDArray[np.int64], ks: Sequence[int]) -> None:
    for k in ks:
        if k < 1:
            raise ValueError(f"Pass@{k} is not defined: k starts at 1")
        if (total < k).any():
            raise ValueError(f"Pass@{k} needs {k} samples of every item, but an item has {total.min()}")
