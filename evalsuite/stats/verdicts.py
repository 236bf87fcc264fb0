"""What a test says, in one word; and p-values corrected for how many there are."""

from collections.abc import Sequence
from enum import StrEnum

from statsmodels.stats.multitest import multipletests

MATTERS = 0.03
"""The difference that a test should have been able to show before its silence says anything: three points."""


class Word(StrEnum):
    """What can be said of a difference."""

    GAIN = "gain"
    LOSS = "loss"
    NO_DIFFERENCE = "no difference shown"
    TOO_SMALL = "too small to tell"


def verdict(difference: float, p: float, detectable: float, matters: float = MATTERS, alpha: float = 0.05) -> Word:
    """A gain or a loss where p ≤ alpha; else whether the silence means something.

    "Too small to tell" where a difference of `matters` would have been missed more often than the power behind
    `detectable` allows; "no difference shown" where it would have been seen.

    Args:
        difference: theirs less ours, a fraction.
        p: two-sided, corrected where there are several.
        detectable: the smallest effect that the test shows (`power.detectable_effect`), a fraction.
        matters: the size of a difference that anyone would care for, a fraction.
        alpha: the level of the test.
    """
    if p <= alpha and difference != 0:
        return Word.GAIN if difference > 0 else Word.LOSS
    return Word.NO_DIFFERENCE if detectable <= matters else Word.TOO_SMALL


def holm(p_values: Sequence[float]) -> list[float]:
    """Step-down corrected p-values in the same order: the chance of any false alarm among them stays at alpha.

    Holm 1979, Scandinavian Journal of Statistics 6:65.
    """
    if not p_values:
        return []
    return [float(p) for p in multipletests(list(p_values), method="holm")[1]]
