"""maj@k, Pass@k for many k, Cover@τ and crossings against enumeration."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest

from evalsuite.stats.crossing import crossing
from evalsuite.stats.majority import Votes, majority_at_k
from evalsuite.stats.passk import cover_at, pass_at_ks, resampled_means


def by_enumeration(votes: Votes, k: int) -> float:
    answers = ["right"] * votes.right + [""] * votes.silent
    for number, size in enumerate(votes.wrong):
        answers += [str(number)] * size
    total, subsets = 0.0, list(combinations(range(len(answers)), k))
    for subset in subsets:
        tally = Counter(answers[i] for i in subset if answers[i])
        top = [answer for answer, count in tally.items() if count == max(tally.values())]
        total += (1 / len(top)) if "right" in top else 0
    return total / len(subsets)


CASES = [Votes(3, (2, 1), 1), Votes(2, (2, 2, 1)), Votes(0, (4,), 2), Votes(4, (), 4), Votes(1, (1, 1, 1, 1, 1, 1), 1)]


@pytest.mark.parametrize("k", [1, 2, 3, 5, 6])
@pytest.mark.parametrize("votes", CASES, ids=str)
def test_every_subset_counted(votes: Votes, k: int):
    assert majority_at_k([votes], k)[0] == pytest.approx(by_enumeration(votes, k))


def test_one_vote_is_accuracy_and_draws_agree_with_counting():
    assert majority_at_k([Votes(3, (2, 1), 2)], 1)[0] == pytest.approx(3 / 8)
    small, large = Votes(12, (9, 6), 4), Votes(24, (18, 12), 8)
    assert majority_at_k([large], 1)[0] == pytest.approx(24 / 62, abs=0.03)
    assert majority_at_k([small], 5)[0] == pytest.approx(majority_at_k([large], 5)[0], abs=0.04)


def test_too_many_votes_are_refused():
    with pytest.raises(ValueError, match="needs 9 samples"):
        majority_at_k([Votes(3, (5,))], 9)
    with pytest.raises(ValueError, match="starts at 1"):
        majority_at_k([Votes(3, (5,))], 0)


def test_many_ks_at_once_are_each_k_for_itself():
    rng = np.random.default_rng(0)
    n = rng.integers(16, 40, 50)
    c = rng.binomial(n, 0.2)
    ks = [1, 2, 7, 16]
    assert pass_at_ks(n, c, ks) == pytest.approx(np.concatenate([pass_at_ks(n, c, [k]) for k in ks], axis=1))


def test_resampled_means_have_the_spread_of_the_mean():
    values = np.random.default_rng(1).random((200, 2))
    means = resampled_means(values, 4000)
    assert means.mean(axis=0) == pytest.approx(values.mean(axis=0), abs=0.003)
    assert means.std(axis=0) == pytest.approx(values.std(axis=0) / np.sqrt(200), rel=0.05)


def test_cover_counts_items_at_or_above_the_threshold():
    assert cover_at([4, 4, 10], [2, 1, 10], 0.5).value == pytest.approx(2 / 3)
    with pytest.raises(ValueError, match="threshold"):
        cover_at([4], [1], 0)


def test_a_crossing_is_found_where_it_is():
    # 1/2 everywhere against all of half the items: above from the start; at k=1 equal, never below.
    n = np.full(40, 16)
    sure = np.repeat([16, 0], 20)
    even = np.full(40, 6)
    found = crossing((n, sure), (n, even))
    # 3/8 against 1/2 at k=1; at k=2 1 - (10 x 9)/(16 x 15) = 0.625 against 0.5.
    assert found.k == pytest.approx(2**0.5)
    assert found.second_ends_above
    assert found.share > 0.8
    assert found.low is not None
    assert found.low <= found.k
    same = crossing((n, even), (n, even))
    assert (same.k, same.share) == (None, 0)
