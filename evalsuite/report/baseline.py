"""The table of a sealed baseline: each task's chosen setting, and its score on items that chose nothing."""

from collections.abc import Mapping
from typing import Any

from rich.console import Group
from rich.table import Table
from rich.text import Text

from evalsuite.protocol import Setting
from evalsuite.report.tables import TABLE_STYLE, interval_text
from evalsuite.stats.intervals import Estimate

LEGEND = (
    "All shares in per cent, of the scored items. optimism: how many points more the best setting would have claimed, "
    "chosen and read on the same items. strict: right in the format asked for."
)


def baseline_view(content: Mapping[str, Any]) -> Group:
    """The tables of all starting points for a terminal."""
    parts: list[Any] = []
    for model in content["models"]:
        cost = f"{model['sweep']['tokens']:,} tokens to choose"
        parts += [
            Text(f"{model['name']} · {content['suite'] or 'tasks'} · {cost}", style="bold"),
            _table(model),
            Text(),
        ]
        parts += [Text(f"{task}: {why}") for task, why in _notes(model)]
    return Group(*parts, Text(LEGEND, style="dim"))


def setting_of_entry(entry: Mapping[str, Any]) -> Setting:
    """The setting in a `chosen` entry of a baseline's file."""
    return Setting(**{name: entry[name] for name in Setting.__dataclass_fields__})


def _table(model: Mapping[str, Any]) -> Table:
    table = Table(**TABLE_STYLE)
    for header in ("task", "chosen"):
        table.add_column(header, overflow="fold", no_wrap=header == "task")
    for header in ("accuracy % [95 %]", "strict", "items", "optimism"):
        table.add_column(header, justify="right", no_wrap=True)
    for task, entry in model["tasks"].items():
        optimism = entry["optimism"]
        table.add_row(
            Text(task),
            Text("\n".join(_chosen(entry))),
            interval_text(Estimate(**entry["accuracy"])),
            f"{100 * entry['strict']['value']:.1f}",
            f"{entry['scored']['items']:,}",
            "–" if optimism is None else f"{100 * optimism:+.1f}",
        )
    table.add_section()
    average = Estimate(**model["average"])
    table.add_row("average", "", interval_text(average), "", f"{average.n:,}", "", style="bold")
    return table


def _chosen(entry: Mapping[str, Any]) -> list[str]:
    """Each setting once, with the number of folds that chose it."""
    settings = [str(setting_of_entry(chosen)) for chosen in entry["chosen"]]
    if len(settings) == 1:
        return settings
    return [f"{setting} ({settings.count(setting)} of {len(settings)} folds)" for setting in dict.fromkeys(settings)]


def _notes(model: Mapping[str, Any]) -> list[tuple[str, str]]:
    notes = [(task, entry["choice"]["note"]) for task, entry in model["tasks"].items() if entry["choice"]["note"]]
    notes += [
        (task, f"not possible: {cell}: {why}")
        for task, entry in model["tasks"].items()
        for cell, why in entry["impossible"]
    ]
    return notes + [(task, f"left out, {why}") for task, why in model["left_out"]]
