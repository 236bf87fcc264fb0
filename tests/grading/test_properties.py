"""What holds for any gold, not only for the rows of a table."""

import subprocess
import sys
from itertools import combinations
from pathlib import Path
from random import Random
from time import monotonic

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from evalsuite.catalog.items import AnswerFormat, AnswerKind
from evalsuite.catalog.source import read_rows
from evalsuite.grading import math
from evalsuite.grading.grade import grade, grader_hash

WRAPPINGS = {
    AnswerFormat.BOXED: "We add. So it is $\\boxed{{{}}}$.",
    AnswerFormat.ANSWER_TAG: "We add.\n<answer>{}</answer>",
    AnswerFormat.ANSWER_LINE: "We add.\nAnswer: {}",
    AnswerFormat.FREE: "We add. The answer is {}.",
}

integers = st.integers(min_value=-(10**40), max_value=10**40).map(str)
decimals = st.builds("{}.{}".format, st.integers(-(10**6), 10**6), st.from_regex(r"[0-9]{1,8}", fullmatch=True))
grouped = st.integers(1000, 10**15).map("{:,}".format)
fractions = st.builds(r"\frac{{{}}}{{{}}}".format, st.integers(-999, 999), st.integers(1, 999))
numbers = st.one_of(integers, decimals, grouped, fractions)
EXPRESSIONS = [
    "x^2+1", r"\frac{\pi}{2}", r"(1, \sqrt{2})", r"[0, \infty)", r"\{1, 2, 3\}", "y = 2x - 3", r"3 \pm \sqrt{5}",
    r"\begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix}", r"\text{Monday}", "52_8", r"12\%", "3:4", r"2 < x \leq 7",
]  # fmt: skip


def verdict(gold: str, answer: str, form: AnswerFormat, kind: AnswerKind = AnswerKind.MATH):
    return grade(kind, (gold,), (), WRAPPINGS[form].format(answer), answer_format=form, cut_off=False)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(numbers, st.sampled_from(AnswerFormat), st.sampled_from([AnswerKind.NUMBER, AnswerKind.MATH]))
def test_a_number_is_itself_in_every_format(gold: str, form: AnswerFormat, kind: AnswerKind) -> None:
    found = verdict(gold, gold, form, kind)
    assert found.correct, found
    assert found.strict, found


@pytest.mark.parametrize("form", AnswerFormat)
@pytest.mark.parametrize("gold", EXPRESSIONS)
def test_an_expression_is_itself_in_every_format(gold: str, form: AnswerFormat) -> None:
    found = verdict(gold, gold, form)
    assert found.correct, found
    assert found.strict, found


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.one_of(integers, decimals, grouped, fractions), st.data(), st.sampled_from(AnswerFormat))
def test_another_digit_is_another_number(gold: str, data: st.DataObject, form: AnswerFormat) -> None:
    places = [i for i, c in enumerate(gold) if c.isdigit()]
    place = data.draw(st.sampled_from(places))
    digit = data.draw(st.sampled_from([d for d in "0123456789" if d != gold[place]]))
    changed = gold[:place] + digit + gold[place + 1 :]
    assume(not gold.startswith(r"\frac") or not gold.startswith((r"\frac{0}", r"\frac{-0}")))
    assume("{0}" not in changed)
    for kind in (AnswerKind.NUMBER, AnswerKind.MATH):
        assert not verdict(gold, changed, form, kind).correct


SYMMETRIC = [
    "0.5", r"\frac{1}{2}", "50\\%", "2", r"\sqrt{4}", r"\sqrt{2}", r"\frac{2}{\sqrt{2}}", r"2\pi", "6.28",
    r"\{1,2\}", "2, 1", r"\{1,3\}", r"(0,1)\cup(1,2)", r"(0,2)\setminus\{1\}", "[0,2]", r"0.\overline{3}",
    r"\frac{1}{3}", "0.333", "52_8", "52", "42", "(1,2)", r"\begin{pmatrix} 1 \\ 2 \end{pmatrix}", "1:2", "2:4",
    r"\emptyset", "no solution", "x=2", "x>1", r"(1,\infty)", r"3 \pmod 7", r"10 \pmod 7", "f(x)=x", "y=x",
    r"\pm 1", "-1, 1", "3:30 pm", r"\tan A = 2", "5 V", "5", "f(x)", "f(x)+1",
]  # fmt: skip


