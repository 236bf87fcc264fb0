import io
import json
from dataclasses import replace

import pytest
from rich.console import Console, RenderableType

from evalsuite.report.summary import Summary, TaskRow, summarise_suite
from evalsuite.report.tables import markdown, summary_json, summary_table
from evalsuite.stats.intervals import wilson
from evalsuite.stats.levels import Spread


def task_row(task: str, right: int, items: int, **changes) -> TaskRow:
    row = TaskRow(
        task=task,
        cell="0" * 16,
        prompt="boxed",
        items=items,
        official_items=items,
        samples=1,
        max_tokens=64,
        expected=items,
        done=items,
        accuracy=wilson(right, items),
        strict=wilson(right // 2, items),
        score=None,
        cut_off=0.125,
        no_answer=0.0,
        failed=0,
        too_long=0,
        unscored=0,
        gated=False,
        notes=(),
    )
    return replace(row, **changes)


def summary_of(*rows: TaskRow, members=("gsm8k", "gpqa_diamond"), left_out=()) -> Summary:
    suite = summarise_suite("avg8", members, rows, dict(left_out))
    return Summary("run-1", "SmolLM2-135M-Instruct", rows, suite, tuple(left_out))


FULL = summary_of(task_row("gsm8k", 1, 8, official_items=1319), task_row("gpqa_diamond", 50, 198))
PARTIAL = summary_of(
    task_row("gsm8k", 1, 8, done=7, failed=1, prompt="cot_8shot_text", notes=("the [first] 8 items",)),
    task_row("nq_open", 8, 8, score=wilson(8, 8), too_long=2, prompt="short_answer"),
    members=("gsm8k", "nq_open", "gpqa_diamond"),
    left_out=[("gpqa_diamond", "its data is neither on the hub nor in the mirror")],
)


def rendered(content: RenderableType, width: int = 80) -> str:
    out = io.StringIO()
    Console(file=out, width=width).print(content)
    return out.getvalue()


def test_a_full_table_at_80_columns():
    text = rendered(summary_table(FULL))
    print(text)
    lines = text.splitlines()
    assert "run-1 · SmolLM2-135M-Instruct · prompt boxed · 1 sample an item" in lines[0]
    assert "gsm8k 12.5 [ 2.2, 47.1] 8/1,319 12.5 12.5 0.0" in [" ".join(line.split()) for line in lines]
    assert "avg8 18.9 [13.0, 36.5] 206 12.6" in [" ".join(line.split()) for line in lines]
    assert "incomplete" not in text
    assert "\x1b" not in text
    assert max(map(len, lines)) <= 80


def test_a_partial_table_says_what_it_lacks():
    text = rendered(summary_table(PARTIAL))
    print(text)
    plain = " ".join(text.split())
    assert "cot_8shot_text" in text
    assert (
        "incomplete: avg8 is the mean of 2 of 3 tasks; gsm8k: 1 of 8 requests failed; gpqa_diamond: its data" in plain
    )
    assert plain.count("1 of 8 requests failed") == 1
    assert plain.count("its data is neither") == 1
    assert "nq_open: 2 prompts do not fit the model's context with this token limit and count as wrong" in plain
    assert "nq_open: token F1 100.0 [67.6, 100.0]" in plain
    assert "gsm8k: the [first] 8 items" in plain
    assert max(map(len, text.splitlines())) <= 80


def test_no_average_where_a_task_stands_under_several_prompts():
    rows = (task_row("gsm8k", 1, 8), task_row("gsm8k", 2, 8, prompt="plain", samples=4))
    text = rendered(summary_table(Summary("run-1", "m", rows, None, (("aqua", "no data"),))))
    assert "prompt" in text
    assert "samples" in text
    assert "avg8" not in text
    assert "aqua: left out, no data" in text


def test_a_row_without_a_score_and_an_empty_suite():
    nothing = {"accuracy": None, "strict": None, "cut_off": None, "no_answer": None}
    row = replace(task_row("gsm8k", 0, 8, **nothing), items=0, done=0)
    text = rendered(summary_table(summary_of(row, members=("gsm8k",))))
    assert "–" in text
    assert "avg8 is without a score" in text


def test_markdown_holds_the_same_cells():
    text = markdown(PARTIAL)
    assert "| task | prompt | accuracy % [95 % interval] | items | format tax | cut off | no answer |" in text
    assert "| --- | --- | ---: | ---: | ---: | ---: | ---: |" in text
    assert "| avg8 incomplete |" in text
    assert "- nq_open: token F1" in text


def test_json_is_plain_data():
    data = json.loads(json.dumps(summary_json(PARTIAL)))
    assert data["level"] == 0.95
    assert data["tasks"][0]["accuracy"]["n"] == 8
    assert data["tasks"][0]["complete"] is False
    assert data["tasks"][0]["format_tax"] == pytest.approx(1 / 8)
    assert data["suite"]["missing"][1]["task"] == "gpqa_diamond"
    assert data["left_out"] == [{"task": "gpqa_diamond", "why": "its data is neither on the hub nor in the mirror"}]


def test_the_two_levels_of_luck_of_an_average():
    """Two tasks of standard errors 3 and 4 points, of which the items make 0 and 4: in all √25/2, of items 4/2."""
    one = Spread(items=100, samples=4, between=0.0, within=0.36, standard_error=0.03)
    other = Spread(items=100, samples=4, between=0.16, within=0.0, standard_error=0.04)
    rows = [task_row(task, 1, 8, spread=s) for task, s in (("gsm8k", one), ("gpqa_diamond", other))]
    said = " ".join(rendered(summary_table(summary_of(*rows))).split())
    assert "standard error of avg8: 2.5 points; 2.0 from which items there are, 1.5 from how" in said
    single = [replace(row, spread=None) for row in rows]
    assert "standard error" not in rendered(summary_table(summary_of(*single)))
