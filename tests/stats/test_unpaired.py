"""Two counts over the same items of which the pairing is not known."""

from itertools import product

import numpy as np
import pytest
from scipy.stats import binom, fisher_exact

from evalsuite.stats.tests import mcnemar_mid_p
from evalsuite.stats.unpaired import unpaired


def test_the_interval_is_made_of_both_sides_wilson_limits():
    """Newcombe 1998 (Statistics in Medicine 17:873), method 10."""
    found = unpaired(48, 56, 80)
    z, n = 1.959964, 80

    def wilson(p: float) -> tuple[float, float]:
        centre, half = p + z * z / (2 * n), z * (p * (1 - p) / n + z * z / (4 * n * n)) ** 0.5
        return (centre - half) / (1 + z * z / n), (centre + half) / (1 + z * z / n)

    p1, p2 = 56 / 80, 48 / 80
    (l1, u1), (l2, u2) = wilson(p1), wilson(p2)
    low = p1 - p2 - ((p1 - l1) ** 2 + (u2 - p2) ** 2) ** 0.5
    high = p1 - p2 + ((u1 - p1) ** 2 + (p2 - l2) ** 2) ** 0.5
    assert (found.difference.low, found.difference.high) == pytest.approx((low, high), abs=1e-6)


@pytest.mark.parametrize("n", [5, 12])
def test_the_pairings_bound_every_overlap_that_the_counts_allow(n: int):
    for first, second in product(range(n + 1), repeat=2):
        shares = range(max(0, first + second - n), min(first, second) + 1)
        every = [mcnemar_mid_p(second - shared, first - shared) for shared in shares]
        found = unpaired(first, second, n)
        assert found.best == pytest.approx(min(every))
        assert found.worst == pytest.approx(max(every))


@pytest.mark.parametrize(("n", "share"), [(32, 0.7), (83, 0.1), (400, 0.5)])
def test_equal_sides_are_told_apart_as_seldom_as_promised(n: int, share: float):
    rng = np.random.default_rng(0)
    pairs = rng.binomial(n, share, (400, 2))
    assert np.mean([unpaired(int(a), int(b), n).p <= 0.05 for a, b in pairs]) < 0.08


def test_boschloo_is_never_above_fisher():
    for first, second in ((3, 9), (10, 20), (0, 4)):
        table = [[first, second], [30 - first, 30 - second]]
        assert unpaired(first, second, 30).p <= fisher_exact(table).pvalue + 1e-9


def test_equal_counts_say_nothing_and_all_right_stays_within_bounds():
    equal = unpaired(7, 7, 30)
    assert equal.p == 1.0
    assert equal.difference.low < 0 < equal.difference.high
    extreme = unpaired(0, 30, 30)
    assert extreme.difference.value == 1.0
    assert -1 <= extreme.difference.low < extreme.difference.high <= 1
    assert extreme.p < 1e-6
    assert extreme.worst == pytest.approx(2 * binom.cdf(0, 30, 0.5) - binom.pmf(0, 30, 0.5))


@pytest.mark.parametrize(("first", "second", "n"), [(1, 1, 0), (-1, 1, 5), (1, 6, 5)])
def test_what_are_no_counts(first: int, second: int, n: int):
    with pytest.raises(ValueError, match="no counts"):
        unpaired(first, second, n)
