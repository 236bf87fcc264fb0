"""The same completions scored by lm-eval and by evalsuite: where they differ, and why."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from evalsuite.catalog import source
from evalsuite.catalog.index import Catalog
from evalsuite.catalog.items import AnswerFormat, Item
from evalsuite.catalog.load import load
from evalsuite.catalog.tasks import Task
from evalsuite.grading.grade import grade
from evalsuite.grading.verdict import Verdict
from tests.grading.lm_eval_side import LmEvalSide

pytestmark = pytest.mark.slow

RECORDED = Path(__file__).with_name("recorded.jsonl")
"""Completions of the demo items: by the embedded model, and some written by hand so that not all are wrong."""

NO_MARK = 'the "strict" filter wants "#### ", and the text says it otherwise'
ANY_LAST = "lm-eval takes the last number in sight; the text offers it as no final answer"
WORDED = 'lm-eval wants a letter right behind "answer", and the text says it otherwise'
NO_BOX = "lm-eval wants a box, and the text says it otherwise"
SPELLED = "lm-eval compares strings; the same in another spelling"
LATER = "lm-eval reads the number of a remark behind the answer"
NEXT = "lm-eval reads on in a next question that the text makes up"
TAGGED = "lm-eval compares the whole text, with its tags"

DISAGREEMENTS = [
    # task, item, filter, right by lm-eval, right by evalsuite, reason
    ("demo_arithmetic", "1324df29", "extracted", False, True, SPELLED),  # a Unicode minus
    ("demo_arithmetic", "1324df29", "strict", False, True, NO_MARK),
    ("demo_arithmetic", "4da0ac65", "strict", False, True, NO_MARK),
    ("demo_arithmetic", "59db1912", "strict", False, True, NO_MARK),
    ("demo_arithmetic", "68d88893", "strict", False, True, NO_MARK),
    ("demo_arithmetic", "e53047f1", "strict", False, True, NO_MARK),
    ("demo_choice4", "8bc44cdc", "extracted", False, True, WORDED),  # the value of the option, in a box
    ("demo_choice4", "b4dfcc97", "extracted", False, True, WORDED),  # "option (C) is correct"
    ("demo_choice5", "29fb3db6", "extracted", False, True, WORDED),  # "the answer is the choice of E"
    ("demo_choice5", "57ee30d6", "extracted", False, True, NEXT),
    ("demo_choice5", "b6777c21", "extracted", False, True, WORDED),  # the value of the option
    ("demo_math", "3e06023e", "extracted", False, True, SPELLED),  # "(x, y) =" in front of the pair
    ("demo_math", "62b37d52", "extracted", False, True, NO_BOX),  # "2^5" for 32: the question is not looked at
    ("demo_math", "8f87e121", "extracted", False, True, SPELLED),  # \dfrac for \frac
    ("demo_math", "973b186d", "extracted", False, True, SPELLED),  # the factors in another order
    ("demo_number", "344c8ce2", "extracted", False, True, LATER),
    ("demo_number", "344c8ce2", "strict", False, True, NO_MARK),
    ("demo_number", "4011c575", "strict", False, True, NO_MARK),
    ("demo_number", "44ed762d", "strict", False, True, NO_MARK),
    ("demo_number", "4dc0a1e1", "strict", False, True, NO_MARK),
    ("demo_number", "680b9d45", "extracted", True, False, ANY_LAST),
    ("demo_number", "fcf81dba", "extracted", False, True, SPELLED),  # 7.50 for 7.5
    ("demo_number", "fcf81dba", "strict", False, True, SPELLED),
    ("demo_qa", "74ec4ad5", "extracted", False, True, TAGGED),
    ("demo_qa", "bf51ab57", "extracted", False, True, NEXT),
]


def recorded() -> dict[str, list[dict[str, Any]]]:
    """The recorded completions by task."""
    by_task: dict[str, list[dict[str, Any]]] = {}
    for line in RECORDED.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        by_task.setdefault(row["task"], []).append(row)
    return by_task


def verdict(task: Task, item: Item, text: str, cut_off: bool = False) -> Verdict:
    return grade(task.kind, item.gold, item.options, text, answer_format=AnswerFormat.FREE, cut_off=cut_off)


@pytest.mark.parametrize("name", recorded())
def test_every_disagreement_is_known(name: str) -> None:
    task, rows = Catalog().task(name), recorded()[name]
    items = {item.id: item for item in load(task, None).items}
    theirs = LmEvalSide(task).scores([(items[row["item"]].question, row["text"]) for row in rows])
    found = set()
    for row, scores in zip(rows, theirs, strict=True):
        ours = verdict(task, items[row["item"]], row["text"], row["finish_reason"] == "length").correct
        found |= {(name, row["item"][:8], by, score, ours) for by, score in scores.items() if score != ours}
    assert found == {known[:5] for known in DISAGREEMENTS if known[0] == name}


def test_the_recorded_completions_are_diverse() -> None:
    rows = [row for rows in recorded().values() for row in rows]
    assert Counter(row["by"] for row in rows) == {"model": 59, "hand": 21}
    assert len({(row["task"], row["item"]) for row in rows}) == len(rows)


PART = "lm-eval takes the last digits of a fraction"
GSM8K = {
    # file of labelled outputs: agreements, and disagreements by (filter, right by lm-eval, reason)
    "gsm8k_abel_7b": (2638, {}),
    "gsm8k_rft_torch.float32_bs1": (2637, {("extracted", True, ANY_LAST): 1}),
    "gsm8k_rho-math-1b-v0.1": (
        2160,
        {("strict", False, NO_MARK): 475, ("extracted", True, ANY_LAST): 2, ("extracted", True, PART): 1},
    ),
}
"""Both filters on each of 1,319 completions."""


@pytest.mark.parametrize("name", GSM8K)
def test_gsm8k(name: str, mirror: Path) -> None:
    path = mirror / "labelled" / f"{name}.jsonl.gz"
    if not path.is_file():
        pytest.skip(f"no {path.name} in the local mirror")
    rows = source.read_rows(str(path))
    task = Catalog().task("gsm8k")
    items = {item.question: item for item in load(task, mirror).items}
    theirs = LmEvalSide(task, mirror).scores([(row["question"], row["text"]) for row in rows])
    agreed, differences = 0, Counter[tuple[str, bool, str]]()
    for row, scores in zip(rows, theirs, strict=True):
        ours = verdict(task, items[row["question"]], row["text"])
        for by, score in scores.items():
            agreed += score == ours.correct
            if score != ours.correct:
                differences[by, score, reason(by, row["text"], ours)] += 1
    assert (agreed, differences) == GSM8K[name]


def reason(by: str, text: str, ours: Verdict) -> str:
    """Why lm-eval's filter and the verdict differ on an answer to GSM8K."""
    if by == "strict" and "#### " not in text:
        return NO_MARK
    if by == "extracted" and ours.extracted is None:
        return ANY_LAST
    if by == "extracted" and "/" in str(ours.extracted):
        return PART
    return "unknown"
