"""maj@k: how likely the most frequent of k answers is right, over all subsets of k of an item's samples."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb

import numpy as np
from numpy.typing import NDArray

EXACT = 32
"""Up to so many samples of an item, all subsets are counted."""
DRAWS = 4000
"""Beyond, so many subsets are drawn: an item's value is then known to within 0.8 points (one standard error)."""


@dataclass(frozen=True, slots=True)
class Votes:
    """How an item's samples voted: `right` for the right answer, `wrong` for each wrong one, `silent` for none."""

    right: int
    wrong: tuple[int, ...]
    silent: int = 0

    @property
    def n(self) -> int:
        """All samples of the item."""
        return self.right + sum(self.wrong) + self.silent


def majority_at_k(items: Sequence[Votes], k: int, seed: int = 0) -> NDArray[np.float64]:
    """Per item, the mean over all subsets of k samples of whether its most frequent answer is right.

    A tie counts as the share of the tied answers that is right: 1 of 3, one third. Samples without an answer do not
    vote; where none votes, the subset is wrong. Majority voting is that of Wang et al. 2022 (arXiv 2203.11171).

    Returns:
        Fractions in [0, 1], shape [items].

    Raises:
        ValueError: k < 1, or k above an item's samples.
    """
    if k < 1:
        raise ValueError(f"maj@{k} is not defined: k starts at 1")
    if fewest := next((votes.n for votes in items if votes.n < k), None):
        raise ValueError(f"maj@{k} needs {k} samples of every item, but an item has {fewest}")
    rng = np.random.default_rng(seed)
    return np.array([_counted(votes, k) if votes.n <= EXACT else _drawn(votes, k, rng) for votes in items])


def _counted(votes: Votes, k: int) -> float:
    """For each number r of right votes: the ways in which no other answer has more, by how many have as many."""
    wins = 0.0
    for r in range(1, min(votes.right, k) + 1):
        ways = np.zeros((k // r + 1, k - r + 1))  # by answers that tie, by samples taken
        ways[0, 0] = 1
        for size in votes.wrong:
            ways = _with_answer(ways, size, r)
        ways = _with_silent(ways, votes.silent)
        shares = ways[:, k - r] / (1 + np.arange(ways.shape[0]))
        wins += comb(votes.right, r) * float(shares.sum())
    return wins / comb(votes.n, k)


def _with_answer(ways: NDArray[np.float64], size: int, most: int) -> NDArray[np.float64]:
    """One more answer with so many votes, of which at most `most` are taken; exactly `most` is a tie."""
    found = np.zeros_like(ways)
    taken = ways.shape[1]
    for j in range(min(size, most, taken - 1) + 1):
        step = comb(size, j) * ways[:, : taken - j]
        if j == most:
            found[1:, j:] += step[:-1]
        else:
            found[:, j:] += step
    return found


def _with_silent(ways: NDArray[np.float64], silent: int) -> NDArray[np.float64]:
    found = np.zeros_like(ways)
    taken = ways.shape[1]
    for j in range(min(silent, taken - 1) + 1):
        found[:, j:] += comb(silent, j) * ways[:, : taken - j]
    return found


def _drawn(votes: Votes, k: int, rng: np.random.Generator) -> float:
    if votes.right == 0:
        return 0.0
    taken = rng.multivariate_hypergeometric([votes.right, *votes.wrong, votes.silent], k, size=DRAWS)[:, :-1]
    top = taken.max(axis=1)
    tied = (taken == top[:, None]).sum(axis=1)
    return float(((taken[:, 0] == top) & (top > 0)) @ (1 / tied)) / DRAWS
