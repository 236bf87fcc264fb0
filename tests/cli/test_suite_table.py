"""`evalsuite table SUITE RUN…` over models of known ability: the rows, the marks, and what it refuses."""

import csv
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.lab import MODELS, PLAIN, SCORED, Lab

NUMBERS = {"sums": SCORED, "plain": PLAIN}


def table(lab: Lab, *arguments: object) -> Any:
    return lab.json("table", "mine", *arguments, "--include", lab.home / "tasks")


def text(lab: Lab, *arguments: object) -> str:
    return lab.done("table", "mine", *arguments, "--include", lab.home / "tasks").out


def methods(found: Any) -> dict[str, Any]:
    return {method["name"]: method for method in found["methods"]}


@pytest.fixture(scope="module")
def runs(lab: Lab, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Runs of three models by hand-given settings; one of a single task, one of fewer items."""
    folder = tmp_path_factory.mktemp("runs")
    made = {name: folder / name for name in ("start", "liner", "trained", "fewer", "one")}
    asked = ("--prompt", "answer_line", "--temperature", 0, "--max-tokens", 64)
    for name in ("start", "liner", "trained"):
        lab.done(*lab.eval(name, *asked, tasks=None), "--suite", "mine", "--out", made[name])
    lab.done(*lab.eval("trained", *asked, "--limit", 10, tasks=None), "--suite", "mine", "--out", made["fewer"])
    lab.done(*lab.eval("trained", *asked, tasks="sums"), "--out", made["one"])
    return made


def knows(name: str, task: str, form: str) -> float:
    return sum(MODELS[name].knows(number, form) for number in NUMBERS[task]) / len(NUMBERS[task])


def test_each_row_has_its_own_scores_and_the_gain_over_the_baseline(lab: Lab, runs: dict[str, Path]) -> None:
    found = table(lab, runs["liner"], runs["trained"], "--baseline", runs["start"])
    rows = methods(found)
    assert [(name, row["kind"]) for name, row in rows.items()] == [
        ("start", "start"),
        ("liner", "trained"),
        ("trained", "trained"),
    ]
    for name, row in rows.items():
        shares = {task: knows(name, task, "answer_line") for task in ("sums", "plain")}
        for task, share in shares.items():
            assert row["cells"][task]["estimate"]["value"] == pytest.approx(share)
            assert row["cells"][task]["estimate"]["n"] == 30
        assert row["average"]["estimate"]["value"] == pytest.approx(sum(shares.values()) / 2)
    gain = rows["liner"]["average"]["gain"]
    assert gain["against"] == "start"
    assert gain["difference"]["value"] == pytest.approx(
        rows["liner"]["average"]["estimate"]["value"] - rows["start"]["average"]["estimate"]["value"]
    )
    assert gain["word"] == "gain"
    assert rows["liner"]["average"]["mark"] == "better"
    assert rows["trained"]["average"]["mark"] == rows["start"]["average"]["mark"] == ""
    assert [column["items"] for column in found["columns"]] == [30, 30]
    assert [column["samples"] for column in found["columns"]] == [[1], [1]]


def test_a_broken_seal_is_a_footnote(lab: Lab, runs: dict[str, Path], sealed: dict[str, Path]) -> None:
    rows = methods(table(lab, runs["liner"], sealed["trained"], "--baseline", sealed["start"]))
    broken = [note for note in rows["liner"]["notes"] if "equal effort" in note]
    assert len(broken) == 1
    assert "start had a grid to choose from" in broken[0]
    assert not any("equal effort" in note for note in rows["trained"]["notes"])
    assert rows["trained"]["average"]["mark"] != "better"  # equal to the start once its parser is fair


def test_without_a_baseline_nothing_is_better(lab: Lab, runs: dict[str, Path]) -> None:
    found = table(lab, runs["liner"], runs["trained"])
    marks = {row["average"]["mark"] for row in found["methods"]}
    assert marks == {"highest", ""}
    assert all(row["average"]["gain"] is None for row in found["methods"])


def test_an_average_that_lacks_a_task_is_marked_and_not_compared(lab: Lab, runs: dict[str, Path]) -> None:
    found = table(lab, runs["one"], "--baseline", runs["start"])
    average = methods(found)["trained"]["average"]
    assert (average["of"], average["gain"], average["mark"]) == ([1, 2], None, "")
    assert "not run: plain" in methods(found)["trained"]["notes"]
    assert "(1/2)" in text(lab, runs["one"], "--baseline", runs["start"])


@pytest.mark.parametrize("form", ["rich", "md", "latex", "csv", "html"])
def test_every_format_holds_every_average(lab: Lab, runs: dict[str, Path], form: str) -> None:
    names = (runs["liner"], runs["trained"], "--baseline", runs["start"])
    rows = methods(table(lab, *names))
    shown = text(lab, *names, "--format", form)
    for name, row in rows.items():
        value = row["average"]["estimate"]["value"]
        assert name in shown
        assert (repr(value) if form == "csv" else f"{100 * value:.1f}") in shown
    if form == "csv":
        assert len(list(csv.DictReader(StringIO(shown)))) == 9
    if form == "rich":
        assert max(map(len, shown.splitlines())) <= 80


def test_what_is_refused(lab: Lab, runs: dict[str, Path]) -> None:
    include = ("--include", lab.home / "tasks")
    said = lab.refused("30 items against 10", "table", "mine", runs["trained"], runs["fewer"], *include)
    assert "fewer" in said
    lab.refused("of which runs?", "table", "mine", *include)
    lab.refused("one of rich, md, latex, csv, json, html", "table", "mine", runs["one"], "--format", "pdf", *include)
    lab.refused("for the table of a suite", "table", runs["one"], "--format", "latex")
    lab.refused("--baseline: for the table of a suite", "table", runs["one"], "--baseline", runs["start"])
    lab.refused("--max-tokens", "table", "mine", runs["one"], "--max-tokens", "10", *include)
    lab.refused("has no task of avg8", "table", "avg8", runs["one"], *include)
    lab.refused("nowhere", "table", "mine", "nowhere", *include)


def test_published_rows_stand_apart_and_are_never_compared(lab: Lab, runs: dict[str, Path], tmp_path: Path) -> None:
    claim = {
        "title": "Theirs",
        "source": "a paper",
        "model": "a model",
        "columns": [{"name": "SUMS", "task": "sums", "items": 30}, {"name": "Elsewhere", "items": 10}],
        "average": {"name": "Mean", "of": 2},
        "rows": [{"name": "theirs", "values": {"SUMS": 90.0, "Elsewhere": 10.0}, "average": 50.0}],
    }
    file = tmp_path / "claim.yaml"
    file.write_text(yaml.safe_dump(claim))
    names = (runs["liner"], "--baseline", runs["start"], "--published", file)
    theirs = methods(table(lab, *names))["theirs"]
    assert theirs["kind"] == "published"
    assert theirs["cells"].keys() == {"sums"}
    assert theirs["cells"]["sums"]["estimate"]["value"] == pytest.approx(0.9)
    assert theirs["cells"]["sums"]["mark"] == ""
    assert theirs["average"]["stated"]
    assert theirs["average"]["gain"] is None
    assert any("never compared with the other rows" in note for note in theirs["notes"])
    assert "published (a paper)" in " ".join(text(lab, *names).split())
    lab.refused(
        "has no accuracy on a task of mine", "table", "mine", runs["one"], "--published", "search-r1", *included(lab)
    )
    lab.refused("no claim named", "table", "mine", runs["one"], "--published", "nobody", *included(lab))


def included(lab: Lab) -> tuple[object, ...]:
    return ("--include", lab.home / "tasks")
