"""The tables people read, and the same numbers as plain data."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from math import sqrt
from typing import Any

from rich import box
from rich.console import Group
from rich.table import Table
from rich.text import Text

from evalsuite.report.summary import Summary, TaskRow
from evalsuite.stats.intervals import Estimate

LEGEND = (
    "All shares in per cent. format tax: right, but not in the format asked for. "
    "cut off: ended by the token limit. no answer: no final answer found, cut off or not."
)


TABLE_STYLE: dict[str, Any] = {
    "box": box.SIMPLE_HEAD,
    "padding": (0, 1, 0, 0),
    "pad_edge": False,
    "show_edge": False,
}
SETTINGS = ("prompt", "max_tokens", "samples")
"""A setting that all rows share has no column."""


def summary_table(summary: Summary) -> Group:
    """The table of a run for a terminal: heading, one row a task, the average last, and footnotes. Fits 80 columns."""
    headers, rows = _grid(summary)
    table = Table(**TABLE_STYLE)
    for name, header in headers.items():
        is_text = name in ("task", "prompt")
        table.add_column(
            Text(header), justify="left" if is_text else "right", no_wrap=name != "prompt", overflow="fold"
        )
    for row in rows[: len(summary.tasks)]:
        table.add_row(*map(Text, row))
    if summary.suite:
        table.add_section()
        table.add_row(*map(Text, rows[-1]), style="bold")
    notes = [Text(note, style="dim") for note in (*footnotes(summary), LEGEND)]
    return Group(Text(_heading(summary), style="bold"), Text(), table, Text(), *notes)


def markdown(summary: Summary) -> str:
    """The same table for a README or MLflow, footnotes as a list."""
    headers, rows = _grid(summary)
    aligned = ["---" if name in ("task", "prompt") else "---:" for name in headers]
    lines = [pipes(headers.values()), pipes(aligned), *(pipes(row) for row in rows)]
    notes = [f"- {note}" for note in (*footnotes(summary), LEGEND)]
    return "\n".join([f"**{_heading(summary)}**", "", *lines, "", *notes, ""])


def summary_json(summary: Summary) -> dict[str, Any]:
    """Plain data under the same names: shares are fractions, intervals are at 95 %."""
    data = asdict(summary)
    data["level"] = 0.95
    data["tasks"] = [
        {**asdict(row), "format_tax": row.format_tax, "notes": list(row.notes), "complete": row.complete}
        for row in summary.tasks
    ]
    data["left_out"] = _reasons(summary.left_out)
    if summary.suite:
        data["suite"] |= {"tasks": list(summary.suite.tasks), "missing": _reasons(summary.suite.missing)}
    return data


def footnotes(summary: Summary) -> list[str]:
    """What a number alone would hide, one plain sentence each."""
    suite = summary.suite
    missing = dict(suite.missing) if suite else {}
    notes = [f"{row.task}: {note}" for row in summary.tasks for note in _task_notes(row, told=row.task in missing)]
    if suite and missing:
        size = len({*suite.tasks, *missing})
        average = f"the mean of {len(suite.tasks)} of {size} tasks" if suite.tasks else "without a score"
        notes.append(
            f"incomplete: {suite.suite} is {average}; " + "; ".join(f"{t}: {why}" for t, why in missing.items())
        )
    notes += _levels(summary)
    return notes + [f"{task}: left out, {why}" for task, why in summary.left_out if task not in missing]


def _levels(summary: Summary) -> list[str]:
    """The two parts of the standard error of the suite's mean, or of a single task, where samples tell them apart."""
    rows = [row for row in summary.tasks if row.accuracy is not None]
    spreads = [row.spread for row in rows if row.spread is not None and row.spread.within is not None]
    if len(spreads) < len(rows) or not (len(rows) == 1 or (summary.suite and summary.suite.mean)):
        return []
    of_items = sqrt(sum(one.error_of_items**2 for one in spreads)) / len(rows)
    of_all = sqrt(sum(one.standard_error**2 for one in spreads)) / len(rows)
    of_samples = sqrt(max(0.0, of_all**2 - of_items**2))
    name = summary.suite.suite if summary.suite else rows[0].task
    return [
        f"standard error of {name}: {100 * of_all:.1f} points; {100 * of_items:.1f} from which items there are, "
        f"{100 * of_samples:.1f} from how their samples fell, which alone more samples shrink"
    ]


