"""What goes to MLflow, as plain data: made of a run, a sweep, a baseline or a comparison, and sent by `log`."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from evalsuite.stats.intervals import Estimate


class Upload(NamedTuple):
    """A file, and the folder among MLflow's artifacts that it goes to; "" is the top."""

    path: Path
    place: str = ""


class Dataset(NamedTuple):
    """A task, the sha256 over its items, and where they come from."""

    task: str
    sha256: str
    source: str


@dataclass(frozen=True, slots=True)
class Child:
    """A run below the record's own run. `key` tells it from its siblings, whenever they are logged again."""

    key: str
    name: str
    params: dict[str, str]
    metrics: dict[str, float]
    tags: dict[str, str]


@dataclass(frozen=True, slots=True)
class Record:
    """One MLflow run and its children. Parameters, metrics and tags are as `params`, `metrics` and `tags` make them.

    Metrics are fractions, not per cent. `datasets` are what was asked, `table` is Markdown, `data` holds JSON by the
    name of its file. None of it may hold the text of a gated task.
    """

    experiment: str
    name: str
    params: dict[str, str]
    metrics: dict[str, float]
    tags: dict[str, str]
    table: str
    data: dict[str, Any] = field(default_factory=dict)
    datasets: tuple[Dataset, ...] = ()
    artifacts: tuple[Upload, ...] = ()
    children: tuple[Child, ...] = ()


def params(values: Mapping[str, Any]) -> dict[str, str]:
    """Parameters under names and of a length that MLflow takes."""
    return {allowed(name): str(value)[:500] for name, value in values.items()}


def tags(values: Mapping[str, Any]) -> dict[str, str]:
    """Tags under names and of a length that MLflow takes."""
    return {allowed(name): str(value)[:5000] for name, value in values.items()}


def metrics(values: Mapping[str, float | None]) -> dict[str, float]:
    """Metrics under names that MLflow takes, without those that have no value."""
    return {allowed(name): float(value) for name, value in values.items() if value is not None}


def ends(name: str, estimate: Estimate | Mapping[str, Any] | None) -> dict[str, float | None]:
    """An estimate, or what JSON made of one, with the ends of its interval: three metrics."""
    if estimate is None:
        return {}
    known = estimate if isinstance(estimate, Estimate) else Estimate(**estimate)
    return {name: known.value, f"{name}_low": known.low, f"{name}_high": known.high}


def tally(choices: Sequence[str]) -> str:
    """What was chosen, in words; where folds chose, how many of them chose which."""
    if len(choices) == 1:
        return choices[0]
    return "; ".join(f"{one} ({choices.count(one)} of {len(choices)} folds)" for one in dict.fromkeys(choices))


def pipes(headers: Sequence[str], rows: Iterable[Sequence[str]], right: Sequence[str] = ()) -> str:
    """A table in Markdown; the columns named `right` are aligned there."""
    lines = [headers, ["---:" if header in right else "---" for header in headers], *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def allowed(name: str) -> str:
    """MLflow's names hold letters, digits, "_", "-", "." and little else; "@" and brackets are refused."""
    return re.sub(r"[^A-Za-z0-9_.-]", "_", name.replace("@", "_at_"))[:250]
