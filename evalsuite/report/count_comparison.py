"""A comparison of counts files, for people and as data."""

from dataclasses import asdict
from typing import Any

from rich.console import Group
from rich.table import Table
from rich.text import Text

from evalsuite.baselines.of_counts import CountComparison, CountRow
from evalsuite.report.comparison import p_text, points
from evalsuite.report.tables import TABLE_STYLE, interval_text

UNKNOWN = (
    "Counts alone: by which settings, data and grader they came about is not known, so no seal holds. p: of tasks "
    "after Holm's correction, of the average, the primary test, as it is. detectable: the smallest true difference "
    "that such a comparison shows in 80 % of cases."
)


def counts_view(comparison: CountComparison) -> Group:
    """The table of one pair for a terminal."""
    table = Table(**TABLE_STYLE)
    table.add_column("task", no_wrap=True)
    for header in ("start", "trained", "gain in points", "p", "detect-\nable", "items×K"):
        table.add_column(header, justify="right", no_wrap=True)
    table.add_column("verdict", min_width=9)
    for row in comparison.tasks:
        table.add_row(*_cells(row))
    if len(comparison.tasks) > 1:
        table.add_section()
        table.add_row(*_cells(comparison.average), style="bold")
    heading = Text(f"{comparison.trained} against {comparison.start}", style="bold")
    alone = [Text(f"{task}: only one file has it, so it is in no average") for task in comparison.only_one]
    return Group(heading, Text(), table, Text(), *alone, Text(UNKNOWN, style="dim"))


def counts_json(comparison: CountComparison) -> dict[str, Any]:
    """Plain data: fractions, intervals at 95 %."""
    return {"level": 0.95, **asdict(comparison), "only_one": list(comparison.only_one)}


def _cells(row: CountRow) -> tuple[str, ...]:
    one, other = row.samples or (None, None)
    samples = "" if one is None else f"×{one}" if one == other else f"×{one}/{other}"
    evidence = row.evidence
    shares = (interval_text(row.start).split(" [")[0], interval_text(row.trained).split(" [")[0])
    found = (p_text(evidence.adjusted), f"{100 * evidence.detectable:.1f}")
    return (row.task, *shares, points(row.gain), *found, f"{row.items:,}{samples}", evidence.word)