def interval_text(estimate: Estimate | None, width: int = 4) -> str:
    """An estimate as per cent, "12.5 [ 3.5, 36.0]", each number `width` wide; "–" where there is none."""
    if estimate is None:
        return "–"
    value, low, high = (f"{100 * x:{width}.1f}" for x in (estimate.value, estimate.low, estimate.high))
    return f"{value} [{low}, {high}]"


def interval_width(estimates: Sequence[Estimate | None]) -> int:
    """How wide the numbers of a column of intervals must be to stand one under the other."""
    return max((len(f"{100 * e.high:.1f}") for e in estimates if e), default=4)


def _grid(summary: Summary) -> tuple[dict[str, str], list[list[str]]]:
    """Headers by column name, and the cells of each row, the average's last."""
    suite = summary.suite
    average = suite.mean if suite else None
    width = interval_width([average, *(row.accuracy for row in summary.tasks)])
    several = {name: len({getattr(row, name) for row in summary.tasks}) > 1 for name in SETTINGS}
    headers = {
        "task": "task",
        "prompt": "prompt",
        "max_tokens": "max\ntokens",
        "accuracy": "accuracy %\n[95 % interval]",
        "items": "items",
        "samples": "samples",
    }
    headers |= {"format_tax": "format\ntax", "cut_off": "cut\noff", "no_answer": "no\nanswer"}
    rows = [
        {
            "task": row.task,
            "prompt": row.prompt,
            "max_tokens": "–" if row.max_tokens is None else f"{row.max_tokens:,}",
            "accuracy": interval_text(row.accuracy, width),
            "items": _items(row),
            "samples": str(row.samples),
            "format_tax": _percent(row.format_tax),
            "cut_off": _percent(row.cut_off),
            "no_answer": _percent(row.no_answer),
        }
        for row in summary.tasks
    ]
    if suite:
        name = suite.suite if suite.complete else f"{suite.suite}\nincomplete"
        items = f"{average.n:,}" if average else ""
        rows.append(
            {
                "task": name,
                "accuracy": interval_text(average, width),
                "items": items,
                "format_tax": _percent(suite.format_tax),
            }
        )
    shown = {name: header for name, header in headers.items() if several.get(name, True)}
    return shown, [[row.get(name, "") for name in shown] for row in rows]


def _heading(summary: Summary) -> str:
    prompts, samples = _prompts(summary), _samples(summary)
    parts = [summary.run, summary.checkpoint]
    if len(prompts) == 1:
        parts.append(f"prompt {prompts.pop()}")
    if len(samples) == 1:
        count = samples.pop()
        parts.append(f"{count} sample{'s' if count > 1 else ''} an item")
    return " · ".join(dict.fromkeys(parts))


def _prompts(summary: Summary) -> set[str]:
    return {row.prompt for row in summary.tasks}


def _samples(summary: Summary) -> set[int]:
    return {row.samples for row in summary.tasks}


def _task_notes(row: TaskRow, told: bool) -> list[str]:
    """`told`: the average's own note says what the row lacks."""
    notes = [row.shortfall] if row.shortfall and not told else []
    if row.too_long:
        notes.append(
            f"{row.too_long:,} prompts do not fit the model's context with this token limit and count as wrong"
        )
    if row.score:
        notes.append(f"token F1 {interval_text(row.score)}")
    return [*notes, *row.notes]


def _items(row: TaskRow) -> str:
    fewer = row.official_items is not None and row.items < row.official_items
    return f"{row.items:,}/{row.official_items:,}" if fewer else f"{row.items:,}"


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.1f}"


def _reasons(pairs: Sequence[tuple[str, str]]) -> list[dict[str, str]]:
    return [{"task": task, "why": why} for task, why in pairs]


def pipes(cells: Iterable[str]) -> str:
    """One row of a Markdown table."""
    return "| " + " | ".join(cell.replace("\n", " ").replace("|", "\\|") for cell in cells) + " |"