def test_equivalence_is_symmetric() -> None:
    pairs = combinations(SYMMETRIC, 2)
    assert not [pair for pair in pairs if math.equivalent(*pair) is not math.equivalent(*reversed(pair))]


@settings(max_examples=60, deadline=None, derandomize=True)
@given(numbers, numbers)
def test_equality_of_numbers_is_symmetric(one: str, other: str) -> None:
    assert math.equivalent(one, other) is math.equivalent(other, one)
    assert math.equivalent(one, one)


factors = st.sampled_from(["", "2", "-3", r"\frac{1}{2}"])
terms = st.builds("{}{}^{{{}}}".format, factors, st.sampled_from("xyR"), st.integers(1, 9))
sums = st.lists(terms, min_size=1, max_size=4).map(lambda parts: "+".join(parts).replace("+-", "-"))


@settings(max_examples=10, deadline=None, derandomize=True)
@given(sums, st.data())
def test_an_expression_is_no_other(gold: str, data: st.DataObject) -> None:
    place = data.draw(st.sampled_from([i for i, c in enumerate(gold) if c.isdigit()]))
    changed = f"{gold[:place]}{(int(gold[place]) + 1) % 10}{gold[place + 1 :]}"
    assert math.equivalent(gold, f"1+{gold}-1")
    assert math.equivalent(f"1+{gold}-1", gold)
    assert not math.equivalent(gold, changed)
    assert not math.equivalent(changed, gold)


HOSTILE = [
    "10^{10^{10}}", "9^{9^{9^{9}}}", "(10^{9})!", "((9!)!)!", r"\sum_{k=1}^{10^9} k^k", r"\prod_{k=1}^{10^6} k",
    r"\int_0^1 e^{x^2}\,dx", r"\sin(10^{10^{10}})", "0.5^{10^{12}}", "x^{100}-3x^{50}+x>0", "(" * 300 + "1" + ")" * 300,
    "+".join(f"{i}x^{{{i}}}" for i in range(500)), "1" * 15_000, "{" * 500, "no " * 3_000, "for all " * 1_500,
    "10^{10^{10^{10}}}",
]  # fmt: skip


@pytest.mark.parametrize("answer", HOSTILE, ids=lambda answer: answer[:20])
def test_no_answer_takes_long(answer: str) -> None:
    begin = monotonic()
    math.equivalent("5", answer)
    assert monotonic() - begin < 5  # a tenth of it on an idle machine


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.lists(numbers, min_size=2, max_size=4, unique=True), st.randoms())
def test_a_set_is_itself_in_any_order(parts: list[str], random: Random) -> None:
    gold = ", ".join(parts)
    random.shuffle(parts)
    assert math.equivalent(rf"\{{{gold}\}}", ", ".join(parts))
    assert math.equivalent(", ".join(parts), rf"\{{{gold}\}}")
    assert not math.equivalent(gold, ", ".join(parts[1:]))


@pytest.mark.parametrize("form", AnswerFormat)
def test_math500_golds_are_themselves_in_every_format(form: AnswerFormat, mirror: Path) -> None:
    golds = [row["answer"] for row in read_rows(str(mirror / "math500" / "test.jsonl"))]
    refused = [(gold, v.extracted) for gold in golds if not (v := verdict(gold, f"${gold}$", form)).correct]
    assert not refused


@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.text(max_size=60), st.sampled_from(AnswerFormat), st.booleans())
def test_no_text_raises(text: str, form: AnswerFormat, cut_off: bool) -> None:
    for kind, gold, options in (
        (AnswerKind.NUMBER, "4", ()),
        (AnswerKind.CHOICE, "A", ("4", "5")),
        (AnswerKind.QA, "four", ()),
    ):
        grade(kind, (gold,), options, text, answer_format=form, cut_off=cut_off)


def test_the_grader_has_a_hash_and_loads_no_sympy() -> None:
    code = (
        "import sys; from evalsuite.grading.grade import grader_hash; print(grader_hash());"
        "assert not {'sympy', 'math_verify', 'torch'} & set(sys.modules)"
    )
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()
    assert printed == grader_hash()
    assert len(printed) == 16
