"""`evalsuite grade --kind`: answers of any origin, their summary, bad files, and the steps to one verdict."""

import gzip
import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from evalsuite.catalog.items import AnswerFormat, AnswerKind
from evalsuite.grading.explain import explain
from evalsuite.grading.grade import grade
from evalsuite.grading.pool import GradeJob
from tests.cli.test_bad_input import assert_refused
from tests.support.command import run_cli

pytestmark = pytest.mark.slow

ROWS: list[dict[str, Any]] = [
    {"id": "é", "gold": "18", "text": "So it is \\boxed{18}."},
    {"gold": "18", "text": "I do not know.", "note": "\ud800"},
    {"gold": "18", "text": "First, we take 18", "finish_reason": "length"},
    {"gold": "a lot", "text": "\\boxed{18}"},
    {"gold": ["18", "19"], "text": "The answer is 19.", "correct": "unknown"},
    {"gold": "18", "text": "\\boxed{17}"},
]


def write(path: Path, *rows: dict[str, Any] | str) -> Path:
    lines = "".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows)
    path.write_bytes(gzip.compress(lines.encode()) if path.suffix == ".gz" else lines.encode())
    return path


def test_each_row_comes_back_with_its_verdict(tmp_path: Path) -> None:
    ended = run_cli("grade", "--kind", "number", write(tmp_path / "in.jsonl", *ROWS), "--json")
    assert (ended.code, ended.err) == (0, "")
    content = json.loads(ended.out)
    for before, after in zip(ROWS, content["rows"], strict=True):
        assert {k: after[k] for k in before if k != "correct"} == {k: v for k, v in before.items() if k != "correct"}
    assert [row["correct"] for row in content["rows"]] == [True, False, False, None, True, False]
    assert [row["status"] for row in content["rows"]] == ["ok", "no_answer", "cut_off", "unreadable_gold", "ok", "ok"]
    assert content["rows"][0] == ROWS[0] | {
        "correct": True,
        "strict": True,
        "score": 1.0,
        "extracted": "18",
        "how": "boxed",
        "status": "ok",
        "format_ok": True,
        "why": "18 is 18",
    }
    summary = content["summary"]
    assert (summary["rows"], summary["scored"]) == (6, 5)
    assert summary["right"]["count"] == 2
    assert summary["format_tax"]["count"] == summary["right"]["count"] - summary["strict"]["count"]
    assert summary["right"]["low"] < summary["right"]["share"] == 0.4 < summary["right"]["high"]
    assert [summary[s]["count"] for s in ("no_answer", "cut_off", "unreadable_gold", "timeout")] == [1, 1, 1, 0]


def test_a_table_for_people(tmp_path: Path) -> None:
    ended = run_cli("grade", "--kind", "number", write(tmp_path / "in.jsonl", *ROWS), "--format", "boxed")
    assert ended.code == 0
    lines = [line.split() for line in ended.out.splitlines()]
    assert ["rows", "6"] in lines
    assert "right [95 % interval]" in ended.out
    assert ["format", "tax:", "right,", "not", "in", "that", "format", "1", "20.0"] in lines
    assert "line 4: the gold answer a lot cannot be read as number" in ended.out
    assert all(len(line) <= 80 for line in ended.out.splitlines())


@pytest.mark.parametrize(("source", "target"), [("in.jsonl", "out.jsonl"), ("in.jsonl.gz", "new/out.jsonl.gz")])
def test_rows_in_a_file_of_their_own(tmp_path: Path, source: str, target: str) -> None:
    path, out = write(tmp_path / source, *ROWS), tmp_path / target
    assert run_cli("grade", "--kind", "number", path, "--out", out).code == 0
    data = gzip.decompress(out.read_bytes()) if out.suffix == ".gz" else out.read_bytes()
    rows = [json.loads(line) for line in data.decode().splitlines()]
    assert rows == json.loads(run_cli("grade", "--kind", "number", path, "--json").out)["rows"]
    again = run_cli("grade", "--kind", "number", out, "--json")  # what was graded can be graded again
    assert json.loads(again.out)["rows"] == rows
    assert sorted(p.name for p in out.parent.iterdir() if p.name.startswith("out")) == [out.name]


