"""Two levels of luck in a mean over items: which items were drawn, and how the samples of each fell."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np


@dataclass(frozen=True, slots=True)
class Spread:
    """The variance of 0/1 samples in its two parts, each estimated without bias.

    `between` is the variance of the items' success rates; being unbiased, it may fall a little below 0. `within` is the
    mean variance of one sample about its item's rate; None where no item has two samples, so that the parts cannot be
    told apart, and `between` holds both. `standard_error` is that of the mean over items, and clusters by item;
    `error_of_items` is what it would be with infinitely many samples of the same items.
    """

    items: int
    samples: float
    between: float
    within: float | None
    standard_error: float

    @property
    def error_of_items(self) -> float:
        """√(between / items): what no number of samples takes away."""
        return sqrt(max(0.0, self.between) / self.items)

    @property
    def error_of_samples(self) -> float | None:
        """What is left of the standard error without the items' part; None where the parts cannot be told apart."""
        return None if self.within is None else sqrt(max(0.0, self.standard_error**2 - self.error_of_items**2))


def spread(samples: Sequence[int], right: Sequence[int]) -> Spread | None:
    """The two levels behind a mean over items of each item's share of right samples.

    An item of n samples, c right, has within-variance c(n−c)/(n(n−1)), and its mean carries the n-th part of it. The
    variance of the item means less the mean of these parts is the variance between items (one-way random effects:
    Searle, Casella & McCulloch 1992, chapter 3; Miller 2024, arXiv 2411.00640, sections 2.2 and 3.1). Both estimates
    hold for unequal numbers of samples. The standard error is √(between/items + within/(items · samples)) where all
    items have as many samples, and the square root of the variance of the item means over the items always.

    Args:
        samples: each item's scored samples, at least 1, shape [items].
        right: how many of them are right, shape [items].

    Returns:
        None for fewer than two items: one item says nothing of how items differ.

    Raises:
        ValueError: shapes that differ, an item without samples, or more right than there are.
    """
    n, c = _checked(samples, right)
    if n.size < 2:
        return None
    several = n > 1
    variance = float((c / n).var(ddof=1))
    within = c[several] * (n - c)[several] / (n * (n - 1.0))[several]
    # An item of one sample says nothing of its own luck: it is given the mean of the others.
    typical = float(within.mean()) if within.size else 0.0
    carried = (float((within / n[several]).sum()) + typical * int((~several).sum())) / n.size
    return Spread(
        items=n.size,
        samples=float(n.mean()),
        between=variance - carried,
        within=typical if within.size else None,
        standard_error=sqrt(variance / n.size),
    )


def _checked(samples: Sequence[int], right: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    n, c = np.asarray(samples, dtype=np.int64), np.asarray(right, dtype=np.int64)
    if n.ndim != 1 or n.shape != c.shape:
        raise ValueError(
            f"one number of samples and one of right ones an item, but the shapes are {n.shape}, {c.shape}"
        )
    if (n < 1).any() or (c < 0).any() or (c > n).any():
        raise ValueError("an item has no samples, or more right ones than samples")
    return n, c
