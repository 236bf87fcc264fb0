"""Two models of known ability: what naive comparisons claim, and what is left when settings are chosen on other items.

Each model has eight settings: two prompts at four temperatures. The base model prefers prompt A, the trained one prompt
B. With the other prompt each loses ten points; temperatures change nothing. At its best, each model is as good as the
other, but for a true gain where one is asked for. Items differ in difficulty and in which of the models they suit.
"""

from collections.abc import Callable, Iterator
from functools import cache

import numpy as np
import pytest
from scipy.stats import norm

from evalsuite.baselines.choose import best, cross_fitted, spread
from evalsuite.stats.intervals import Estimate, widened
from evalsuite.stats.paired import paired_difference

pytestmark = pytest.mark.slow

DRAWS, ITEMS, TEMPERATURES, FOLDS = 2000, 200, 4, 5
BEST, LOSS, TRUE_GAIN = 0.45, 0.10, 0.05
NOMINAL, MARGIN = 0.95, 0.015
DIFFICULTY, SUITS = 1.2, 0.4
IN_A, IN_B = 0, TEMPERATURES

# One model's scores on choice items and on scored items, both of shape [settings, items].
Side = tuple[np.ndarray, np.ndarray]
Comparison = Callable[[Side, Side], Estimate]


@cache
def answers(gain: float) -> np.ndarray:
    """Right or wrong, one sample an item: shape [draws, base or trained, choice or scored items, settings, items]."""
    rng = np.random.default_rng(11)
    accuracy = np.repeat([[BEST, BEST - LOSS], [BEST + gain - LOSS, BEST + gain]], TEMPERATURES, axis=1)
    ease = DIFFICULTY * rng.standard_normal((DRAWS, 1, 2, 1, ITEMS), dtype=np.float32)
    suits = SUITS * rng.standard_normal((DRAWS, 2, 2, 1, ITEMS), dtype=np.float32)
    luck = rng.standard_normal((DRAWS, 2, 2, 2 * TEMPERATURES, ITEMS), dtype=np.float32)
    # The three add up to a normal variable of this s.d., so that the mean over all items is the accuracy exactly.
    threshold = norm.ppf(accuracy) * np.sqrt(DIFFICULTY**2 + SUITS**2 + 1)
    return ease + suits + luck + threshold[:, None, :, None].astype(np.float32) > 0


def draws(gain: float) -> Iterator[tuple[Side, Side]]:
    for base, trained in answers(gain):
        yield tuple(base.astype(float)), tuple(trained.astype(float))


def in_the_trained_models_prompt(base: Side, trained: Side) -> Estimate:
    return paired_difference(trained[1][IN_B], base[1][IN_B])


def trained_at_its_best_on_the_test_against_a_default(base: Side, trained: Side) -> Estimate:
    return paired_difference(trained[1][best(trained[1])], base[1][IN_A])


def both_chosen_on_dev(base: Side, trained: Side) -> Estimate:
    (base_dev, base_test), (trained_dev, trained_test) = base, trained
    return paired_difference(trained_test[best(trained_dev)], base_test[best(base_dev)])


def cross_fitted_sides(base: Side, trained: Side) -> tuple[Estimate, float]:
    """The plain paired interval, and by how much the folds' disagreement widens it."""
    scores, factor = [], 1.0
    for _, scored in (trained, base):
        settings = cross_fitted(scored, np.arange(ITEMS) % FOLDS)
        scores.append(scored[settings, np.arange(ITEMS)])
        factor = max(factor, spread(settings[:FOLDS].tolist()))
    return paired_difference(*scores), factor


def both_cross_fitted(base: Side, trained: Side) -> Estimate:
    return widened(*cross_fitted_sides(base, trained), least=-1.0)


def both_cross_fitted_as_if_independent(base: Side, trained: Side) -> Estimate:
    return cross_fitted_sides(base, trained)[0]


def over_all_draws(compare: Comparison, gain: float) -> tuple[float, float]:
    """The mean gain claimed, and how often the interval holds the true one."""
    runs = [compare(*sides) for sides in draws(gain)]
    claimed = float(np.mean([run.value for run in runs]))
    covered = float(np.mean([run.low <= gain <= run.high for run in runs]))
    print(
        f"{compare.__name__}, true gain {100 * gain:g}: claims {100 * claimed:.2f} points, covers {100 * covered:.1f} %"
    )
    return claimed, covered


@pytest.mark.parametrize(
    ("compare", "least"),
    [(in_the_trained_models_prompt, 0.09), (trained_at_its_best_on_the_test_against_a_default, 0.02)],
)
def test_naive_comparisons_claim_a_gain_where_there_is_none(compare, least):
    claimed, covered = over_all_draws(compare, gain=0.0)
    assert claimed >= least
    assert covered < NOMINAL - MARGIN


@pytest.mark.parametrize("compare", [both_chosen_on_dev, both_cross_fitted])
@pytest.mark.parametrize("gain", [0.0, TRUE_GAIN])
def test_best_against_best_tells_the_truth(compare, gain):
    claimed, covered = over_all_draws(compare, gain)
    assert claimed == pytest.approx(gain, abs=0.003)
    assert covered >= NOMINAL - MARGIN
    assert covered <= (NOMINAL + MARGIN if compare is both_chosen_on_dev else 0.985)  # safe where few settings tie


def test_without_widening_cross_fitting_is_too_sure_among_equals():
    """Four temperatures that tie make the folds' choices depend on one another."""
    _, covered = over_all_draws(both_cross_fitted_as_if_independent, gain=0.0)
    assert 0.80 <= covered < 0.92


def test_among_many_equal_settings_the_widened_interval_holds_its_level():
    """A whole grid that ties is where choices depend on one another most: what the widening is made for."""
    rng = np.random.default_rng(3)
    settings, items, covered = 24, 100, []
    for _ in range(1000):
        ease = DIFFICULTY * rng.standard_normal(items)
        base, trained = (
            (ease + SUITS * rng.standard_normal(items) + rng.standard_normal((settings, items)) > 0).astype(float)
            for _ in range(2)
        )
        scores, factor = [], 1.0
        for scored in (trained, base):
            chosen = cross_fitted(scored, np.arange(items) % FOLDS)
            scores.append(scored[chosen, np.arange(items)])
            factor = max(factor, spread(chosen[:FOLDS].tolist()))
        gain = widened(paired_difference(*scores), factor, least=-1.0)
        covered.append(gain.low <= 0 <= gain.high)
    assert NOMINAL <= np.mean(covered) <= 0.98