def test_choices_and_short_answers(tmp_path: Path) -> None:
    choices = write(
        tmp_path / "choices.jsonl",
        {"gold": "B", "text": "The answer is (B)."},
        {"gold": "B", "text": "The answer is green.", "options": ["red", "green"]},
        {"gold": "A", "text": "The answer is green.", "options": ["red", "green"]},
    )
    graded = json.loads(run_cli("grade", "--kind", "choice", choices, "--json").out)
    assert [row["correct"] for row in graded["rows"]] == [True, True, False]
    short = write(tmp_path / "qa.jsonl", {"gold": ["Paris", "the city of Paris"], "text": "Paris, France"})
    graded = json.loads(run_cli("grade", "--kind", "qa", short, "--json").out)
    assert graded["rows"][0]["correct"] is False
    assert 0 < graded["summary"]["token_f1"] < 1
    assert "token F1" in run_cli("grade", "--kind", "qa", short).out


GOOD = {"gold": "18", "text": "18"}


@pytest.mark.parametrize(
    ("kind", "bad", "said"),
    [
        ("number", "{", "in.jsonl: line 3: not valid JSON"),
        ("number", "[1]", "in.jsonl: line 3: not a JSON object"),
        ("number", "[" * 100_000, "in.jsonl: line 3: not valid JSON"),
        ("number", {"text": "18"}, "in.jsonl: line 3: no gold"),
        ("number", {"gold": 18, "text": "18"}, "in.jsonl: line 3: no gold"),
        ("number", {"gold": ["18", None], "text": "18"}, "in.jsonl: line 3: no gold"),
        ("number", {"gold": "18"}, "in.jsonl: line 3: no text"),
        ("numbr", GOOD, "'numbr' is not one of 'number', 'math', 'choice', 'qa'"),
    ],
)
def test_a_bad_row_is_named_by_its_line(tmp_path: Path, kind: str, bad: dict[str, Any] | str, said: str) -> None:
    path = write(tmp_path / "in.jsonl", GOOD, "", bad)
    assert_refused(run_cli("grade", "--kind", kind, path, "--out", tmp_path / "out.jsonl"), said)
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"gold": "E", "text": "E", "options": ["a", "b"]}, "line 1: the gold 'E' is not the letter of one of the 2"),
        ({"gold": "a", "text": "A", "options": ["a", "b"]}, "(A to B)"),
        ({"gold": "Paris", "text": "Paris"}, "line 1: the gold 'Paris' is no letter, and there are no options"),
        ({"gold": "A", "text": "A", "options": "ab"}, "line 1: the options are no list of strings"),
    ],
)
def test_choices_that_cannot_be_scored(tmp_path: Path, row: dict[str, Any], said: str) -> None:
    assert_refused(run_cli("grade", "--kind", "choice", write(tmp_path / "in.jsonl", row)), said)


def test_requests_that_make_no_sense(tmp_path: Path, run_folder: Path) -> None:
    path = write(tmp_path / "in.jsonl", GOOD)
    with_kind = ("grade", "--kind", "number")
    assert_refused(run_cli("grade", path), "say with --kind what kind of answers it holds (number, math, choice, qa)")
    assert_refused(run_cli("grade", "-", "--explain"), "say with --kind")
    assert_refused(run_cli(*with_kind, run_folder), "--kind is for a file of answers")
    assert_refused(run_cli("grade", run_folder, "--out", "x"), "are for files of answers")
    assert_refused(run_cli(*with_kind, "nowhere.jsonl"), "nowhere.jsonl: no such file")
    assert_refused(run_cli(*with_kind, path, "--out", tmp_path / "." / "in.jsonl"), "is the input itself")
    assert_refused(run_cli(*with_kind, path, "--out", tmp_path), "is a folder")
    assert_refused(run_cli(*with_kind, path, "--row", 1), "--row is for --explain")
    assert_refused(run_cli(*with_kind, path, "--explain", "--row", 2), "in.jsonl: has no row 2")
    assert_refused(run_cli(*with_kind, path, "--explain", "--out", "x"), "--out is not for --explain")
    assert_refused(run_cli(*with_kind, "-"), "standard input is for --explain")
    assert_refused(run_cli(*with_kind, write(tmp_path / "empty.jsonl", "")), "empty.jsonl: no rows")
    (tmp_path / "torn.jsonl.gz").write_bytes(gzip.compress(b"x" * 1000)[:-9])
    assert_refused(run_cli(*with_kind, tmp_path / "torn.jsonl.gz"), "torn.jsonl.gz: not a whole gzip file")
    (tmp_path / "latin.jsonl").write_bytes('{"gold": "é"}'.encode("latin-1"))
    assert_refused(run_cli(*with_kind, tmp_path / "latin.jsonl"), "latin.jsonl: line 1: not text in UTF-8")


