"""What a gain is made of: Shapley's parts of gains worked out by hand."""

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
import pytest

from evalsuite.baselines.attribution import FACTORS, Attribution, attribute, mixed
from evalsuite.protocol import Setting

NAIVE = Setting("boxed", "aaa", True, 0, 0.0, 1.0, 64, "strict")
OWN = Setting("answer_line", "bbb", True, 0, 0.6, 1.0, 256, "lenient")
MOVED = {
    "parser": lambda s: s.parser == OWN.parser,
    "format": lambda s: s.prompt == OWN.prompt,
    "tokens": lambda s: s.max_tokens == OWN.max_tokens,
    "temperature": lambda s: s.temperature == OWN.temperature,
}
Settings = Mapping[str, Setting]


def game(own: Setting, value: Callable[..., float]) -> Attribution:
    """One item whose gain follows from which factors the start was given its own of, by name."""

    def gain(start: Settings, trained: Settings) -> np.ndarray:
        return np.array([value(**{name: moved(start["x"]) for name, moved in MOVED.items()})])

    return attribute({"x": NAIVE}, {"x": own}, {"x": NAIVE}, gain)


def parts(found: Attribution) -> dict[str, float]:
    return {name: float(part[0]) for name, part in found.parts.items()}


def test_where_factors_add_up_each_part_is_what_its_factor_changes() -> None:
    found = game(OWN, lambda parser, format, tokens, temperature: 0.5 - 0.3 * parser - 0.1 * format + 0.05 * tokens)
    assert parts(found) == pytest.approx({"parser": -0.3, "format": -0.1, "tokens": 0.05, "temperature": 0.0})
    assert (found.naive[0], found.fair[0]) == pytest.approx((0.5, 0.15))


def test_what_two_factors_change_only_together_is_shared_over_both_orders() -> None:
    """The parser alone takes 20 points, the format alone none, both together 60: (20 + 60)/2 and (0 + 40)/2."""
    gains = {(False, False): 0.7, (True, False): 0.5, (False, True): 0.7, (True, True): 0.1}
    own = replace(NAIVE, parser="lenient", prompt="answer_line", prompt_sha256="bbb")
    found = game(own, lambda parser, format, **_: gains[parser, format])
    assert parts(found) == pytest.approx({"parser": -0.4, "format": -0.2})


def test_three_factors_one_of_which_no_coalition_can_do_without() -> None:
    """The parser is worth something with the format or with the tokens: 2/3, 1/6, 1/6 by counting the six orders."""
    own = replace(OWN, temperature=0.0)
    found = game(own, lambda parser, format, tokens, temperature: float(parser and (format or tokens)))
    assert parts(found) == pytest.approx({"parser": 2 / 3, "format": 1 / 6, "tokens": 1 / 6})


def test_a_factor_that_is_the_same_everywhere_has_no_part() -> None:
    found = game(NAIVE, lambda **_: 0.3)
    assert found.parts == {}
    assert found.naive.tolist() == found.fair.tolist() == [0.3]


def test_the_trained_sides_own_settings_move_too() -> None:
    """Fewer tokens in the naive setting than the trained side chose: putting them right gives it its points back."""

    def gain(start: Settings, trained: Settings) -> np.ndarray:
        return np.array([0.4 if trained["x"].max_tokens == 256 else 0.1])

    found = attribute({"x": NAIVE}, {"x": NAIVE}, {"x": replace(NAIVE, max_tokens=256)}, gain)
    assert parts(found) == pytest.approx({"tokens": 0.3})


def test_parts_add_up_item_by_item_whatever_the_gain_and_each_item_has_its_own_settings() -> None:
    rng = np.random.default_rng(0)
    items = [f"item{number}" for number in range(8)]
    naive = dict.fromkeys(items, NAIVE)
    start = {item: OWN if number % 2 else replace(OWN, parser="strict") for number, item in enumerate(items)}
    trained = {item: replace(OWN, max_tokens=128) for item in items}
    table: dict[tuple[str, Setting, Setting], float] = {}

    def gain(of_start: Settings, of_trained: Settings) -> np.ndarray:
        keys = [(item, of_start[item], of_trained[item]) for item in items]
        return np.array([table.setdefault(key, float(rng.uniform(-1, 1))) for key in keys])

    found = attribute(naive, start, trained, gain)
    assert list(found.parts) == ["parser", "format", "tokens", "temperature"]
    assert found.naive + sum(found.parts.values()) == pytest.approx(found.fair, abs=1e-12)
    assert found.naive == pytest.approx([table[item, NAIVE, NAIVE] for item in items])
    assert found.fair == pytest.approx([table[item, start[item], trained[item]] for item in items])


def test_what_was_never_generated_leaves_its_item_unknown() -> None:
    def gain(start: Settings, trained: Settings) -> np.ndarray:
        return np.array([np.nan if start["x"].prompt == "answer_line" else 0.2, 0.2])

    both = ("x", "y")
    found = attribute(dict.fromkeys(both, NAIVE), {"x": OWN, "y": NAIVE}, dict.fromkeys(both, NAIVE), gain)
    assert np.isnan(found.parts["format"]).tolist() == [True, False]
    assert np.isnan(found.fair).tolist() == [True, False]
    assert found.naive.tolist() == [0.2, 0.2]


def test_factors_together_hold_every_field_of_a_setting_once() -> None:
    fields = [field for names in FACTORS.values() for field in names]
    assert sorted(fields) == sorted(Setting.__dataclass_fields__)
    assert mixed({"x": NAIVE}, {"x": OWN}, tuple(FACTORS)) == {"x": OWN}
    half = mixed({"x": NAIVE}, {"x": OWN}, ("format",))["x"]
    assert half == replace(NAIVE, prompt="answer_line", prompt_sha256="bbb")
