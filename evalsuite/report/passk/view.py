"""Pass@k for a terminal: a table a task, measures down, sources across."""

from collections.abc import Iterator, Sequence
from typing import Any

from rich.console import Group
from rich.table import Table
from rich.text import Text

from evalsuite.report.passk.curves import Curve
from evalsuite.report.passk.data import PassK
from evalsuite.report.passk.meeting import meeting_words
from evalsuite.report.tables import TABLE_STYLE, interval_text, interval_width
from evalsuite.stats.intervals import Estimate

ACROSS = 3
"""So many sources fit beside each other in 80 columns."""
LEGEND = (
    "Shares in per cent [95 % interval over items]. Pass@k: at least one of k samples right. avg@n: the mean of all n. "
    "maj@k: the most frequent answer of k right. Cover@τ: items of which at least the share τ of the samples is right."
)


def passk_view(found: PassK) -> Group:
    """All tasks, what can be said of crossings, and the notes. Fits 80 columns."""
    parts: list[Any] = []
    for task in found.tasks:
        parts += [Text(f"{task.task} · {task.items:,} item{'s' if task.items > 1 else ''}", style="bold"), Text()]
        for start in range(0, len(task.curves), ACROSS):
            parts += [_table(task.curves[start : start + ACROSS]), Text()]
        parts += [Text(meeting_words(meeting)) for meeting in task.meetings]
        parts += [Text()] if task.meetings else []
    return Group(*parts, *(Text(note, style="dim") for note in (*found.notes, LEGEND)))


def _table(curves: Sequence[Curve]) -> Table:
    table = Table(**TABLE_STYLE)
    table.add_column("")
    for one in curves:
        table.add_column(Text(f"{one.source.name}\nn = {one.source.samples:,}"), justify="right", overflow="fold")
    columns = [_measures(one) for one in curves]
    width = interval_width([value for column in columns for value in column.values()])
    names = list(dict.fromkeys(name for group in _groups(curves) for name in group))
    ends = {group[-1] for group in _groups(curves) if group}
    for name in names:
        cells = (interval_text(column.get(name), width) for column in columns)
        table.add_row(name, *map(Text, cells), end_section=name in ends)
    return table


def _measures(one: Curve) -> dict[str, Estimate]:
    return {
        **{f"Pass@{point.k}": point.estimate for point in one.points},
        "avg@n": one.average,
        **{f"maj@{k}": value for k, value in one.majority},
        **{f"Cover@{share:g}": value for share, value in one.cover},
    }


def _groups(curves: Sequence[Curve]) -> Iterator[list[str]]:
    """The names of the rows, Pass@k of all sources first; those of one kind stand together."""
    ks = sorted({point.k for one in curves for point in one.points})
    yield [f"Pass@{k}" for k in ks]
    majority = sorted({k for one in curves for k, _ in one.majority})
    shares = sorted({share for one in curves for share, _ in one.cover})
    yield ["avg@n", *(f"maj@{k}" for k in majority), *(f"Cover@{share:g}" for share in shares)]
