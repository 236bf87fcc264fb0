"""The words and numbers of the table that every format shows alike."""

from evalsuite.report.suite_table.data import Cell, Column, SuiteTable

NOTHING = "–"


def value(cell: Cell) -> str:
    """The number as per cent, with how many benchmarks an incomplete average has."""
    if cell.estimate is None:
        return NOTHING
    part = f" ({cell.of[0]}/{cell.of[1]})" if cell.of and cell.incomplete else ""
    return f"{100 * cell.estimate.value:.1f}{part}"


def interval(cell: Cell) -> str:
    """Its interval, "[3.5, 36.0]", or nothing."""
    if cell.estimate is None:
        return ""
    return f"[{100 * cell.estimate.low:.1f}, {100 * cell.estimate.high:.1f}]"


def counts(column: Column) -> str:
    """Items and samples of a benchmark: "n=1,319, K=8"."""
    if column.items is None:
        return ""
    fewer = column.official is not None and column.items < column.official
    items = f"n={column.items:,}/{column.official:,}" if fewer else f"n={column.items:,}"
    samples = "/".join(map(str, column.samples))
    return f"{items}, K={samples}" if samples else items


def average_counts(table: SuiteTable) -> str:
    """What the average is over."""
    return f"mean of {len(table.columns)}"


def numbered_notes(table: SuiteTable) -> list[tuple[int, str]]:
    """The footnotes of rows with their numbers."""
    return list(enumerate(table.footnotes, start=1))
