"""The table for a terminal: each number above its interval, in as many parts as the width asks for."""

from collections.abc import Sequence
from typing import Any

from rich.console import Group
from rich.table import Table
from rich.text import Text

from evalsuite.report.suite_table.data import Cell, Column, Mark, Method, SuiteTable
from evalsuite.report.suite_table.words import average_counts, counts, interval, legend, numbered_notes, value
from evalsuite.report.tables import TABLE_STYLE

STYLES = {Mark.BETTER: "bold", Mark.HIGHEST: "underline", Mark.NONE: ""}
SIGNS = {Mark.BETTER: "*", Mark.HIGHEST: "†", Mark.NONE: ""}
"""For where no bold type is seen."""
SUPERSCRIPT = str.maketrans("0123456789,", "⁰¹²³⁴⁵⁶⁷⁸⁹˒")
CELL_WIDTH = 13


def terminal(table: SuiteTable, width: int) -> Group:
    """The whole table within `width` columns of text."""
    names = max(len(_name(table, method)) for method in table.methods)
    at_once = max(1, (width - names) // (CELL_WIDTH + 2))
    parts: list[Any] = [Text(table.title, style="bold"), Text()]
    columns = [*table.columns, None]
    for begin in range(0, len(columns), at_once):
        parts += [_part(table, columns[begin : begin + at_once]), Text()]
    parts += [Text(f"{number} {note}", style="dim") for number, note in numbered_notes(table)]
    said = (legend(table, "Bold*", "Underlined†"), *table.remarks)
    parts += [Text(remark, style="dim") for remark in said]
    return Group(*parts)


def _part(table: SuiteTable, columns: Sequence[Column | None]) -> Table:
    """Some of the columns; None stands for the average."""
    part = Table(**TABLE_STYLE)
    part.add_column("", no_wrap=True)
    for column in columns:
        head = (column.title, counts(column)) if column else ("average", average_counts(table))
        part.add_column(Text("\n".join(head).replace(", K=", "\nK=")), justify="right", min_width=CELL_WIDTH)
    for method, after in zip(table.methods, [*table.methods[1:], None], strict=True):
        cells = [method.cells.get(column.task, Cell()) if column else method.average for column in columns]
        last = after is None or after.kind != method.kind
        part.add_row(Text(_name(table, method)), *map(_text, cells), end_section=last)
    return part


def _name(table: SuiteTable, method: Method) -> str:
    return method.name + ",".join(map(str, table.numbers(method))).translate(SUPERSCRIPT)


def _text(cell: Cell) -> Text:
    shown = Text(value(cell) + SIGNS[cell.mark], style=STYLES[cell.mark])
    return shown.append(f"\n{interval(cell)}", style="not bold not underline dim") if cell.estimate else shown
