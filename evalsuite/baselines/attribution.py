"""From the naive gain to the fair one: how much of it was format, parser, tokens, temperature, and how much is left."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import factorial

import numpy as np
from numpy.typing import NDArray

from evalsuite.protocol import Setting

FACTORS: dict[str, tuple[str, ...]] = {
    "parser": ("parser",),
    "format": ("prompt", "prompt_sha256", "chat", "shots"),
    "tokens": ("max_tokens",),
    "temperature": ("temperature", "top_p"),
}
"""What moves from the naive setting to a side's own, and the fields of a setting that it moves."""

Gain = Callable[[Mapping[str, Setting], Mapping[str, Setting]], NDArray[np.float64]]
"""The trained side's score less the start's, item by item, given the setting of each item on either side."""


@dataclass(frozen=True, slots=True)
class Attribution:
    """Shares of one gain, each with a value an item: `naive` + the sum of `parts` = `fair`, exactly, item by item.

    A part is negative where the naive comparison took it for a gain of the trained side. A factor that is the same in
    all settings has no part.
    """

    naive: NDArray[np.float64]
    parts: dict[str, NDArray[np.float64]]
    fair: NDArray[np.float64]


def attribute(
    naive: Mapping[str, Setting], start: Mapping[str, Setting], trained: Mapping[str, Setting], gain: Gain
) -> Attribution:
    """Divide the difference between the naive and the fair gain among the factors by their Shapley values.

    Shapley 1953 ("A value for n-person games", equation 12): the mean, over all orders in which the factors may be put
    right, of what each changes when its turn comes. So no order is preferred, and the parts add up exactly.

    Args:
        naive: the setting of each item in the naive comparison, the same on both sides.
        start: the setting of each item that the starting side chose.
        trained: the same of the trained side.
        gain: measures a pair of settings; NaN where an item was not generated under one of them.
    """
    moving = [
        factor
        for factor, fields in FACTORS.items()
        if any(
            getattr(naive[item], field) != getattr(side[item], field)
            for side in (start, trained)
            for item in naive
            for field in fields
        )
    ]
    value = {
        subset: gain(mixed(naive, start, subset), mixed(naive, trained, subset))
        for size in range(len(moving) + 1)
        for subset in combinations(moving, size)
    }
    parts = {factor: _shapley(factor, moving, value) for factor in moving}
    return Attribution(value[()], parts, value[tuple(moving)])


def mixed(naive: Mapping[str, Setting], own: Mapping[str, Setting], factors: Sequence[str]) -> dict[str, Setting]:
    """The naive setting of each item with these factors put to the side's own."""
    names = [field for factor in factors for field in FACTORS[factor]]
    return {item: replace(naive[item], **{name: getattr(own[item], name) for name in names}) for item in naive}


def _shapley(
    factor: str, moving: Sequence[str], value: Mapping[tuple[str, ...], NDArray[np.float64]]
) -> NDArray[np.float64]:
    others = [name for name in moving if name != factor]
    total = np.zeros_like(value[()])
    for size in range(len(others) + 1):
        weight = factorial(size) * factorial(len(others) - size) / factorial(len(moving))
        for subset in combinations(others, size):
            joined = tuple(name for name in moving if name in (*subset, factor))
            total = total + weight * (value[joined] - value[subset])
    return total
