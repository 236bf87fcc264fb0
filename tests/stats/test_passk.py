from itertools import combinations

import numpy as np
import pytest

from evalsuite.stats.passk import pass_at_ks


def pass_at_k(n, c, k):
    return pass_at_ks(n, c, [k])[:, 0]


def by_enumeration(n: int, c: int, k: int) -> float:
    answers = [True] * c + [False] * (n - c)
    draws = list(combinations(answers, k))
    return sum(any(draw) for draw in draws) / len(draws)


@pytest.mark.parametrize("k", [1, 2, 5, 8])
def test_matches_every_subset_counted(k):
    pairs = [(n, c) for n in range(k, 9) for c in range(n + 1)]
    n, c = np.array(pairs).T
    assert pass_at_k(n, c, k) == pytest.approx([by_enumeration(*pair, k) for pair in pairs])


def test_known_values_and_large_counts():
    assert pass_at_k([10, 10, 10], [0, 3, 10], 1) == pytest.approx([0.0, 0.3, 1.0])
    assert pass_at_k([1024], [1], 512) == pytest.approx([0.5])


@pytest.mark.parametrize(
    ("n", "c", "k", "message"),
    [
        ([8, 4], [1, 1], 8, "Pass@8 needs 8 samples of every item, but an item has 4"),
        ([8], [1], 0, "k starts at 1"),
        ([8], [-1], 1, "fewer than none"),
        ([4], [5], 1, "more right samples than samples"),
        ([4, 4], [1], 1, "one number an item each"),
    ],
)
def test_undefined_is_refused(n, c, k, message):
    with pytest.raises(ValueError, match=message):
        pass_at_ks(n, c, [k])
