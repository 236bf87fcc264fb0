"""Intervals that hold for several differences at once."""

import numpy as np
import pytest
from scipy.stats import norm, t

from evalsuite.stats.paired import interval_of_differences
from evalsuite.stats.simultaneous import joined_moments, mean_moments, moments, simultaneous


@pytest.mark.parametrize("samples", [1, 4])
def test_a_single_difference_of_many_items_has_the_interval_that_it_has_alone(samples: int):
    differences = np.random.default_rng(0).integers(-4, 5, 5000) / 4
    together = simultaneous(moments([differences], samples))
    alone = interval_of_differences(differences, samples=samples)
    [estimate] = together.estimates
    assert (estimate.value, estimate.low, estimate.high) == pytest.approx(
        (alone.value, alone.low, alone.high), abs=1e-4
    )
    assert together.critical == pytest.approx(norm.isf(0.025))
    assert together.p[0] == pytest.approx(2 * norm.sf(abs((alone.high + alone.low) / 2) / together.errors[0]), rel=0.01)


def test_few_items_are_held_against_students_t():
    differences = np.array([1, 0, 1, 0, -1, 1, 0, 0, 0, 1.0])
    [estimate] = simultaneous(moments([differences])).estimates
    n = 12  # with two made-up items: one of 0, halves of +1 and -1
    centre, variance = 3 / n, (5 + 1) / n - (3 / n) ** 2
    half = t.isf(0.025, 9) * np.sqrt(variance / n)
    assert (estimate.value, estimate.low, estimate.high) == pytest.approx((0.3, centre - half, centre + half))


def test_unrelated_differences_cost_what_sidak_says_and_equal_ones_nothing():
    rng = np.random.default_rng(1)
    apart = rng.choice([-1.0, 0.0, 1.0], (8, 20_000))
    assert simultaneous(moments(apart)).critical == pytest.approx(norm.isf((1 - 0.95 ** (1 / 8)) / 2), abs=0.03)
    equal = np.repeat(rng.choice([-1.0, 0.0, 1.0], (1, 20_000)), 8, axis=0)
    assert simultaneous(moments(equal)).critical == pytest.approx(norm.isf(0.025), abs=0.03)


def test_p_and_interval_say_the_same():
    rng = np.random.default_rng(2)
    for shift in np.linspace(0, 0.12, 9):
        found = simultaneous(moments(rng.choice([-1.0, 0.0, 1.0], (4, 400), p=[0.2 - shift, 0.6, 0.2 + shift])))
        for estimate, p in zip(found.estimates, found.p, strict=True):
            if abs(p - 0.05) > 0.004:
                assert (p < 0.05) == (estimate.low > 0 or estimate.high < 0)


@pytest.mark.parametrize(("items", "samples"), [(30, 1), (30, 8), (200, 1)])
def test_all_intervals_hold_at_once(items: int, samples: int):
    """Six steps of which each keeps most items' success rates; two tasks; the truth is known."""
    rng = np.random.default_rng(3)
    held = []
    for _ in range(500):
        tasks, truth = [], []
        for _ in range(2):
            start = rng.beta(0.5, 1, items)
            steps = np.where(rng.random((6, items)) < 0.7, start, rng.beta(1, 1, (6, items)))
            truth.append(0.3 * (1 / 2 - 1 / 3))
            means = rng.binomial(samples, np.vstack([start, steps])) / samples
            tasks.append(moments(means[1:] - means[0], samples))
        average, cells = simultaneous(mean_moments(tasks)), simultaneous(joined_moments(tasks))
        held.append(
            (
                all(one.low <= np.mean(truth) <= one.high for one in average.estimates),
                all(one.low <= truth[0] <= one.high for one in cells.estimates),
            )
        )
    assert (np.mean(held, axis=0) > 0.93).all()


def test_intervals_stay_within_their_bounds_and_never_have_zero_width():
    for value in (-1.0, 0.0, 1.0):
        for estimate in simultaneous(moments(np.full((3, 5), value))).estimates:
            assert -1 <= estimate.low <= value <= estimate.high <= 1
            assert estimate.low < estimate.high


@pytest.mark.parametrize("bad", [[], [[]], [0.5, 0.5], [[1.5]]])
def test_what_is_no_set_of_differences(bad):
    with pytest.raises(ValueError, match="differences within"):
        moments(bad)