STEPS = {
    "gold": "18",
    "text": "<think>\\boxed{5}</think>It is \\boxed{17}.\nNo: \\boxed{18}.\nQuestion: and 2 + 2? \\boxed{4}",
}


def test_the_steps_of_one_row(tmp_path: Path) -> None:
    path = write(tmp_path / "in.jsonl", GOOD, STEPS)
    ended = run_cli("grade", "--kind", "number", "--explain", "--row", 2, path, "--json")
    steps = json.loads(ended.out)
    assert steps["line"] == 2
    assert steps["removed"] == ["24 characters of thinking that ends"]
    assert steps["read"] == "It is \\boxed{17}.\nNo: \\boxed{18}."
    assert steps["stopped"].startswith("another question or turn begins: 'Question:")
    assert [(o["text"], o["how"], o["counts"]) for o in steps["offers"]] == [
        ("17", "boxed", False),
        ("18", "boxed", True),
    ]
    assert steps["final"] == "18"
    assert steps["compared"] == [["gold 18", "the number 18"], ["answer 18", "the number 18"]]
    assert steps["verdict"]["correct"] is True
    shown = run_cli("grade", "--kind", "number", "--explain", "--row", 2, path).out
    for part in ("24 characters of thinking", "a later offer stands instead", "18 is 18", "right, strictly right"):
        assert part in shown
    assert "boxed{5}" not in shown


def test_a_row_from_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(json.dumps(STEPS).encode())))
    ended = run_cli("grade", "--kind", "number", "--explain", "-", "--json")
    assert json.loads(ended.out)["final"] == "18"


def explained(text: str, *, kind: AnswerKind = AnswerKind.NUMBER, cut_off: bool = False) -> Any:
    job = GradeJob(kind, ("18",), (), text, AnswerFormat.BOXED, cut_off)
    verdict = grade(kind, job.gold, (), text, answer_format=job.answer_format, cut_off=cut_off)
    return explain(job, verdict)


def test_why_an_offer_does_not_count() -> None:
    cut = explained("It is \\boxed{18}. Or, no, it is \\boxed{2", cut_off=True)
    assert [(offer.text, offer.counts) for offer in cut.offers] == [("18", False), ("2", False)]
    assert cut.final is None
    assert cut.chosen == "cut off before a complete answer"
    undeclared = explained("There are many, so in all she makes every day 9 * 2 = 18 dollars.")
    assert undeclared.chosen == "nothing announces an answer, and the last sentence ends in one"
    assert explained("<think>It is 18").removed == (
        "15 characters of thinking that never ends: its inside is no answer",
    )
    joined = explained(r"It is \boxed{3} or \boxed{4}.", kind=AnswerKind.MATH)
    assert joined.final == "3, 4"
    assert all(offer.counts for offer in joined.offers)
    assert explained("It is \\boxed{18}.").format == "asked for: boxed, found: boxed: kept"
    assert explained("The answer is 18.").format == "asked for: boxed, found: phrase: not kept"


@pytest.mark.parametrize("text", ["", " \n", "<think>", "</think>", "\ud800", "\\boxed{" * 1000, "\0", "Q: 1\nQ: 2"])
def test_every_text_can_be_explained(text: str) -> None:
    for kind in (AnswerKind.NUMBER, AnswerKind.MATH, AnswerKind.QA):
        for cut_off in (False, True):
            steps = explained(text, kind=kind, cut_off=cut_off)
            assert (steps.final is None) == (steps.verdict.extracted is None)


@pytest.mark.parametrize(
    "text",
    [
        "\\boxed{18}",
        "#### 18",
        "<answer>18</answer>",
        "Answer: 18",
        "So 18 is the final answer.",
        "It is **18**",
        "18",
        "Perhaps 18 eggs, who knows?",
        "The answer is 17. Wait: the answer is 18.",
    ],
)
def test_the_steps_lead_to_the_verdict(text: str) -> None:
    steps = explained(text)
    assert (steps.final is None) == (steps.verdict.extracted is None)
    assert {offer.how for offer in steps.offers if offer.counts} <= {steps.verdict.how}
    assert steps.verdict.correct is (steps.final is not None)
