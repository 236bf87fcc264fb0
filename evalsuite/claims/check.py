"""What a published table allows to be said: implied counts, intervals, differences with tests, and its average."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import sqrt
from statistics import fmean

from scipy.stats import norm

from evalsuite.claims.implied import counts_of, samples_that_fit
from evalsuite.claims.model import Before, Claim, Column, Measure, Row
from evalsuite.stats.intervals import Estimate, wilson
from evalsuite.stats.power import detectable_effect
from evalsuite.stats.unpaired import Unpaired, unpaired
from evalsuite.stats.verdicts import MATTERS, Word, holm, verdict


@dataclass(frozen=True, slots=True)
class Number:
    """One number of the table. `counts` are those that it implies with one sample an item (empty: none does).

    `fits` is the fewest samples an item that allow it; `estimate` is None where the size is not known.
    """

    row: str
    column: str
    percent: float
    items: int | None
    counts: tuple[int, ...]
    fits: int | None
    estimate: Estimate | None


@dataclass(frozen=True, slots=True)
class Difference:
    """A row against another on one benchmark, `found` from their counts. `adjusted` is its p after Holm's correction.

    The correction counts the benchmarks of one pair of rows. `detectable` is the smallest true difference that the
    benchmark shows in 80 % of cases, for independent sides. `same_protocol` says whether one study measured both.
    """

    row: str
    against: str
    column: str
    found: Unpaired
    adjusted: float
    detectable: float
    word: Word
    same_protocol: bool = True

    @property
    def pairing(self) -> str:
        """Under which pairing of the items the difference is beyond noise."""
        if self.found.worst <= 0.05:
            return "every"
        return "some" if self.found.best <= 0.05 else "no"


@dataclass(frozen=True, slots=True)
class AverageDifference:
    """The averages of two rows: fractions. `known` columns of `of` have counts; of the others the noise is not known.

    `error` is what the known columns alone contribute for independent sides: a lower bound where columns are missing.
    `p` follows from it, `best` from the most favourable pairing; both are then too small, if anything, and `word` is
    that nothing can be told.
    """

    row: str
    against: str
    difference: float
    known: int
    of: int
    error: float
    p: float
    best: float
    detectable: float
    word: Word


@dataclass(frozen=True, slots=True)
class StatedAverage:
    """A row's average as stated, in per cent, beside the mean of its columns here.

    `others` is what the columns that are not here must have on average to give it; None where all are here.
    """

    row: str
    stated: float | None
    mean: float | None
    columns: int
    of: int
    others: float | None


@dataclass(frozen=True, slots=True)
class Check:
    """All that is found of a claim."""

    claim: Claim
    numbers: tuple[Number, ...]
    differences: tuple[Difference, ...]
    before: tuple[Difference, ...]
    averages: tuple[StatedAverage, ...]
    average_differences: tuple[AverageDifference, ...]


def check(claim: Claim) -> Check:
    """Hold a claim against noise."""
    places = [(row, column) for row in _all(claim) for column in claim.columns if column.name in row.values]
    numbers = tuple(_number(claim, row, column) for row, column in places)
    reference = next((row for row in _all(claim) if row.name == claim.reference), None)
    others = [row for row in claim.rows if reference and row.name != reference.name]
    accuracy = claim.measure is Measure.ACCURACY
    pairs = [_differences(claim, numbers, reference, row) for row in others] if reference and accuracy else []
    later = [(before, row) for before in claim.before for row in claim.rows if before.name != claim.reference]
    early = [_differences(claim, numbers, before, row) for before, row in later] if accuracy else []
    with_average = claim.average is not None and reference is not None and reference.average is not None and accuracy
    return Check(
        claim=claim,
        numbers=numbers,
        differences=tuple(one for pair in pairs for one in pair),
        before=tuple(one for pair in early for one in pair),
        averages=tuple(_averages(claim)),
        average_differences=tuple(
            _average_difference(claim, pair, reference, row)
            for row, pair in zip(others, pairs, strict=True)
            if row.average is not None and reference is not None and pair
        )
        if with_average
        else (),
    )


def _all(claim: Claim) -> tuple[Row, ...]:
    return (*claim.rows, *claim.before)


def _number(claim: Claim, row: Row, column: Column) -> Number:
    value, n = row.values[column.name], column.size
    if n is None or claim.measure is not Measure.ACCURACY:
        return Number(row.name, column.name, value, n, (), None, None)
    decimals = claim.decimals if row.decimals is None else row.decimals
    counts = counts_of(value, n * (column.samples or 1), decimals)
    fits = column.samples or 1 if counts else samples_that_fit(value, n, decimals)
    return Number(row.name, column.name, value, n, tuple(counts), fits, wilson(round(value * n / 100), n))


def _differences(claim: Claim, numbers: Sequence[Number], reference: Row, row: Row) -> list[Difference]:
    """The row against the reference on every benchmark that both have, of known size."""
    by_place = {(number.row, number.column): number for number in numbers}
    apart = isinstance(reference, Before) and not reference.same_protocol
    found = []
    for column in claim.columns:
        one, other = by_place.get((reference.name, column.name)), by_place.get((row.name, column.name))
        if one is None or other is None or column.size is None:
            continue
        n = column.size
        told = unpaired(round(one.percent * n / 100), round(other.percent * n / 100), n)
        detectable = detectable_effect(told.error)
        place = (row.name, reference.name, column.name)
        found.append(Difference(*place, told, told.p, detectable, Word.TOO_SMALL, not apart))
    adjusted = holm([one.found.p for one in found])
    return [
        replace(one, adjusted=p, word=verdict(one.found.difference.value, p, one.detectable))
        for one, p in zip(found, adjusted, strict=True)
    ]


def _averages(claim: Claim) -> Iterator[StatedAverage]:
    if claim.average is None:
        return
    of = claim.average.of
    for row in _all(claim):
        values = list(row.values.values())
        missing = of - len(values)
        others = None
        if row.average is not None and missing and values:
            others = (row.average * of - sum(values)) / missing
        yield StatedAverage(row.name, row.average, fmean(values) if values else None, len(values), of, others)


def _average_difference(claim: Claim, pair: Sequence[Difference], reference: Row, row: Row) -> AverageDifference:
    assert claim.average is not None
    assert row.average is not None
    assert reference.average is not None  # the caller saw to all three
    of = claim.average.of
    difference = (row.average - reference.average) / 100
    error = sqrt(sum(one.found.error**2 for one in pair)) / of
    least = sqrt(sum(one.found.least_error**2 for one in pair)) / of
    p, best = (float(2 * norm.sf(abs(difference) / one)) for one in (error, least))
    detectable = detectable_effect(error)
    word = verdict(difference, p, detectable, MATTERS) if len(pair) == of else Word.TOO_SMALL
    return AverageDifference(row.name, reference.name, difference, len(pair), of, error, p, best, detectable, word)
