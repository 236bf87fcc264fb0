"""The words and numbers of the table that every format shows alike."""

from evalsuite.report.suite_table.data import Cell, Column, Kind, SuiteTable

NOTHING = "–"


def value(cell: Cell) -> str:
    """The number as per cent, with how many benchmarks an incomplete average has."""
    if cell.estimate is None:
        return NOTHING
    part = f" ({cell.of[0]}/{cell.of[1]})" if cell.of and cell.incomplete else ""
    return f"{100 * cell.estimate.value:.{2 if cell.stated else 1}f}{part}"


def interval(cell: Cell) -> str:
    """Its interval, "[3.5, 36.0]", or nothing."""
    if cell.estimate is None or cell.stated:
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


def legend(table: SuiteTable, better: str, highest: str) -> str:
    """What the marks mean; `better` and `highest` name them as the format at hand shows them."""
    starts = [method.name for method in table.methods if method.kind is Kind.START]
    rows = "measured rows" if any(method.kind is Kind.PUBLISHED for method in table.methods) else "rows"
    if not starts:
        return f"{highest}: the highest of the {rows}. No baseline is named, so nothing is marked as better."
    tests = sum(cell.gain is not None for method in table.methods for cell in method.cells.values())
    averages = sum(method.average.gain is not None for method in table.methods)
    corrected = f" after Holm's correction for the {tests} tests of benchmarks" if tests > 1 else ""
    corrected += f", or the {averages} of averages" if averages > 1 else ""
    return (
        f"{better}: the highest of the {rows}, and better than {' and '.join(starts)} beyond noise: paired over items, "
        f"p ≤ 0.05{corrected}. {highest}: the highest, but not better beyond noise."
    )
