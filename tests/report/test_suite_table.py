"""The paper's table from rows made by hand: marks, corrections, and what each format makes of them."""

import csv
import json
from dataclasses import replace
from io import StringIO

import pytest
from rich.console import Console

from evalsuite.report.suite_table.data import Cell, Column, Gain, Kind, Mark, Method, SuiteTable
from evalsuite.report.suite_table.marks import corrected, marked
from evalsuite.report.suite_table.markup import latex, markdown
from evalsuite.report.suite_table.page import html
from evalsuite.report.suite_table.plain import as_csv, as_json
from evalsuite.report.suite_table.terminal import terminal
from evalsuite.stats.intervals import Estimate

TASKS = ("sums", "words")


def cell(value: float, p: float | None = None, *, against: float = 0.5, of: tuple[int, int] | None = None) -> Cell:
    estimate = Estimate(value, max(0, value - 0.05), min(1, value + 0.05), 400)
    if p is None:
        return Cell(estimate, 4, of=of)
    d = value - against
    return Cell(estimate, 4, Gain("base", Estimate(d, d - 0.05, d + 0.05, 400), p, p, 0.07, ""), of=of)


def row(name: str, kind: Kind, sums: Cell, words: Cell, average: Cell, *notes: str) -> Method:
    return Method(name, kind, {"sums": sums, "words": words}, average, notes)


def whole(*methods: Method) -> SuiteTable:
    columns = (Column("sums", "Sums & differences", 400, 400, (4,)), Column("words", "Words", 400, 1319, (1, 4)))
    return SuiteTable("mine", "Mine: 50 % of_all", columns, methods, ("A remark on <all> of it.",))


BASE = row("base", Kind.START, cell(0.5), cell(0.5), cell(0.5, of=(2, 2)))


def test_the_best_is_marked_only_where_it_is_better_than_the_baseline_beyond_noise():
    sure = row("sure", Kind.TRAINED, cell(0.60, 0.001), cell(0.55, 0.2), cell(0.575, 0.03, of=(2, 2)))
    _, found = marked([BASE, sure_corrected(sure)], TASKS)
    assert found.cells["sums"].mark is Mark.BETTER
    assert found.cells["words"].mark is Mark.HIGHEST
    assert found.average.mark is Mark.BETTER


def sure_corrected(method: Method) -> Method:
    return corrected([method])[0]


def test_the_correction_counts_the_benchmarks_of_all_rows_and_the_averages_apart():
    one = row("one", Kind.TRAINED, cell(0.6, 0.02), cell(0.6, 0.01), cell(0.6, 0.04, of=(2, 2)))
    two = row("two", Kind.TRAINED, cell(0.4, 0.9), cell(0.6, 0.5), cell(0.5, 0.8, of=(2, 2)))
    _, one, two = corrected([BASE, one, two])
    # Four tests: 4 x 0.01, 3 x 0.02, 2 x 0.5, 0.9 raised to what came before it.
    assert one.cells["words"].gain.adjusted == pytest.approx(0.04)
    assert one.cells["sums"].gain.adjusted == pytest.approx(0.06)
    assert two.cells["words"].gain.adjusted == two.cells["sums"].gain.adjusted == 1
    assert (one.cells["words"].gain.word, one.cells["sums"].gain.word) == ("gain", "too small to tell")
    # Two averages: 2 x 0.04, 1 x 0.8.
    assert one.average.gain.adjusted == pytest.approx(0.08)
    assert two.average.gain.adjusted == pytest.approx(0.8)


def test_a_baseline_on_top_is_the_highest_and_no_better_than_itself():
    worse = row("worse", Kind.TRAINED, cell(0.4, 1e-6), cell(0.5, 1.0), cell(0.45, 1e-6, of=(2, 2)))
    base, other = marked(corrected([BASE, worse]), TASKS)
    assert base.cells["sums"].mark is Mark.HIGHEST
    assert other.cells["sums"].mark is Mark.NONE
    assert base.cells["words"].mark is other.cells["words"].mark is Mark.NONE  # all the same


