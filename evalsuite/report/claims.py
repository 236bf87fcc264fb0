"""What a published table allows to be said, for people and as data."""

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from rich.console import Group
from rich.table import Table
from rich.text import Text

from evalsuite.claims.check import Check, Difference, Number
from evalsuite.claims.model import Claim, Measure
from evalsuite.report.claim_words import quotable
from evalsuite.report.comparison import p_text, points
from evalsuite.report.tables import TABLE_STYLE, interval_text
from evalsuite.stats.verdicts import Word

LEGEND = (
    "Intervals of 95 % for one answer an item (Wilson; of differences Newcombe): with several samples an item they "
    "would be narrower, with few training seeds the truth is wider. p: the two rows taken as independent, corrected by "
    "Holm's method over the benchmarks of a pair of rows. beyond noise: whether a paired test would find the "
    "difference, which hangs on how far the rows' right answers overlap: always, however they do; maybe; or never. "
    "seen from: the smallest true difference that such a benchmark shows in 80 % of cases."
)

VERDICTS = {
    Word.GAIN: "gain",
    Word.LOSS: "loss",
    Word.NO_DIFFERENCE: "no\ndifference\nshown",
    Word.TOO_SMALL: "too small\nto tell",
}
"""The words, narrow enough for 80 columns."""
BEYOND = {"no": "never", "some": "maybe", "every": "always"}


def claim_list(claims: Iterable[Claim]) -> Table:
    """All claims, one line each."""
    table = Table(**TABLE_STYLE)
    for header in ("name", "what", "rows", "source"):
        table.add_column(header, justify="right" if header == "rows" else "left", no_wrap=header in ("name", "rows"))
    for claim in claims:
        table.add_row(claim.name, Text(claim.title), str(len(claim.rows)), Text(claim.source))
    return table


def check_view(found: Check) -> Group:
    """Everything about one claim for a terminal; what a reviewer would quote comes last."""
    claim = found.claim
    parts: list[Any] = [Text(claim.title, style="bold"), Text(f"{claim.source} · {claim.model}"), Text()]
    if found.numbers:
        parts += [_numbers(found), Text()]
    if found.differences or found.average_differences:
        parts += [_differences(found), Text()]
    if found.before:
        parts += [_before(found.before), Text()]
    parts += [Text(f"known: {fact}") for fact in claim.known]
    parts += [Text(f"not known: {fact}") for fact in claim.unknown]
    parts += [Text(), *(Text(sentence) for sentence in quotable(found)), Text()]
    return Group(*parts, Text(LEGEND, style="dim"))


def check_json(found: Check) -> dict[str, Any]:
    """Plain data: differences and intervals are fractions at 95 %, the table's own numbers stay per cent."""
    data = {name: value for name, value in asdict(found).items() if name != "claim"}
    data["differences"] = [asdict(one) | {"pairing": one.pairing} for one in found.differences]
    data["before"] = [asdict(one) | {"pairing": one.pairing} for one in found.before]
    return {"level": 0.95, "claim": found.claim.model_dump(mode="json"), **data, "sentences": list(quotable(found))}


def _numbers(found: Check) -> Table:
    table = Table(**TABLE_STYLE)
    table.add_column("benchmark", overflow="fold")
    table.add_column("row", overflow="fold")
    is_accuracy = found.claim.measure is Measure.ACCURACY
    heads = ("per cent", "is", "95 % interval") if is_accuracy else ("stated", "items")
    for header in heads:
        table.add_column(header, justify="right", no_wrap=header != "is")
    for column in found.claim.columns:
        rows = [number for number in found.numbers if number.column == column.name]
        for number in rows:
            first = column.name if number is rows[0] else ""
            stated = f"{number.percent:.{_decimals(found.claim, number)}f}"
            told = (_counted(number), _interval(number)) if is_accuracy else (_size(number),)
            table.add_row(Text(first), Text(number.row), stated, *told)
        table.add_section()
    return table


def _differences(found: Check) -> Table:
    against = found.claim.reference or ""
    table = _table(f"against {against}")
    for row in dict.fromkeys(one.row for one in found.differences):
        _add(table, row, [one for one in found.differences if one.row == row])
        for average in (one for one in found.average_differences if one.row == row):
            missing = average.of - average.known
            p = p_text(average.p)
            table.add_row(
                "",
                found.claim.average.name if found.claim.average else "average",
                f"{100 * average.difference:+.1f}",
                f"≥{p}" if missing else p,
                f"≥{100 * average.detectable:.1f}" if missing else f"{100 * average.detectable:.1f}",
                BEYOND["some" if average.best <= 0.05 else "no"],
                VERDICTS[average.word],
                style="bold",
            )
        table.add_section()
    return table


def _before(differences: Iterable[Difference]) -> Table:
    table = _table("against the untrained")
    for one in differences:
        _add(table, f"{one.row}{'' if one.same_protocol else ' (another protocol)'}", [one])
    return table


def _table(title: str) -> Table:
    table = Table(**TABLE_STYLE)
    table.add_column(title, overflow="fold", min_width=11)
    table.add_column("benchmark", overflow="fold")
    for header in ("points", "p", "seen\nfrom"):
        table.add_column(header, justify="right", no_wrap=True)
    table.add_column("beyond\nnoise", no_wrap=True)
    table.add_column("verdict", no_wrap=True)
    return table


def _add(table: Table, row: str, differences: Iterable[Difference]) -> None:
    for number, one in enumerate(differences):
        table.add_row(
            Text("" if number else row),
            Text(one.column),
            points(one.found.difference),
            p_text(one.adjusted),
            f"{100 * one.detectable:.1f}",
            BEYOND[one.pairing],
            VERDICTS[one.word],
        )


def _counted(number: Number) -> str:
    if number.items is None:
        return "size unknown"
    if not number.counts:
        fits = f"; {number.fits} samples an item would" if number.fits else ""
        return f"no count of {number.items:,} gives it{fits}"
    shown = "–".join(str(count) for count in dict.fromkeys((number.counts[0], number.counts[-1])))
    return f"{shown} of {number.items * (number.fits or 1):,}"


def _interval(number: Number) -> str:
    return "[" + interval_text(number.estimate).partition("[")[2] if number.estimate else "–"


def _size(number: Number) -> str:
    return f"{number.items:,}" if number.items else "unknown"


def _decimals(claim: Claim, number: Number) -> int:
    row = next(row for row in (*claim.rows, *claim.before) if row.name == number.row)
    return claim.decimals if row.decimals is None else row.decimals
