"""A quick look must never call two spellings of one value different: that would lose a right answer."""

from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalsuite.grading.estimate import clearly_differ, value


@dataclass(frozen=True)
class Spelled:
    """One expression in two spellings of equal value."""

    one: str
    other: str


def _pair(one: str, other: str) -> st.SearchStrategy[Spelled]:
    return st.just(Spelled(one, other))


LEAVES = st.one_of(
    st.integers(1, 99).map(lambda n: Spelled(str(n), rf"\frac{{{2 * n}}}{{2}}")),
    _pair(r"\pi", r"2\pi-\pi"),
    _pair("x", r"\frac{x^2}{x}"),
    _pair(r"\sqrt{2}", r"\frac{2}{\sqrt{2}}"),
    _pair("e", "e^{1}"),
    _pair("0.25", r"\frac14"),
)


def _larger(parts: st.SearchStrategy[Spelled]) -> st.SearchStrategy[Spelled]:
    two = st.tuples(parts, parts)
    return st.one_of(
        two.map(lambda p: Spelled(f"({p[0].one})+({p[1].one})", rf"{{{p[1].other}}}+{{{p[0].other}}}")),
        two.map(lambda p: Spelled(f"({p[0].one})({p[1].one})", rf"({p[1].other})\cdot({p[0].other})")),
        two.map(lambda p: Spelled(rf"\frac{{{p[0].one}}}{{{p[1].one}}}", f"({p[0].other})/({p[1].other})")),
        parts.map(lambda p: Spelled(rf"\sqrt{{{p.one}}}", f"({p.other})^{{1/2}}")),
        parts.map(lambda p: Spelled(f"({p.one})^2", f"({p.other})({p.other})")),
        parts.map(lambda p: Spelled(f"-({p.one})", f"0-({p.other})")),
    )


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.recursive(LEAVES, _larger, max_leaves=6))
def test_two_spellings_never_differ(spelled: Spelled) -> None:
    assert not clearly_differ(spelled.one, spelled.other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (r"1-\frac{1}{e}", r"1+\frac{1}{e}"),
        (r"\sqrt{2}", "1.41421"),
        ("10^{-7}", r"2\cdot10^{-7}"),
        ("x+1", "y+1"),
        ("x-1", "1-x"),
        (r"\sin x", r"\cos x"),
    ],
)
def test_what_differs_is_told(one: str, other: str) -> None:
    assert clearly_differ(one, other)


@pytest.mark.parametrize(
    ("text", "expected"), [(r"\frac{1}{4}", 0.25), ("2^{10}", 1024), (r"-\sqrt{16}", -4), (r"3\cdot4-2", 10)]
)
def test_the_value_of_a_constant(text: str, expected: float) -> None:
    assert value(text) == pytest.approx(expected)


@pytest.mark.parametrize(
    "unsure", ["x", r"\sqrt{-1", r"\text{red}", "1/2x", "f(2)", "52_8", r"\frac{1}{0}", "(1, 2)", "9" * 400]
)
def test_where_a_reader_could_differ_it_says_nothing(unsure: str) -> None:
    assert value(unsure) is None
