"""Where two Pass@k curves over the same items cross."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evalsuite.stats.passk import pass_at_ks


@dataclass(frozen=True, slots=True)
class Crossing:
    """The k from which the second curve stays on the other side of the first; None where the two do not cross.

    `low` and `high` bound the middle 95 % of the crossings among resampled items that cross; `share` is how many do.
    `second_ends_above` says which curve is higher at the largest k.
    """

    k: float | None
    low: float | None
    high: float | None
    share: float
    second_ends_above: bool
    largest: int


def crossing(
    first: tuple[ArrayLike, ArrayLike], second: tuple[ArrayLike, ArrayLike], draws: int = 2000, seed: int = 0
) -> Crossing:
    """The last crossing of the curves of k = 1 … the smallest n, interpolated on log k; items are resampled in pairs.

    Args:
        first: n and c of each item, both of shape [items].
        second: the same of the other side, in the same order of items.
        draws: bootstrap draws.
        seed: of the draws.

    Raises:
        ValueError: as `pass_at_ks`, or another number of items.
    """
    largest = int(min(np.min(first[0]), np.min(second[0])))
    ks = list(range(1, largest + 1))
    differences = pass_at_ks(*second, ks) - pass_at_ks(*first, ks)
    items = len(differences)
    weights = np.random.default_rng(seed).multinomial(items, np.full(items, 1 / items), size=draws) / items
    found = np.array([_last(curve, ks) for curve in weights @ differences])
    seen = found[~np.isnan(found)]
    mean = differences.mean(axis=0)
    k = _last(mean, ks)
    low, high = (float(x) for x in np.quantile(seen, [0.025, 0.975])) if seen.size else (None, None)
    return Crossing(None if np.isnan(k) else k, low, high, seen.size / draws, bool(mean[-1] > 0), largest)


def _last(curve: NDArray[np.float64], ks: Sequence[int]) -> float:
    """Where the curve last changes its sign; NaN where it does not."""
    signs = np.sign(np.where(np.abs(curve) < 1e-12, 0, curve))
    told = np.flatnonzero(signs)
    changes = np.flatnonzero(np.diff(signs[told]))
    if not changes.size:
        return float("nan")
    before, after = told[changes[-1]], told[changes[-1] + 1]
    one, other = curve[before], curve[after]
    logs = np.log([ks[before], ks[after]])
    return float(np.exp(logs[0] + (logs[1] - logs[0]) * one / (one - other)))
