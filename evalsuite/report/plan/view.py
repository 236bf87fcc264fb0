"""The plan for a terminal."""

from collections.abc import Mapping
from typing import Any

from rich.console import Group
from rich.table import Table
from rich.text import Text

from evalsuite.report.plan.data import Need, SamplePlan, assumptions, conclusion, in_points, points
from evalsuite.report.tables import TABLE_STYLE
from evalsuite.stats.levels import Spread


def plan_view(plan: SamplePlan) -> Group:
    """The plan for a terminal. Fits 80 columns."""
    heading = f"{plan.suite}: to see a difference of {in_points(plan.effect)}"
    parts: list[Any] = [Text(heading, style="bold"), Text(), _needs(plan), Text()]
    for run, spreads in plan.spreads.items():
        parts += [Text(f"what moves the accuracies of {run}", style="bold"), Text(), _spreads(spreads), Text()]
    parts += [Text(conclusion(plan)), Text()]
    return Group(*parts, *(Text(line, style="dim") for line in assumptions(plan)))


def _needs(plan: SamplePlan) -> Table:
    table = Table(**TABLE_STYLE)
    table.add_column("task", overflow="fold")
    now = "1 sample" if plan.samples_now == 1 else f"{plan.samples_now:,} samples"
    asked = f"for {in_points(plan.effect)}:"
    headers = (
        "\nitems",
        f"seen with\n{now}",
        "with any\nnumber",
        f"{asked}\nsamples",
        "\nrollouts",
        "or items\nof its kind",
    )
    for header in headers:
        table.add_column(header, justify="right", no_wrap=True)
    for need in plan.tasks:
        table.add_row(*map(Text, _cells(need)))
    if len(plan.tasks) > 1:
        table.add_section()
        table.add_row(*map(Text, _cells(plan.average)), style="bold")
    return table


def _cells(need: Need) -> tuple[str, ...]:
    never = need.samples is None
    return (
        need.name,
        f"{need.items:,}",
        points(need.now),
        points(need.floor),
        "never" if never else f"{need.samples:,}",
        "–" if never else f"{need.rollouts:,}",
        "" if need.items_wanted is None or not never else f"{need.items_wanted:,}",
    )


def _spreads(spreads: Mapping[str, Spread]) -> Table:
    table = Table(**TABLE_STYLE)
    table.add_column("task", overflow="fold")
    headers = ("items", "samples", "standard\nerror", "from\nitems", "from\nsamples")
    for header in headers:
        table.add_column(header, justify="right", no_wrap=True)
    for task, one in spreads.items():
        parts = ("?", "?") if one.within is None else (points(one.error_of_items), points(one.error_of_samples or 0))
        samples = f"{one.samples:.0f}" if one.samples == round(one.samples) else f"{one.samples:.1f}"
        table.add_row(*map(Text, (task, f"{one.items:,}", samples, points(one.standard_error), *parts)))
    return table
