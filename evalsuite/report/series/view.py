"""A training run for a terminal: the average of each step, then each task's."""

from collections.abc import Sequence
from typing import Any

from rich.console import Group
from rich.table import Table
from rich.text import Text

from evalsuite.baselines.series import Lead, Series
from evalsuite.report.series.words import conclusion, points
from evalsuite.report.tables import TABLE_STYLE, interval_text, interval_width

ACROSS = 6
"""So many tasks fit beside each other in 80 columns."""
NARROW = 10
"""A longer name is broken at its underscores."""
LEGEND = (
    "Accuracies in per cent [95 % interval over items]; leads in points, paired over items, in intervals that hold for "
    "all steps at once; p likewise (max-T). ▲ ▼: beyond noise, of tasks corrected for all steps and tasks."
)


def series_view(found: Series) -> Group:
    """The whole series. Fits 80 columns."""
    heading = f"{len(found.steps)} step{'s' if len(found.steps) > 1 else ''} against {found.baseline}"
    items = f"{sum(found.tasks.values()):,} items in {len(found.tasks)} task{'s' if len(found.tasks) > 1 else ''}"
    parts: list[Any] = [Text(f"{heading} · {items}", style="bold"), Text(), _averages(found), Text()]
    names = list(found.tasks)
    if len(names) > 1:
        for begin in range(0, len(names), ACROSS):
            parts += [_tasks(found, names[begin : begin + ACROSS]), Text()]
    parts += [Text(sentence) for sentence in conclusion(found)]
    return Group(*parts, Text(), *(Text(note, style="dim") for note in (*found.notes, LEGEND)))


def _averages(found: Series) -> Table:
    table = Table(**TABLE_STYLE)
    what = "average" if len(found.tasks) > 1 else next(iter(found.tasks))
    for header in ("step", what, f"over {found.baseline}", "p", ""):
        table.add_column(Text(header), justify="left" if not header else "right", overflow="fold")
    width = interval_width([found.start_average, *(step.average for step in found.steps)])
    table.add_row("baseline", Text(interval_text(found.start_average, width)), "", "", "", end_section=True)
    for step in found.steps:
        average = interval_text(step.average, width)
        cells = (str(step.step), average, points(step.lead.difference), _p(step.lead.p), _mark(step.lead))
        table.add_row(*map(Text, cells))
    return table


def _tasks(found: Series, names: Sequence[str]) -> Table:
    table = Table(**TABLE_STYLE)
    table.add_column("step", justify="right")
    for name in names:
        broken = name.replace("_", "_\n") if len(name) > NARROW else name
        table.add_column(Text(f"{broken}\n{found.tasks[name]:,} items"), justify="right", overflow="fold")
    start = (f"{100 * found.start[name].value:.1f}  " for name in names)
    table.add_row("baseline", *map(Text, start), end_section=True)
    for step in found.steps:
        cells = (f"{100 * step.accuracies[name].value:.1f} {_mark(step.leads[name]) or ' '}" for name in names)
        table.add_row(str(step.step), *map(Text, cells))
    return table


def _mark(lead: Lead) -> str:
    return "" if not lead.beyond_noise else "▲" if lead.difference.value > 0 else "▼"


def _p(p: float) -> str:
    return "<0.001" if p < 0.001 else f"{p:.3f}"
