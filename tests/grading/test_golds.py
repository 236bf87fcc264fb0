"""Golds of real benchmarks are readable, and right against themselves and their worked solutions."""

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from evalsuite.catalog.index import Catalog
from evalsuite.catalog.items import AnswerFormat, AnswerKind, Item
from evalsuite.catalog.load import load
from evalsuite.catalog.source import read_rows
from evalsuite.grading.grade import gold_problem, grade

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
DATA = Path(os.environ.get("EVALSUITE_DATA", ROOT.parent / "shared" / "data"))

SETS = {
    # file: the answer kind, and where gold and worked solution stand
    "gsm8k/test.jsonl": (AnswerKind.NUMBER, lambda r: r["answer"].rpartition("####")[2].strip(), "answer"),
    "math500/test.jsonl": (AnswerKind.MATH, lambda r: r["answer"], "solution"),
    "aime/aimo-validation-aime.jsonl": (AnswerKind.NUMBER, lambda r: str(r["answer"]), None),
    "aime/aime_2025.jsonl": (AnswerKind.NUMBER, lambda r: str(r["answer"]), None),
    "aime/aime_2026.jsonl": (AnswerKind.NUMBER, lambda r: str(r["answer"]), None),
    "amc/aimo-validation-amc.jsonl": (AnswerKind.NUMBER, lambda r: str(r["answer"]), None),
}
EXCEPTIONS: dict[str, str] = {}
"""Golds that are not accepted, and why."""


@pytest.mark.parametrize("name", SETS)
def test_golds(name: str) -> None:
    kind, gold_of, solution = SETS[name]
    path = DATA / name
    if not path.is_file():
        pytest.skip(f"no benchmark data at {path}: set EVALSUITE_DATA")
    refused = []
    for line in path.read_text(encoding="utf-8").splitlines():
        row: dict[str, Any] = json.loads(line)
        gold = gold_of(row)
        texts = [f"So it is $\\boxed{{{gold}}}$."] + ([row[solution]] if solution else [])
        problem = gold_problem(kind, (gold,), ())
        wrong = [t for t in texts if not right(kind, gold, t)]
        if (problem or wrong) and gold not in EXCEPTIONS:
            refused.append((gold, problem, [t[-80:] for t in wrong]))
    assert not refused


TASKS = ("gsm8k", "math500", "aime24", "aime25", "aime26", "aimo_aime", "amc", "amc23", "aqua", "sat_math", "mmlu_math")


@pytest.mark.parametrize("name", TASKS)
def test_golds_of_tasks(name: str, mirror: Path) -> None:
    task = Catalog().task(name)
    refused = [item.gold for item in load(task, mirror).items if not _accepted(task.kind, item)]
    assert not refused


def _accepted(kind: AnswerKind, item: Item) -> bool:
    text = f"So it is $\\boxed{{{item.gold[0]}}}$."
    verdict = grade(kind, item.gold, item.options, text, answer_format=AnswerFormat.BOXED, cut_off=False)
    return gold_problem(kind, item.gold, item.options) is None and verdict.strict is True


WORKED = {
    # file: kind, gold, options, worked solution; right, without a stated answer, and wrong with the reason
    "aime/aimo-validation-aime.jsonl": (lambda r: (AnswerKind.NUMBER, r["answer"], (), r["solution"]), (88, 1)),
    "aqua_rat/test.jsonl": (lambda r: (AnswerKind.CHOICE, r["correct"], _texts(r), r["rationale"]), (240, 13)),
    "sat_math/agieval_sat_math.jsonl": (
        lambda r: (AnswerKind.CHOICE, r["label"], _texts(r), r["other"]["solution"]),
        (220, 0),
    ),
}
NOT_ACCEPTED = {
    "6!/(2!2!2!)*2!*(4!)^3": "one of several solutions in one text, and its result is left as a slip of the pen",
    "(A) can never be true": "a rationale that goes through the options and names the answer without saying so",
}


@pytest.mark.parametrize("name", WORKED)
def test_golds_against_worked_solutions(name: str, mirror: Path) -> None:
    reading, expected = WORKED[name]
    counts, refused = [0, 0], set()
    for row in read_rows(str(mirror / name)):
        kind, gold, options, text = reading(row)
        verdict = grade(kind, (str(gold),), options, text, answer_format=AnswerFormat.FREE, cut_off=False)
        counts[0] += verdict.correct is True
        counts[1] += verdict.extracted is None
        if verdict.extracted is not None and not verdict.correct:
            refused.add(verdict.extracted)
    assert refused <= set(NOT_ACCEPTED)
    assert tuple(counts) == expected


def _texts(row: dict[str, Any]) -> tuple[str, ...]:
    return tuple(re.sub(r"^\(?[A-E]\)", "", option) for option in row["options"])


def right(kind: AnswerKind, gold: str, text: str) -> bool | None:
    return grade(kind, (gold,), (), text, answer_format=AnswerFormat.FREE, cut_off=False).correct
