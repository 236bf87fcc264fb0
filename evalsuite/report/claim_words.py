"""Sentences about a published table that a reviewer can quote: each is made of its numbers alone."""

from collections.abc import Iterator, Sequence
from math import sqrt

from evalsuite.claims.check import AverageDifference, Check, Difference
from evalsuite.claims.model import Measure
from evalsuite.report.comparison import p_text
from evalsuite.stats.power import detectable_effect


def quotable(found: Check) -> Iterator[str]:
    """One sentence for each thing that the table allows, or does not allow, to be said."""
    yield from _measure(found)
    yield from _impossible(found)
    for row in dict.fromkeys(one.row for one in found.differences):
        yield _against([one for one in found.differences if one.row == row])
    for average in found.average_differences:
        yield _average(found, average)
    yield from _untested(found)
    yield from _others(found)
    for name in dict.fromkeys(one.against for one in found.before):
        yield _since(found, [one for one in found.before if one.against == name])
    if not found.differences:
        yield from _widths(found)
    if found.claim.training and found.claim.measure is Measure.ACCURACY and not found.claim.before and found.numbers:
        yield "No row before training is given, so how much training brought cannot be told from this table."


def _measure(found: Check) -> Iterator[str]:
    claim = found.claim
    if claim.measure is Measure.SCORE:
        yield (
            "The numbers are mean scores, not shares of right answers: no counts follow from them, and without the "
            "spread over items no test does."
        )
    if claim.measure is Measure.GAIN:
        yield "Only differences are given: without the levels and samples of both sides no test follows from them."
        for column in claim.columns:
            if column.size is not None:
                yield _gains(found, column.name, column.size)
    unknown = [column.name for column in claim.columns if column.size is None]
    if unknown:
        yield f"How many items stand behind {_listed(unknown)} is not known, so nothing is tested there."


def _gains(found: Check, column: str, items: int) -> str:
    """What gains on so many items amount to, if they are of one answer an item."""
    near_half, near_tenth = (detectable_effect(sqrt(2 * p * (1 - p) / items)) for p in (0.5, 0.1))
    given = [number for number in found.numbers if number.column == column]
    beyond = [f"{number.row} ({number.percent:+g})" for number in given if abs(number.percent) >= 100 * near_half]
    below = [f"{number.row} ({number.percent:+g})" for number in given if abs(number.percent) < 100 * near_tenth]
    said = (
        f"{column} has {items:,} items: with one answer an item and independent sides it takes {100 * near_tenth:.1f} "
        f"points to be seen near 10 %, {100 * near_half:.1f} near 50 %"
    )
    said += f"; larger than both: {_listed(beyond)}" if beyond else ""
    return said + (f"; smaller than both: {_listed(below)}." if below else ".")


def _impossible(found: Check) -> Iterator[str]:
    wrong = [number for number in found.numbers if number.estimate and not number.counts]
    for column in dict.fromkeys(number.column for number in wrong):
        rows = [number for number in wrong if number.column == column]
        items = rows[0].items or 0
        told = _listed([f"{number.percent:g} ({number.row})" for number in rows])
        fits = {number.fits for number in rows}
        least = max((k for k in fits if k), default=0)
        how = (
            f"averages over several samples an item would ({least} at least)" if None not in fits else "nor 64 samples"
        )
        yield f"No count of {items:,} right answers on {column} gives {told}; {how}."


def _against(differences: Sequence[Difference]) -> str:
    one = differences[0]
    beyond = [d for d in differences if d.adjusted <= 0.05]
    never = [d.column for d in differences if d.pairing == "no"]
    said = f"{one.row} against {one.against}: "
    if beyond:
        told = [f"{d.column} ({100 * d.found.difference.value:+.1f}, p = {p_text(d.adjusted)})" for d in beyond]
        said += f"beyond noise on {_listed(told)}".replace("= <", "< ")
    else:
        where = f"on none of {len(differences)} benchmarks" if len(differences) > 1 else f"on {one.column} not"
        said += f"{where} beyond noise if the sides are independent"
    said += f"; on {_listed(never)} no pairing of the items would make it so" if never else ""
    smallest = min(differences, key=lambda d: d.detectable)
    return f"{said}. It takes {100 * smallest.detectable:.1f} points to be seen on {smallest.column}" + (
        ", more on the others." if len(differences) > 1 else "."
    )


def _average(found: Check, one: AverageDifference) -> str:
    name = found.claim.average.name if found.claim.average else "The average"
    missing = one.of - one.known
    least = "at least " if missing else ""
    noise = f" (the {missing} benchmarks that are not shown would add to it)" if missing else ""
    p = f"p {'≥' if missing else '='} {p_text(one.p)}".replace("≥ <", "< ").replace("= <", "< ")
    said = (
        f"{name}: {one.row} is {100 * one.difference:+.2f} against {one.against}; with independent sides it takes "
        f"{least}{100 * one.detectable:.1f} points to be seen{noise}, so that this is {one.word} ({p})"
    )
    if one.p > 0.05 >= one.best:
        said += "; with the items paired it could be beyond noise: the answers themselves, item by item, would tell"
    return f"{said}."


def _untested(found: Check) -> Iterator[str]:
    """Averages without any column of known size."""
    claim, tested = found.claim, {one.row for one in found.average_differences}
    reference = next((row for row in claim.rows if row.name == claim.reference), None)
    if claim.average is None or reference is None or reference.average is None:
        return
    rows = [row for row in claim.rows if row.average is not None and row != reference and row.name not in tested]
    if rows:
        told = _listed([f"{row.name} {(row.average or 0) - reference.average:+.2f}" for row in rows])
        yield (
            f"{claim.average.name} against {reference.name}: {told}; what it is over and of how many items is not "
            "known for these, so nothing can be tested."
        )


def _others(found: Check) -> Iterator[str]:
    told = [one for one in found.averages if one.others is not None]
    if told and found.claim.average:
        missing = found.claim.average.of - told[0].columns
        values = _listed([f"{one.others:.1f} ({one.row})" for one in told])
        yield f"For {found.claim.average.name} to be as stated, the {missing} benchmarks not shown average {values}."
    for one in found.averages:
        whole = one.stated is not None and one.mean is not None and one.others is None
        if whole and abs((one.stated or 0) - (one.mean or 0)) > 0.5 * 10.0**-found.claim.decimals + 1e-9:
            yield f"{one.row}: the stated average is {one.stated:g}, the mean of its columns {one.mean:.2f}."


def _widths(found: Check) -> Iterator[str]:
    """How sure single numbers are, where there is nothing to compare."""
    sized = [(number.estimate.high - number.estimate.low, number) for number in found.numbers if number.estimate]
    if len(sized) > 1:
        (least, surest), (most, vaguest) = min(sized, key=lambda one: one[0]), max(sized, key=lambda one: one[0])
        yield (
            f"Another draw of items and answers would move {surest.column} by some {50 * least:.1f} points, "
            f"{vaguest.column} by some {50 * most:.1f}: so sure the numbers are, and no surer."
        )


def _since(found: Check, differences: Sequence[Difference]) -> str:
    one = differences[0]
    values = [f"{d.row} {100 * d.found.difference.value:+.1f} on {d.column}, {d.word}" for d in differences]
    apart = "" if one.same_protocol else "; another protocol"
    source = next(before.source for before in found.claim.before if before.name == one.against)
    return f"Against {one.against} ({source}{apart}): {'; '.join(values)}."


def _listed(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
