"""Rows of the paper's table that nobody here measured."""

from collections.abc import Iterator, Mapping, Sequence

from evalsuite.catalog.suites import Suite
from evalsuite.claims.check import Number, check
from evalsuite.claims.model import Claim, Measure
from evalsuite.errors import RequestError
from evalsuite.report.suite_table.data import Cell, Kind, Method
from evalsuite.stats.intervals import Estimate


def published_rows(claim: Claim, suite: Suite) -> list[Method]:
    """The rows of a claim on those of its columns that are tasks of the suite.

    Raises:
        RequestError: none of its columns is, or its numbers are not accuracies.
    """
    tasks = {column.name: column.task for column in claim.columns if column.task and column.task in suite.tasks}
    if not tasks or claim.measure is not Measure.ACCURACY:
        raise RequestError(
            f"--published {claim.name}: has no accuracy on a task of {suite.name} (`task:` of its columns)"
        )
    numbers = check(claim).numbers
    return [_method(claim, row.name, row.average, tasks, numbers) for row in (*claim.before, *claim.rows)]


def _method(
    claim: Claim, name: str, average: float | None, tasks: Mapping[str, str], numbers: Sequence[Number]
) -> Method:
    mine = [number for number in numbers if number.row == name and number.column in tasks]
    stated = (
        Cell(Estimate(average / 100, average / 100, average / 100, 0), stated=True) if average is not None else Cell()
    )
    return Method(
        name=name,
        kind=Kind.PUBLISHED,
        cells={tasks[number.column]: Cell(number.estimate) for number in mine},
        average=stated,
        notes=tuple(_notes(claim)),
    )


def _notes(claim: Claim) -> Iterator[str]:
    yield (
        f"published ({claim.source}): another protocol, never compared with the other rows; its intervals are for one "
        "answer an item"
    )
    if claim.average:
        yield f"{claim.average.name} as stated; whether it is over the benchmarks above is for its source to say"
