"""The table to paste into a README or a paper: Markdown and LaTeX."""

import re
from collections.abc import Iterable

from evalsuite.report.suite_table.data import Cell, Mark, Method, SuiteTable
from evalsuite.report.suite_table.words import average_counts, counts, interval, legend, numbered_notes, value
from evalsuite.report.tables import pipes

LATEX = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "&": r"\&",
        "%": r"\%",
        "$": r"\$",
        "#": r"\#",
        "_": r"\_",
        "{": r"\{",
        "}": r"\}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "–": "--",
        "−": "$-$",
        "±": r"$\pm$",
        "≤": r"$\leq$",
        "<": "$<$",
        ">": "$>$",
        "·": r"$\cdot$",
        "…": r"\ldots{}",
    }
)

MINUS = re.compile(r"(?<![\w.])-(?=\d)")


def markdown(table: SuiteTable) -> str:
    """A pipe table, the best in bold, the highest that is not better beyond noise with a dagger."""
    heads = ["", *(f"{c.title}<br>{counts(c)}" for c in table.columns), f"average<br>{average_counts(table)}"]
    rows = [
        [_named(table, method), *(_markdown_cell(cell) for cell in _cells(table, method))] for method in table.methods
    ]
    lines = [pipes(heads), pipes(["---", *["---:"] * (len(heads) - 1)]), *map(pipes, rows)]
    notes = [f"- <sup>{number}</sup> {note}" for number, note in numbered_notes(table)]
    said = [f"- {remark}" for remark in (legend(table, "Bold", "†"), *table.remarks)]
    return "\n".join([f"**{table.title}**", "", *lines, "", *notes, *said, ""])


def latex(table: SuiteTable) -> str:
    """A table float for booktabs, intervals in a line of their own under each row."""
    heads = [f"{{\\scriptsize {_escaped(column.title)}}}" for column in table.columns]
    under = [_escaped(counts(column)).partition(", ") for column in table.columns]
    notes = [f"\\textsuperscript{{{number}}}~{_escaped(note)}." for number, note in numbered_notes(table)]
    lines = [
        r"% needs \usepackage{booktabs}",
        r"\begin{table*}[t]",
        r"\centering",
        r"\footnotesize\setlength{\tabcolsep}{3pt}",
        f"\\caption{{{_escaped(table.title)}}}",
        f"\\label{{tab:{table.suite}}}",
        f"\\begin{{tabular}}{{l{'r' * (len(heads) + 1)}}}",
        r"\toprule",
        _line(["", *heads, r"{\scriptsize Average}"]),
        _line(["", *(_small(items) for items, _, _ in under), _small(_escaped(average_counts(table)))]),
        _line(["", *(_small(samples) for _, _, samples in under), ""]),
        r"\midrule",
        *_latex_rows(table),
        r"\bottomrule",
        r"\end{tabular}",
        "",
        r"\medskip",
        r"\begin{minipage}{\textwidth}\footnotesize",
        *(f"{note}\\par" for note in notes),
        *(f"{_escaped(remark)}\\par" for remark in (legend(table, "Bold", "Underlined"), *table.remarks)),
        r"\end{minipage}",
        r"\end{table*}",
    ]
    return "\n".join(lines) + "\n"


def _latex_rows(table: SuiteTable) -> Iterable[str]:
    for method, before in zip(table.methods, [None, *table.methods], strict=False):
        if before is not None and before.kind != method.kind:
            yield r"\midrule"
        numbers = ",".join(map(str, table.numbers(method)))
        name = _escaped(method.name) + (f"\\textsuperscript{{{numbers}}}" if numbers else "")
        cells = list(_cells(table, method))
        yield _line([name, *map(_latex_cell, cells)])
        yield _line(["", *(_small(_escaped(interval(cell))) for cell in cells)])


def _cells(table: SuiteTable, method: Method) -> Iterable[Cell]:
    yield from (method.cells.get(column.task, Cell()) for column in table.columns)
    yield method.average


def _named(table: SuiteTable, method: Method) -> str:
    numbers = ",".join(map(str, table.numbers(method)))
    return f"{method.name}<sup>{numbers}</sup>" if numbers else method.name


def _markdown_cell(cell: Cell) -> str:
    shown = {Mark.BETTER: "**{}**", Mark.HIGHEST: "{}†", Mark.NONE: "{}"}[cell.mark].format(value(cell))
    return f"{shown} {interval(cell)}".strip()


def _latex_cell(cell: Cell) -> str:
    marked = {Mark.BETTER: r"\textbf{%s}", Mark.HIGHEST: r"\underline{%s}", Mark.NONE: "%s"}[cell.mark]
    return marked % _escaped(value(cell))


def _small(text: str) -> str:
    return f"{{\\tiny {text}}}" if text else ""


def _line(cells: Iterable[str]) -> str:
    return " & ".join(cells) + r" \\"


def _escaped(text: str) -> str:
    """As LaTeX shows it; a minus before a number is a minus."""
    return MINUS.sub("$-$", text.translate(LATEX))
