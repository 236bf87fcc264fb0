"""Golds of real benchmarks are readable, and right against themselves and their worked solutions."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from evalsuite.catalog.items import AnswerFormat, AnswerKind
from evalsuite.grading.grade import gold_problem, grade

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


def right(kind: AnswerKind, gold: str, text: str) -> bool | None:
    return grade(kind, (gold,), (), text, answer_format=AnswerFormat.FREE, cut_off=False).correct
