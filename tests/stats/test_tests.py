"""Paired tests against enumeration, binomials by hand, and simulation."""

from itertools import product
from math import comb

import numpy as np
import pytest

from evalsuite.baselines.evidence import Differences, evidence_of_average, evidence_of_tasks
from evalsuite.stats.tests import mcnemar_mid_p, paired_p, sign_flip_p, with_doubt
from evalsuite.stats.verdicts import Word


def by_enumeration(steps: np.ndarray) -> float:
    seen = abs(steps.sum())
    sums = [abs(sum(s * d for s, d in zip(signs, steps, strict=True))) for signs in product((-1, 1), repeat=len(steps))]
    return sum(value >= seen - 1e-12 for value in sums) / len(sums)


@pytest.mark.parametrize(("b", "c"), [(1, 9), (0, 5), (4, 4), (12, 3), (0, 0)])
def test_mid_p_by_binomials(b: int, c: int):
    n, fewer = b + c, min(b, c)
    tail = sum(comb(n, i) for i in range(fewer)) + comb(n, fewer) / 2
    assert mcnemar_mid_p(b, c) == pytest.approx(min(1, 2 * tail / 2**n))


def test_mid_p_of_one_against_nine():
    # 2 x (1 + 10/2) / 1024
    assert mcnemar_mid_p(1, 9) == pytest.approx(12 / 1024)


def test_sign_flips_are_all_counted_where_few_items_differ():
    rng = np.random.default_rng(3)
    differences = rng.integers(-4, 6, 10) / 8
    assert sign_flip_p([differences]) == pytest.approx(by_enumeration(differences))
    first, second = differences[:4], differences[4:]
    weighted = np.concatenate([0.5 * first / 4, 0.5 * second / 6])
    assert sign_flip_p([first, second]) == pytest.approx(by_enumeration(weighted))


def test_drawn_flips_agree_with_the_normal_tail():
    differences = np.random.default_rng(4).normal(0.02, 0.2, 400).round(3)
    z = differences.sum() / np.sqrt((differences**2).sum())
    from scipy.stats import norm

    assert sign_flip_p([differences]) == pytest.approx(2 * norm.sf(abs(z)), abs=0.01)


def test_right_and_wrong_take_mcnemar_and_shares_take_flips():
    assert paired_p([1, 1, 1, 1, -1, 0]) == mcnemar_mid_p(4, 1)
    shares = np.array([0.5, 0.25, 0.125, -0.5, 0.0])
    assert paired_p(shares) == pytest.approx(by_enumeration(shares[:4]))


def test_doubt_makes_p_that_of_the_wider_interval():
    assert with_doubt(0.05, 1.0) == pytest.approx(0.05)
    assert with_doubt(0.05, 1.5) == pytest.approx(0.1913, abs=1e-4)  # z = 1.96 / 1.5


@pytest.mark.slow
@pytest.mark.parametrize("samples", [1, 8])
def test_equal_models_raise_false_alarms_at_the_nominal_rate(samples: int):
    rng = np.random.default_rng(5)
    alarms = 0
    for _ in range(1000):
        rates = rng.beta(0.6, 1.4, 60)
        first, second = rng.binomial(samples, rates) / samples, rng.binomial(samples, rates) / samples
        alarms += paired_p(second - first) <= 0.05
    assert alarms / 1000 <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 1000)


@pytest.mark.slow
def test_the_detectable_effect_is_detected_in_four_of_five_cases():
    rng = np.random.default_rng(6)
    seen, runs = 0, 400
    rates = rng.beta(1, 1, 500) * 0.8
    base = rng.binomial(8, rates, (200, 500)) / 8
    error = np.sqrt(2 * ((rates * (1 - rates)) / 8).mean() / 500)
    lift = 2.802 * error
    for run in range(runs):
        other = rng.binomial(8, rates + lift) / 8
        seen += paired_p(other - base[run % 200]) <= 0.05
    assert seen / runs == pytest.approx(0.8, abs=0.07)


def test_tasks_are_corrected_and_the_average_is_not():
    clear, none = Differences(np.array([1.0] * 9 + [-1.0])), Differences(np.array([1.0, -1.0, 0, 0]))
    first, gone, second = evidence_of_tasks([clear, None, none], 0.03)
    assert gone is None
    assert first is not None
    assert second is not None
    assert first.p == pytest.approx(2 * (1 + 10 / 2) / 1024)
    assert first.adjusted == pytest.approx(2 * first.p)
    assert (first.word, second.word) == (Word.GAIN, Word.TOO_SMALL)
    average = evidence_of_average([clear, none], 0.03)
    assert average is not None
    assert average.p == average.adjusted
    assert evidence_of_average([clear, None], 0.03) is None
