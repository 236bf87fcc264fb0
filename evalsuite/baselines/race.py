"""Racing a grid: cells that can no longer win are dropped early, and the tokens they would have cost are saved.

A cell is what costs tokens; its readings (token limits, parsers) are free. The grid would be measured on `total` items,
which come in random order, so that those seen are a sample without replacement of all. After a growing number of items
(`rounds`) each setting, a cell with one of its readings, is held against the leading one by paired differences, and a
cell is dropped when none of its settings is likely to be ahead once all items are seen: stochastic curtailment (Lan,
Simon & Halperin 1982, Communications in Statistics C 1:207) of a race (Maron & Moore 1993, NIPS 6; F-Race: Birattari et
al. 2002, GECCO).

The constants were set by `benchmarks/racing.py --synthetic` (24 cells of 9 readings, best accuracy 0.2 to 0.7, 100 to
400 items, 200 replays each). Where a few cells are close to the best and the rest 5 to 40 points below, the race made
the full grid's choice in 99 % or more and saved 62 to 77 % of the tokens (best 0.2: 42 to 64 %). Where all cells are
equal or within 4 points, it made it in 97 % or more and saved 15 to 55 %. With an error of 0.01 it would save 5 points
more of the first kind, but equal cells sank to 94 %.
"""

from dataclasses import dataclass
from itertools import pairwise
from math import sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from evalsuite.baselines.choose import TIE, Indices, Scores, best
from evalsuite.stats.paired import padded

ERROR = 0.002
FIRST_SHARE, FEWEST, GROWTH = 1 / 8, 12, sqrt(2)

Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Replay:
    """What a race over a grid that was measured in full would have chosen, and at what cost.

    `chosen` is a cell and a reading, `same` whether the full grid chooses both too, `spent` the share of the full
    grid's tokens, and `shortfall` how much less the choice scores on all items than the full grid's, a fraction of 1.
    """

    chosen: tuple[int, int]
    same: bool
    spent: float
    shortfall: float


def survivors(scores: Scores, total: int, error: float = ERROR) -> Flags:
    """Which cells may still hold the best setting once all items are seen; the leader's is always among them.

    Args:
        scores: of the items seen so far, shape [cells, readings, items], in [0, 1]; NaN where a cell is out already.
        total: how many items the whole grid has.
        error: the probability of overtaking the leader below which a setting is given up, under 0.5.

    Returns:
        Shape [cells].

    Raises:
        ValueError: the shape is another, more items than `total`, or no setting has all scores.
    """
    cells, readings, n = scores.shape
    contenders = _contenders(scores.reshape(-1, n), total, error).reshape(cells, readings)
    return np.asarray(contenders.any(axis=1))


def is_over(scores: Scores, total: int, error: float = ERROR) -> bool:
    """Whether a single setting is left, so that more items would not change the choice. Arguments as for `survivors`.

    The last cell alone does not end the race: its readings may still change places.
    """
    return int(_contenders(scores.reshape(-1, scores.shape[2]), total, error).sum()) == 1


def _contenders(settings: Scores, total: int, error: float) -> Flags:
    """The lead on all items, given that on n of them, is normal with the variance s²·(1/n − 1/total) about it."""
    n = settings.shape[1]
    if n > total:
        raise ValueError(f"{n} items were seen of only {total}")
    lead, variance = padded(settings[best(settings)] - settings)
    reach = NormalDist().inv_cdf(1 - error) * np.sqrt(variance * (1 / n - 1 / total))
    contenders: Flags = lead <= reach + TIE
    return contenders


def rounds(total: int) -> list[int]:
    """After how many items one looks: an eighth of them but at least a dozen, then √2 times as many, at last all.

    Raises:
        ValueError: no items.
    """
    if total < 1:
        raise ValueError("a race over no items")
    looks, n = [], max(FEWEST, FIRST_SHARE * total)
    while n < 0.9 * total:
        looks.append(round(n))
        n *= GROWTH
    return [*looks, total]


def replay(scores: Scores, cost: NDArray[np.number], order: Indices, error: float = ERROR) -> Replay:
    """Race over a grid whose scores are all known, its items in the given order.

    Args:
        scores: shape [cells, readings, items], none missing.
        cost: tokens, shape [cells, items].
        order: the items as the race sees them, a permutation, shape [items].
        error: as for `survivors`.

    Raises:
        ValueError: the shapes do not fit, `order` is no permutation, or a score is missing.
    """
    cells, readings, total = scores.shape
    if cost.shape != (cells, total) or not np.array_equal(np.sort(order), np.arange(total)):
        raise ValueError(f"costs of shape {cost.shape} or the order do not fit scores of shape {scores.shape}")
    if np.isnan(scores).any():
        raise ValueError("only a grid without a missing score can be raced again")
    running, spent = np.ones(cells, dtype=np.bool_), 0.0
    for done, n in pairwise([0, *rounds(total)]):
        spent += float(cost[np.ix_(running, order[done:n])].sum())
        seen = np.where(running[:, None, None], scores[:, :, order[:n]], np.nan)
        running = survivors(seen, total, error)
        if is_over(seen, total, error):
            break
    chosen, winner = best(seen.reshape(-1, n)), best(scores.reshape(-1, total))
    means = scores.mean(axis=2).ravel()
    return Replay(
        chosen=(chosen // readings, chosen % readings),
        same=chosen == winner,
        spent=spent / float(cost.sum()),
        shortfall=float(means[winner] - means[chosen]),
    )
