import numpy as np
import pytest

from evalsuite.stats.averages import weighted_mean
from evalsuite.stats.intervals import Estimate, wilson


def test_the_bounds_by_hand():
    small, large = Estimate(0.2, 0.1, 0.5, 10), Estimate(0.6, 0.56, 0.68, 100)
    mean = weighted_mean([small, large])
    assert mean.value == pytest.approx(0.4)
    assert mean.low == pytest.approx(0.4 - np.hypot(0.05, 0.02))
    assert mean.high == pytest.approx(0.4 + np.hypot(0.15, 0.04))
    assert mean.n == 110


def test_published_difference_is_recovered():
    """56/70 against 48/80, the worked example of Newcombe 1998 (Statistics in Medicine 17:873), method 10."""
    first, second = wilson(56, 70), wilson(48, 80)
    negated = Estimate(1 - second.value, 1 - second.high, 1 - second.low, 80)
    mean = weighted_mean([first, negated])
    assert 2 * mean.value - 1 == pytest.approx(0.2)
    assert (2 * mean.low - 1, 2 * mean.high - 1) == pytest.approx((0.0524, 0.3339), abs=5e-5)


def test_one_estimate_is_its_own_average_and_weights_are_shares():
    one, other = wilson(3, 8), wilson(5, 8)
    alone, weighted = weighted_mean([one]), weighted_mean([one, other], [3, 1])
    assert (alone.value, alone.low, alone.high) == pytest.approx((one.value, one.low, one.high))
    assert weighted.value == pytest.approx(0.75 * one.value + 0.25 * other.value)


def test_coverage_of_an_average_of_eight():
    rng = np.random.default_rng(3)
    sizes, chances = [30, 83, 254, 32, 200, 500, 198, 60], [0.05, 0.4, 0.5, 0.6, 0.9, 0.7, 0.25, 0.1]
    runs = [
        weighted_mean([wilson(int(c), n) for c, n in zip(rng.binomial(sizes, chances), sizes, strict=True)])
        for _ in range(2000)
    ]
    covered = np.mean([run.low <= np.mean(chances) <= run.high for run in runs])
    print(f"average of eight: {covered:.3f}")
    assert 0.93 <= covered <= 0.97


@pytest.mark.parametrize(("count", "weights"), [(0, None), (2, [1.0]), (2, [0.0, 0.0]), (2, [2.0, -1.0])])
def test_what_cannot_be_averaged_is_refused(count, weights):
    with pytest.raises(ValueError, match="cannot average"):
        weighted_mean([wilson(1, 2)] * count, weights)
