"""Which numbers of a table are marked, after correction for how many tests it holds."""

from collections.abc import Sequence
from dataclasses import replace

from evalsuite.report.suite_table.data import Cell, Gain, Kind, Mark, Method
from evalsuite.stats.verdicts import Word, holm, verdict


def corrected(methods: Sequence[Method]) -> list[Method]:
    """The same rows with p-values corrected by Holm's method: over all rows' benchmarks, and over averages."""
    of_cells = [gain for method in methods for cell in method.cells.values() if (gain := cell.gain)]
    of_averages = [gain for method in methods if (gain := method.average.gain)]
    told = dict(zip(map(id, of_cells), holm([gain.p for gain in of_cells]), strict=True))
    told |= dict(zip(map(id, of_averages), holm([gain.p for gain in of_averages]), strict=True))

    def adjusted(cell: Cell) -> Cell:
        if cell.gain is None:
            return cell
        return replace(cell, gain=_with(cell.gain, told[id(cell.gain)]))

    return [
        replace(
            method,
            cells={task: adjusted(cell) for task, cell in method.cells.items()},
            average=adjusted(method.average),
        )
        for method in methods
    ]


def marked(methods: Sequence[Method], tasks: Sequence[str]) -> list[Method]:
    """The same rows with the highest number of each column marked; averages that lack benchmarks do not take part."""
    found = list(methods)
    for task in tasks:
        marks = _marks([method.cells.get(task, Cell()) for method in methods], methods)
        for number, mark in enumerate(marks):
            if mark:
                cells = found[number].cells
                found[number] = replace(found[number], cells=cells | {task: replace(cells[task], mark=mark)})
    for number, mark in enumerate(_marks([method.average for method in methods], methods)):
        found[number] = replace(found[number], average=replace(found[number].average, mark=mark))
    return found


def _marks(cells: Sequence[Cell], methods: Sequence[Method]) -> list[Mark]:
    values = [cell.estimate.value if cell.estimate and not cell.incomplete else -1.0 for cell in cells]
    ranked = [value for value in values if value >= 0]
    if len(set(ranked)) < 2:  # one number alone, or all the same
        return [Mark.NONE] * len(cells)
    rows = zip(values, cells, methods, strict=True)
    return [_mark(cell, method.kind) if value == max(values) else Mark.NONE for value, cell, method in rows]


def _mark(cell: Cell, kind: Kind) -> Mark:
    better = kind is Kind.TRAINED and cell.gain is not None and cell.gain.word == Word.GAIN
    return Mark.BETTER if better else Mark.HIGHEST


def _with(gain: Gain, adjusted: float) -> Gain:
    word = verdict(gain.difference.value, adjusted, gain.detectable)
    return replace(gain, adjusted=adjusted, word=word)
