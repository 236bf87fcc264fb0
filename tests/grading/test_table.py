"""What a careful reader would say of answers: one row a case, in the tables beside this file."""

import pytest

from evalsuite.catalog.items import AnswerFormat, AnswerKind
from evalsuite.grading.grade import grade
from evalsuite.grading.verdict import Status
from tests.grading import table_choice, table_math, table_number, table_qa, table_which_answer
from tests.grading.verdicts import N, R, W

TABLE = (
    [(AnswerKind.NUMBER, (), *row) for row in table_number.ROWS]
    + [(AnswerKind.MATH, (), *row) for row in table_math.ROWS]
    + [(AnswerKind.CHOICE, options, *row) for options, rows in table_choice.AMONG for row in rows]
    + [(AnswerKind.QA, (), *row) for row in table_qa.ROWS]
    + [(AnswerKind(kind), (), *row) for kind, *row in table_which_answer.ROWS]
)


@pytest.mark.parametrize(
    ("kind", "options", "gold", "text", "expected", "reason"), TABLE, ids=[f"{r[0]}-{r[-1]}"[:60] for r in TABLE]
)
def test_verdict(kind: AnswerKind, options: tuple[str, ...], gold: str, text: str, expected: str, reason: str) -> None:
    verdict = grade(kind, (gold,), options, text, answer_format=AnswerFormat.FREE, cut_off=False)
    said = N if verdict.status is Status.NO_ANSWER else R if verdict.correct else W
    assert said == expected, f"{reason}: {verdict}"


B, T, L = AnswerFormat.BOXED, AnswerFormat.ANSWER_TAG, AnswerFormat.ANSWER_LINE

STRICT = [
    # asked format, text, right, right in the asked format
    (B, r"\boxed{18}", True, True),
    (B, "The answer is 18.", True, False),
    (B, "\\boxed{18}\nThe answer is 18.", True, True),
    (B, "\\boxed{7}\nThe answer is 18.", True, False),
    (B, r"\boxed{18", True, False),
    (T, "<answer>18</answer>", True, True),
    (T, r"<answer>\boxed{18}</answer>", True, True),
    (T, r"\boxed{18}", True, False),
    (L, "Answer: 18", True, True),
    (L, "The answer is 18.", True, False),
    (L, "**Answer:** 18", True, True),
    (L, "So the answer: 18", True, False),
    (L, "Answer: 7", False, False),
    (L, "Answer - 18", True, False),
    (B, "<reasoning>\\boxed{18}</reasoning>\nThe answer is 18.", True, False),
    (T, "<answer>18</answer><|im_end|>\n<|im_start|>user", True, True),
]


@pytest.mark.parametrize(("asked", "text", "correct", "strict"), STRICT)
def test_strict(asked: AnswerFormat, text: str, correct: bool, strict: bool) -> None:
    verdict = grade(AnswerKind.NUMBER, ("18",), (), text, answer_format=asked, cut_off=False)
    assert (verdict.correct, verdict.strict) == (correct, strict), verdict


CUT = [
    (r"So \boxed{18", Status.CUT_OFF, "the cut broke the box"),
    (r"\boxed{7} is wrong, so \boxed{1", Status.CUT_OFF, "another answer had begun"),
    (r"\boxed{18} \boxed{18} \boxed{1", Status.OK, "the text only repeated itself"),
    ("The answer is 1", Status.CUT_OFF, "more digits may have followed"),
    (r"\boxed{18} and we check that 9 * 2", Status.OK, "an answer before the cut"),
    ("She makes 9 * 2 = 18", Status.CUT_OFF, "a closing sentence needs an end"),
    ("<think>The answer is 18. But", Status.CUT_OFF, "thinking never closes"),
    (r"9 * 2 = 18. So the answer is \boxed{18", Status.CUT_OFF, "the cut broke the box of a phrase"),
    (r"The answer is 18 and \boxed{1", Status.CUT_OFF, "another answer had begun"),
    (r"\boxed{18}. Wait, that is wrong. We get 9 * 2 =", Status.CUT_OFF, "the answer was taken back"),
    ("\\boxed{18}\n\nQuestion: A farmer has 1", Status.OK, "only the invented question is cut"),
    ("She has 9 eggs. So she makes 18 dollars.", Status.CUT_OFF, "a closing sentence of a text that went on"),
]


@pytest.mark.parametrize(("text", "status", "reason"), CUT)
def test_cut_off(text: str, status: Status, reason: str) -> None:
    verdict = grade(AnswerKind.NUMBER, ("18",), (), text, answer_format=AnswerFormat.FREE, cut_off=True)
    assert verdict.status is status, f"{reason}: {verdict}"
    assert verdict.correct is (status is Status.OK)


def test_an_unreadable_gold_is_not_scored() -> None:
    verdict = grade(
        AnswerKind.CHOICE, ("F",), table_choice.OPTIONS, "(F)", answer_format=AnswerFormat.FREE, cut_off=False
    )
    assert (verdict.correct, verdict.strict, verdict.score) == (None, None, None)
    assert verdict.status is Status.UNREADABLE_GOLD


def test_qa_scores_tokens_with_the_best_gold() -> None:
    verdict = grade(
        AnswerKind.QA, ("Rome", "Paris"), (), "<answer>Paris France</answer>", answer_format=T, cut_off=False
    )
    assert (verdict.correct, verdict.score) == (False, pytest.approx(2 / 3))
