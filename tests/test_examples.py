"""The training items that `examples/train_boxed.py` makes up: right, boxed, and none of them a question of a task."""

import random
import re
from fractions import Fraction
from itertools import islice

import pytest

from evalsuite.catalog.index import Catalog
from evalsuite.catalog.items import AnswerFormat, AnswerKind, canonical
from evalsuite.catalog.load import load, load_dev
from evalsuite.grading.grade import grade
from examples.train_boxed import TEMPLATES, worked

PAIRS = list(islice(worked(random.Random(0)), 400))
STEP = re.compile(r"\b(\d+(?: [-+*/] \d+)+) = (\d+)")


def test_the_same_seed_makes_the_same_items() -> None:
    assert list(islice(worked(random.Random(0)), 400)) == PAIRS
    assert list(islice(worked(random.Random(1)), 400)) != PAIRS
    assert len({question for question, _ in PAIRS}) == 400


def test_every_calculation_in_a_solution_is_right() -> None:
    found = [step for _, solution in PAIRS for step in STEP.findall(solution.replace("$", ""))]
    assert len(found) > 400
    for left, right in found:
        assert eval(left) == int(right), left  # only digits and + - * / get here


@pytest.mark.parametrize("template", TEMPLATES)
def test_an_answer_is_what_its_solution_ends_in(template: type) -> None:
    one = template(random.Random(0))
    last = re.findall(r"\\frac\{\d+\}\{\d+\}|\d+", one.solution)[-1]
    assert last in one.answer


def test_sums_of_fractions_are_right() -> None:
    asked = [(question, solution) for question, solution in PAIRS if question.startswith("Add")]
    assert len(asked) > 10
    for question, solution in asked:
        total = sum(Fraction(int(top), int(bottom)) for top, bottom in re.findall(r"frac\{(\d+)\}\{(\d+)\}", question))
        assert f"{total}" == re.sub(r".*\\boxed\{(?:\\frac\{(\d+)\}\{(\d+)\}|(\d+))\}.*", _plain, solution, flags=re.S)


def _plain(found: re.Match[str]) -> str:
    return found[3] or f"{found[1]}/{found[2]}"


def test_a_strict_parser_finds_every_answer() -> None:
    for question, solution in PAIRS[:60]:
        boxed = solution[solution.rindex(r"\boxed{") + len(r"\boxed{") : solution.rindex("}")]
        verdict = grade(AnswerKind.MATH, (boxed,), (), solution, answer_format=AnswerFormat.BOXED, cut_off=False)
        assert verdict.strict, question


def test_no_item_is_a_question_of_a_shipped_task() -> None:
    catalog = Catalog()
    shipped = {
        canonical(item.question)
        for task in catalog.select("demo", None)
        for loaded in (load(task, None), load_dev(task, catalog, None))
        for item in loaded.items
    }
    assert shipped
    assert not shipped & {canonical(question) for question, _ in PAIRS}
