"""The tables of a sweep: one a task, a row for each cell, what smaller limits and the strict parser leave of it."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
from rich.console import Group
from rich.table import Table
from rich.text import Text

from evalsuite.baselines.plan import FOLDS
from evalsuite.baselines.scores import ScoreTable
from evalsuite.baselines.sweep import SweepState, TaskSweep
from evalsuite.report.tables import TABLE_STYLE, interval_text, pipes
from evalsuite.stats.intervals import Estimate, mean_interval

CHOSEN, DROPPED = "▸", "·"
LEGEND = (
    f"All shares in per cent, of the choice items. {CHOSEN} chosen; {DROPPED} dropped: it could not win any more. "
    "strict: right in the format asked for, at the largest limit."
)


def sweep_view(state: SweepState, name: str) -> Group:
    """The tables of a sweep for a terminal, with what was chosen and what it cost."""
    parts: list[Any] = [Text(f"{name} · {_cost(state)}", style="bold"), Text()]
    for task in state.tasks:
        parts += [Text(_heading(task), style="bold"), cell_table(task), *(Text(note) for note in notes(task)), Text()]
    return Group(*parts, Text(LEGEND, style="dim"))


def sweep_markdown(state: SweepState, name: str) -> str:
    """The same tables for a README or MLflow."""
    lines = [f"**{name} · {_cost(state)}**", ""]
    for task in state.tasks:
        shown = _columns(task)
        rows = [_row(task, cell) for cell in _best_first(task)]
        lines += [
            _heading(task),
            "",
            pipes(shown),
            pipes("---:" if way == "right" else "---" for way in shown.values()),
        ]
        lines += [pipes(row[header] for header in shown) for row in rows]
        lines += ["", *(f"- {note}" for note in notes(task)), ""]
    return "\n".join([*lines, LEGEND, ""])


def cell_table(task: TaskSweep, rows: int | None = None) -> Table:
    """The cells of a task, best first, at most `rows` of them."""
    table = Table(**TABLE_STYLE)
    shown = _columns(task)
    for header, justify in shown.items():
        table.add_column(Text(header), justify=justify, no_wrap=True)
    for cell in _best_first(task)[:rows]:
        cells = _row(task, cell)
        style = "dim" if cells[""] == DROPPED else "bold" if cells[""] == CHOSEN else ""
        table.add_row(*(Text(cells[header]) for header in shown), style=style)
    return table


def notes(task: TaskSweep) -> list[str]:
    """What was chosen, on what, and how optimistic choosing and scoring on the same items would have been."""
    said = []
    if chosen := task.winners:
        counts = {setting: chosen.count(setting) for setting in dict.fromkeys(chosen)}
        for setting, folds in counts.items():
            of = f" for {folds} of {len(chosen)} folds" if len(chosen) > 1 else ""
            said.append(f"chosen{of}: {task.table.setting(setting)}")
    if (gap := task.optimism) is not None and task.winners:
        said.append(
            f"choosing and scoring on the same {len(task.table.items)} items would have claimed "
            f"{100 * gap:+.1f} points over an honest score (cross-fitted in {FOLDS} folds)"
        )
    if task.facts["note"]:
        said.append(task.facts["note"])
    said += [f"not possible: {cell}: {why}" for cell, why in task.facts["impossible"]]
    return said


def sweep_json(state: SweepState) -> dict[str, Any]:
    """Plain data: every setting of every task with its score; shares are fractions, intervals at 95 %."""
    return {
        "tokens": state.spent,
        "budget": state.budget,
        "complete": state.over,
        "tasks": [
            {
                "task": task.task,
                "choice": task.facts,
                "settings": [
                    {**asdict(task.table.setting(row)), "accuracy": _plain(estimate(task.table.flat[row]))}
                    for row in range(len(task.table.flat))
                ],
                "chosen": [asdict(task.table.setting(row)) for row in task.winners],
                "optimism": task.optimism,
                "dropped": int(task.dropped.sum()),
            }
            for task in state.tasks
        ],
    }


def estimate(scores: np.ndarray[Any, np.dtype[np.float64]]) -> Estimate | None:
    """The mean over those items that have a score."""
    known = scores[~np.isnan(scores)]
    return mean_interval(known) if known.size else None


def _columns(task: TaskSweep) -> dict[str, Any]:
    """Headers and their alignment; a setting that all cells share has no column."""
    table = task.table
    settings = [table.settings_of(cell)[0] for cell in range(len(table.protocols))]
    varies = {
        "prompt": True,
        "chat": len({s.chat for s in settings}) > 1,
        "shots": len({s.shots for s in settings}) > 1,
        "temp": len({s.temperature for s in settings}) > 1,
        "top-p": len({s.top_p for s in settings}) > 1,
    }
    headers: dict[str, Any] = {"": "left"} | {name: "left" for name, is_shown in varies.items() if is_shown}
    headers |= {"items": "right", "accuracy % [95 %]": "right"}
    return headers | dict.fromkeys(_limits(table), "right") | ({"strict": "right"} if _has_strict(table) else {})


def _row(task: TaskSweep, cell: int) -> dict[str, str]:
    table = task.table
    setting = table.settings_of(cell)[0]
    chosen = {row // len(table.readings) for row in task.winners}
    mark = CHOSEN if cell in chosen else DROPPED if task.dropped[cell] else ""
    row = {
        "": mark,
        "prompt": setting.prompt,
        "chat": "on" if setting.chat else "off",
        "shots": str(setting.shots),
        "temp": f"{setting.temperature:g}",
        "top-p": f"{setting.top_p:g}",
        "items": f"{int((~np.isnan(table.values[cell, 0])).sum()):,}",
        "accuracy % [95 %]": interval_text(estimate(table.values[cell, 0])),
    }
    for header, reading in _limits(table).items():
        row[header] = _share(table.values[cell, reading])
    if _has_strict(table):
        row["strict"] = _share(table.values[cell, table.readings.index((table.readings[0][0], "strict"))])
    return row


def _limits(table: ScoreTable) -> dict[str, int]:
    """The smaller limits and the reading of each; the largest is the accuracy itself."""
    first = table.readings[0]
    return {
        f"at\n{limit:,}": number
        for number, (limit, parser) in enumerate(table.readings)
        if parser == first[1] and limit != first[0]
    }


def _has_strict(table: ScoreTable) -> bool:
    return table.readings[0][1] == "lenient" and (table.readings[0][0], "strict") in table.readings


def _best_first(task: TaskSweep) -> list[int]:
    """Chosen cells, then those still in a race, then the dropped ones; each by their score."""
    chosen = {row // len(task.table.readings) for row in task.winners}
    dropped = task.dropped

    def rank(cell: int) -> tuple[bool, bool, float]:
        scores = estimate(task.table.values[cell, 0])
        return (cell not in chosen, bool(dropped[cell]), -(scores.value if scores else -1.0))

    return sorted(range(len(task.table.protocols)), key=rank)


def _heading(task: TaskSweep) -> str:
    of = f"{len(task.table.items)} items of {task.facts['split']}"
    course = task.course
    stage = "" if course.over else f" · round {course.round} of {course.of_rounds}"
    gone = int(task.dropped.sum())
    dropped = f", {gone} of them dropped early" if gone else ""
    return f"{task.task} · chosen on {of} · {len(task.table.protocols)} cells{dropped}{stage}"


def _cost(state: SweepState) -> str:
    spent = f"{state.spent:,} tokens"
    if state.budget is None:
        return spent
    ended = "" if state.over or state.within_budget else ", the next round would cost more than is left"
    return f"{spent} of a budget of {state.budget:,}, {max(0, state.budget - state.spent):,} left{ended}"


def _share(scores: np.ndarray[Any, np.dtype[np.float64]]) -> str:
    known = estimate(scores)
    return f"{100 * known.value:.1f}" if known else "–"


def _plain(known: Estimate | None) -> dict[str, Any] | None:
    return asdict(known) if known else None


def one_line(task: TaskSweep) -> str:
    """Where a task's races stand, for a log file."""
    best: Sequence[int] = task.winners
    now = f", best so far: {task.table.setting(best[0])}" if best else ""
    return f"{_heading(task)}{now}"
