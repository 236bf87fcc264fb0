import numpy as np
import pytest
from scipy.stats import binomtest

from evalsuite.stats.intervals import Estimate, mean_interval, wilson


@pytest.mark.parametrize(("successes", "n"), [(0, 8), (1, 8), (23, 32), (90, 254), (30, 30), (700, 1319)])
@pytest.mark.parametrize("level", [0.9, 0.95])
def test_wilson_agrees_with_scipy(successes, n, level):
    reference = binomtest(successes, n).proportion_ci(level, method="wilson")
    estimate = wilson(successes, n, level)
    assert (estimate.low, estimate.high) == pytest.approx((reference.low, reference.high), abs=1e-12)


def test_one_sample_an_item_is_wilson():
    assert mean_interval([1, 0, 0, 1, 0, 0, 0, 0]) == wilson(2, 8)


@pytest.mark.parametrize("mean", [0.0, 0.01, 0.5, 1.0])
@pytest.mark.parametrize("n", [1, 2, 30])
def test_equal_items_still_leave_doubt(mean, n):
    estimate = mean_interval([mean] * n)
    assert 0 <= estimate.low <= mean <= estimate.high <= 1
    assert estimate.low < estimate.high


def test_more_samples_narrow_only_the_part_within_items():
    rng = np.random.default_rng(1)
    chances = rng.beta(1, 1, 500)
    once, often, always = (
        mean_interval(means) for means in (rng.binomial(1, chances), rng.binomial(64, chances) / 64, chances)
    )
    assert width(often) < 0.7 * width(once)
    assert width(often) == pytest.approx(width(always), rel=0.05)


@pytest.mark.parametrize(
    ("n", "samples", "least", "most"),
    [(30, 1, 0.91, 0.99), (30, 8, 0.95, 0.999), (200, 1, 0.92, 0.98), (200, 8, 0.94, 0.999)],
)
@pytest.mark.parametrize("accuracy", [0.02, 0.3, 0.9])
@pytest.mark.parametrize("concentration", [0.3, 2])
def test_coverage(n, samples, least, most, accuracy, concentration):
    rng = np.random.default_rng(7)
    chances = rng.beta(accuracy * concentration, (1 - accuracy) * concentration, (2000, n))
    runs = [mean_interval(means) for means in rng.binomial(samples, chances) / samples]
    covered = np.mean([run.low <= accuracy <= run.high for run in runs])
    print(f"n={n} K={samples} accuracy={accuracy} concentration={concentration}: {covered:.3f}")
    assert least <= covered <= most


@pytest.mark.parametrize("means", [[], [[0.5]], [1.2], [float("nan")]])
def test_what_is_no_mean_is_refused(means):
    with pytest.raises(ValueError, match="item"):
        mean_interval(means)


def test_an_impossible_share_is_refused():
    with pytest.raises(ValueError, match="5 out of 4"):
        wilson(5, 4)


def width(estimate: Estimate) -> float:
    return estimate.high - estimate.low
