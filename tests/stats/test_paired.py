import numpy as np
import pytest

from evalsuite.stats.averages import mean_of_differences
from evalsuite.stats.intervals import Estimate
from evalsuite.stats.paired import paired_difference


def test_the_table_by_hand():
    """Half a pair in each cell of (both, only first, only second, neither) = (10, 6, 2, 12), then Wald's interval."""
    first = np.repeat([1, 1, 0, 0], [10, 6, 2, 12])
    second = np.repeat([1, 0, 1, 0], [10, 6, 2, 12])
    b, c, n = 6.5, 2.5, 32
    half = 1.959964 * np.sqrt(b + c - (b - c) ** 2 / n) / n
    estimate = paired_difference(first, second)
    assert estimate.value == pytest.approx(4 / 30)
    assert (estimate.low, estimate.high) == pytest.approx(((b - c) / n - half, (b - c) / n + half), abs=1e-6)
    assert estimate.n == 30


def test_swapping_the_sides_turns_the_interval_round():
    rng = np.random.default_rng(0)
    first, second = rng.random((2, 50))
    ahead, behind = paired_difference(first, second), paired_difference(second, first)
    assert (ahead.value, ahead.low, ahead.high) == pytest.approx((-behind.value, -behind.high, -behind.low))


@pytest.mark.parametrize(("first", "second"), [(1, 0), (0, 1), (1, 1), (0.5, 0.5), (0.25, 0.75)])
@pytest.mark.parametrize("n", [1, 2, 30])
@pytest.mark.parametrize("level", [0.05, 0.95])
def test_equal_items_still_leave_doubt(first, second, n, level):
    estimate = paired_difference([first] * n, [second] * n, level)
    assert -1 <= estimate.low <= first - second <= estimate.high <= 1
    assert estimate.low < estimate.high


def test_pairing_narrows_where_the_items_decide():
    rng = np.random.default_rng(0)
    chances = rng.beta(0.3, 0.3, 300)
    first, second = rng.binomial(4, chances) / 4, rng.binomial(4, chances) / 4
    paired, shuffled = paired_difference(first, second), paired_difference(first, rng.permutation(second))
    assert paired.high - paired.low < 0.6 * (shuffled.high - shuffled.low)


@pytest.mark.parametrize("n", [30, 100, 500])
@pytest.mark.parametrize("samples", [1, 4])
@pytest.mark.parametrize(("first", "second"), [(0.05, 0.05), (0.3, 0.25), (0.6, 0.4), (0.9, 0.9), (0.9, 0.7)])
@pytest.mark.parametrize("correlated", [True, False])
def test_coverage(n, samples, first, second, correlated):
    """Items' success rates are Beta-distributed; a correlated pair lies at the same quantile of both."""
    rng = np.random.default_rng(5)
    ladders = [np.sort(rng.beta(2 * p, 2 * (1 - p), 4000)) for p in (first, second)]
    one = rng.integers(0, 4000, (1000, n))
    other = one if correlated else rng.integers(0, 4000, (1000, n))
    scores = [rng.binomial(samples, ladder[at]) / samples for ladder, at in zip(ladders, (one, other), strict=True)]
    truth = ladders[0].mean() - ladders[1].mean()
    runs = [paired_difference(*pair) for pair in zip(*scores, strict=True)]
    covered = np.mean([run.low <= truth <= run.high for run in runs])
    print(f"n={n} K={samples} {first} − {second} correlated={correlated}: {covered:.3f}")
    assert covered >= 0.93
    if n * min(first, 1 - first) >= 25:
        assert covered <= 0.98


def test_an_average_of_differences_keeps_their_sign():
    lost, won = Estimate(-0.4, -0.6, -0.1, 20), Estimate(0.2, 0.1, 0.4, 50)
    mean = mean_of_differences([lost, won])
    assert mean.value == pytest.approx(-0.1)
    assert mean.low == pytest.approx(-0.1 - np.hypot(0.1, 0.05))
    assert mean.high == pytest.approx(-0.1 + np.hypot(0.15, 0.1))
    assert mean.n == 70
    assert mean_of_differences([Estimate(-0.9, -1.0, -0.5, 3)]).low == -1.0


@pytest.mark.parametrize(
    ("first", "second", "level"),
    [([], [], 0.95), ([0.5], [0.5, 0.5], 0.95), ([[0.5]], [[0.5]], 0.95), ([1.2], [0.5], 0.95), ([0.5], [-1], 0.95),
     ([float("nan")], [0.5], 0.95), ([0.5], [0.5], 1.0)],
)  # fmt: skip
def test_what_is_no_pair_of_means_is_refused(first, second, level):
    with pytest.raises(ValueError, match=r"item|level"):
        paired_difference(first, second, level)
