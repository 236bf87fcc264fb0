"""How many samples and items a difference needs, against the worked examples of Miller 2024 (arXiv 2411.00640)."""

import numpy as np
import pytest

from evalsuite.stats.levels import spread
from evalsuite.stats.planning import (
    PairedVariance,
    error_of_mean,
    items_needed,
    samples_needed,
    smallest_effect,
    typical_variance,
    variance_from_one,
    variance_from_two,
)


def test_the_assumed_variances_are_those_of_the_worked_example():
    variance = typical_variance(198)
    assert variance.between == pytest.approx(1 / 9)
    assert variance.within == pytest.approx(1 / 6 + 1 / 6)


def test_three_points_need_969_items():
    assert items_needed(typical_variance(1), 0.03) == 969


def test_198_items_show_13_points_with_one_sample_and_8_with_ten():
    variance = typical_variance(198)
    assert smallest_effect([variance], 1) == pytest.approx(0.133, abs=0.001)
    assert smallest_effect([variance], 10) == pytest.approx(0.0757, abs=0.001)


def test_samples_needed_is_the_smallest_number_that_shows_the_effect():
    tasks = [typical_variance(items) for items in (500, 90, 1319)]
    needed = samples_needed(tasks, 0.06)
    assert smallest_effect(tasks, needed) <= 0.06 < smallest_effect(tasks, needed - 1)
    assert samples_needed(tasks, smallest_effect(tasks) * 0.99) is None
    assert samples_needed([PairedVariance(100, 0.0, 0.0)], 0.01) == 1


def test_the_error_of_a_mean_over_tasks_is_what_repeats_show():
    rng = np.random.default_rng(0)
    sizes, samples = (40, 200), 4

    def difference(items: int) -> float:
        rates = rng.beta(1, 2, (2, items))
        return float(np.subtract(*rng.binomial(samples, rates).mean(axis=1)) / samples)

    repeated = np.std([np.mean([difference(items) for items in sizes]) for _ in range(4000)])
    tasks = [PairedVariance(items, 2 / 18, 2 / 6) for items in sizes]
    assert error_of_mean(tasks, samples) == pytest.approx(repeated, rel=0.04)


def test_variances_of_runs_are_those_that_made_them():
    rng = np.random.default_rng(2)
    items, samples = 50_000, 8
    shared = rng.beta(1, 2, items)
    other = np.clip(shared + rng.normal(0, 0.05, items), 0, 1)
    right = [rng.binomial(samples, rates) for rates in (shared, other)]
    one, two = (spread([samples] * items, c) for c in right)
    pair = variance_from_two(30, one, two, (right[1] - right[0]) / samples)
    assert pair.items == 30
    assert pair.between == pytest.approx(np.var(other - shared), rel=0.25)
    assert pair.within == pytest.approx((shared * (1 - shared)).mean() + (other * (1 - other)).mean(), rel=0.02)
    assert variance_from_one(30, one).between == pytest.approx(2 * (1 / 18) * (2 / 3), rel=0.03)


def test_single_samples_are_shared_out_as_evenly_spread_rates_are():
    variance = variance_from_one(100, spread([1] * 4, [1, 1, 0, 0]))  # a variance of 1/3, and one typical item
    assert variance.between == pytest.approx((4 * 2 * (2 / 3) * (1 / 3) * (1 / 3) + 1 / 9) / 5)
    assert variance.within == pytest.approx((4 * 2 * (2 / 3) * (1 / 3) + 1 / 3) / 5)


def test_a_few_items_that_are_all_wrong_are_no_benchmark_without_variance():
    nothing = spread([4] * 16, [0] * 16)
    variance = variance_from_two(30, nothing, nothing, [0.0] * 16)
    assert variance.between == pytest.approx(1 / 9 / 17)
    assert variance.within == pytest.approx(1 / 3 / 17)
    assert smallest_effect([variance]) > 0.04
