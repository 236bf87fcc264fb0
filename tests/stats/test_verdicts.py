import pytest
from statsmodels.stats.power import NormalIndPower

from evalsuite.stats.power import detectable_effect
from evalsuite.stats.verdicts import Word, holm, verdict


def test_holm_by_hand():
    # 3 x 0.01, then max(0.03, 2 x 0.03), then max(0.06, 1 x 0.04), in the order given.
    assert holm([0.04, 0.01, 0.03]) == pytest.approx([0.06, 0.03, 0.06])
    assert holm([0.6, 0.9]) == [1.0, 1.0]
    assert holm([]) == []


@pytest.mark.parametrize(
    ("difference", "p", "detectable", "said"),
    [
        (0.05, 0.01, 0.10, Word.GAIN),
        (-0.05, 0.05, 0.01, Word.LOSS),
        (0.05, 0.051, 0.02, Word.NO_DIFFERENCE),
        (0.05, 0.051, 0.031, Word.TOO_SMALL),
        (0.0, 0.0, 0.01, Word.NO_DIFFERENCE),
    ],
)
def test_the_word(difference, p, detectable, said):
    assert verdict(difference, p, detectable) is said


def test_the_detectable_effect_is_that_of_statsmodels():
    # One sample z-test with sd 1 and n = 400: se = 1/20.
    effect = NormalIndPower(ddof=0).solve_power(nobs1=400, alpha=0.05, power=0.8, ratio=0)
    assert detectable_effect(1 / 20) == pytest.approx(effect, rel=1e-3)
    with pytest.raises(ValueError, match="no effect follows"):
        detectable_effect(-1)