def test_an_incomplete_average_takes_no_part():
    partial = Method("partial", Kind.TRAINED, {"sums": cell(0.9, 1e-9)}, cell(0.9, of=(1, 2)))
    third = row("third", Kind.TRAINED, cell(0.4), cell(0.4), cell(0.4, of=(2, 2)))
    base, found, _ = marked([BASE, partial, third], TASKS)
    assert found.average.mark is Mark.NONE
    assert base.average.mark is Mark.HIGHEST


TABLE = whole(
    *marked(
        corrected(
            [
                replace(BASE, notes=("the same for both",)),
                row(
                    *("a_b <i>", Kind.TRAINED, cell(0.6, 1e-4), cell(0.55, 0.3), cell(0.575, 1e-3, of=(2, 2))),
                    *("the same for both", "of this one"),
                ),
                Method("half", Kind.TRAINED, {"sums": cell(0.4, 1e-4)}, cell(0.4, of=(1, 2))),
            ]
        ),
        TASKS,
    )
)


def test_markdown():
    lines = markdown(TABLE).splitlines()
    assert lines[2] == "|  | Sums & differences<br>n=400, K=4 | Words<br>n=400/1,319, K=1/4 | average<br>mean of 2 |"
    assert lines[4] == "| base<sup>1</sup> | 50.0 [45.0, 55.0] | 50.0 [45.0, 55.0] | 50.0 [45.0, 55.0] |"
    assert lines[5] == (
        "| a_b <i><sup>1,2</sup> | **60.0** [55.0, 65.0] | 55.0† [50.0, 60.0] | **57.5** [52.5, 62.5] |"
    )
    assert lines[6] == "| half | 40.0 [35.0, 45.0] | – | 40.0 (1/2) [35.0, 45.0] |"
    assert "- <sup>2</sup> of this one" in lines


def test_latex_escapes_and_marks():
    text = latex(TABLE)
    assert r"\caption{Mine: 50 \% of\_all}" in text
    assert r"a\_b $<$i$>$\textsuperscript{1,2} & \textbf{60.0} & \underline{55.0} & \textbf{57.5} \\" in text
    assert r"half & 40.0 & -- & 40.0 (1/2) \\" in text
    assert r" & {\scriptsize Sums \& differences} & {\scriptsize Words} & {\scriptsize Average} \\" in text
    assert text.count(r"\midrule") == 2  # under the head, and between the start and what was trained


def test_csv_has_a_line_for_each_number():
    lines = list(csv.DictReader(StringIO(as_csv(TABLE))))
    assert [(line["method"], line["benchmark"]) for line in lines[3:6]] == [
        ("a_b <i>", "sums"),
        ("a_b <i>", "words"),
        ("a_b <i>", "average"),
    ]
    assert lines[3]["mark"] == "better"
    assert float(lines[3]["gain"]) == pytest.approx(0.1)
    assert float(lines[3]["p_adjusted"]) == pytest.approx(3e-4)
    assert lines[7]["value"] == ""
    assert lines[8]["incomplete"] == "True"


def test_json_is_plain_data():
    data = json.loads(json.dumps(as_json(TABLE)))
    assert data["methods"][1]["cells"]["sums"]["gain"]["word"] == "gain"
    assert data["methods"][2]["average"]["of"] == [1, 2]


def test_html_escapes_what_comes_from_data():
    page = html(TABLE)
    assert "a_b &lt;i&gt;<sup>1,2</sup>" in page
    assert "A remark on &lt;all&gt; of it." in page
    assert '<span class="better">60.0</span><small>[55.0, 65.0]</small>' in page


@pytest.mark.parametrize("width", [40, 60, 80, 200])
def test_a_terminal_of_any_width_shows_every_number(width: int):
    console = Console(width=width, record=True, file=StringIO())
    console.print(terminal(TABLE, width))
    text = console.export_text()
    assert max(map(len, text.splitlines())) <= width
    for shown in ("60.0*", "55.0†", "57.5*", "40.0 (1/2)", "[52.5, 62.5]", "a_b <i>¹˒²", "n=400/1,319"):
        assert shown in text
