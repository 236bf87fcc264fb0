"""The two levels of luck against simulation."""

import numpy as np
import pytest

from evalsuite.stats.levels import spread


def simulated(rng: np.random.Generator, items: int, samples: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Items with success rates from Beta(1, 2): variance 1/18 between, 1/6 within."""
    return samples, rng.binomial(samples, rng.beta(1, 2, items))


@pytest.mark.parametrize("samples", [[2] * 40, [8] * 40, [1, 2, 3, 16] * 10], ids=["2", "8", "mixed"])
def test_both_parts_are_unbiased_and_the_standard_error_is_what_repeats_show(samples: list[int]):
    rng = np.random.default_rng(0)
    draws = [simulated(rng, 40, np.array(samples)) for _ in range(4000)]
    found = [spread(*draw) for draw in draws]
    assert np.mean([one.between for one in found]) == pytest.approx(1 / 18, rel=0.04)
    assert np.mean([one.within for one in found]) == pytest.approx(1 / 6, rel=0.02)
    repeated = np.std([(c / n).mean() for n, c in draws])
    assert np.sqrt(np.mean([one.standard_error**2 for one in found])) == pytest.approx(repeated, rel=0.04)


def test_more_samples_shrink_one_part_alone():
    rng = np.random.default_rng(1)
    few, many = (spread(*simulated(rng, 20_000, np.full(20_000, samples))) for samples in (4, 64))
    assert many.error_of_items == pytest.approx(few.error_of_items, rel=0.05)
    assert many.error_of_samples == pytest.approx(few.error_of_samples / 4, rel=0.05)


def test_parts_worked_out_by_hand():
    one = spread([2, 2], [1, 2])
    assert one.within == pytest.approx((1 / 2 + 0) / 2)
    assert one.between == pytest.approx(1 / 8 - 1 / 8)
    assert one.standard_error == pytest.approx(1 / 4)


def test_single_samples_cannot_be_told_apart():
    one = spread([1, 1, 1, 1], [1, 0, 0, 0])
    assert one.within is None
    assert one.error_of_samples is None
    assert one.between == pytest.approx(0.25)
    assert spread([4], [1]) is None


@pytest.mark.parametrize("counts", [([4, 4], [1]), ([0, 4], [0, 1]), ([4, 4], [5, 1]), ([4, 4], [-1, 1])])
def test_impossible_counts_are_refused(counts):
    with pytest.raises(ValueError, match="an item"):
        spread(*counts)
