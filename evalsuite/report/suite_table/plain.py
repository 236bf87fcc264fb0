"""The table as data: CSV with one line a number, and JSON."""

import csv
from dataclasses import asdict
from io import StringIO
from typing import Any

from evalsuite.report.suite_table.data import Cell, SuiteTable

FIELDS = (
    *("method", "kind", "benchmark", "value", "low", "high", "items", "samples"),
    *("against", "gain", "gain_low", "gain_high", "p", "p_adjusted", "detectable", "verdict", "mark", "incomplete"),
)


def as_csv(table: SuiteTable) -> str:
    """One line for each number; shares and gains are fractions, intervals at 95 %."""
    text = StringIO()
    writer = csv.DictWriter(text, FIELDS, lineterminator="\n")
    writer.writeheader()
    for method in table.methods:
        cells = {column.task: method.cells.get(column.task, Cell()) for column in table.columns}
        for benchmark, cell in (cells | {"average": method.average}).items():
            writer.writerow({"method": method.name, "kind": method.kind, "benchmark": benchmark, **_fields(cell)})
    return text.getvalue()


def as_json(table: SuiteTable) -> dict[str, Any]:
    """Everything in the table; shares and gains are fractions, intervals at 95 %."""
    return {"level": 0.95, **asdict(table)}


def _fields(cell: Cell) -> dict[str, Any]:
    estimate, gain = cell.estimate, cell.gain
    fields: dict[str, Any] = {"samples": cell.samples, "mark": cell.mark, "incomplete": cell.incomplete or ""}
    if estimate:
        fields |= {"value": estimate.value}
    if estimate and not cell.stated:
        fields |= {"low": estimate.low, "high": estimate.high, "items": estimate.n}
    if gain:
        difference = gain.difference
        fields |= {"against": gain.against, "p": gain.p, "p_adjusted": gain.adjusted, "verdict": gain.word}
        fields |= {"gain": difference.value, "gain_low": difference.low, "gain_high": difference.high}
        fields |= {"detectable": gain.detectable}
    return fields
