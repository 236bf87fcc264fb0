"""The steps to one verdict, for people."""

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.text import Text

from evalsuite.cli.answer_rows import AnswerRow
from evalsuite.cli.console import add_row, plain_table
from evalsuite.grading.explain import Explanation

LONGEST = 2_000
"""Of a longer text its two ends are shown."""


def explanation_view(row: AnswerRow, explanation: Explanation) -> Group:
    """One part a step: the text, the offers, the final one, the comparison, the verdict."""
    return Group(*_parts(row, explanation))


def _parts(row: AnswerRow, explanation: Explanation) -> Iterator[RenderableType]:
    yield _title(f"1. The text (line {row.line})")
    for removed in explanation.removed:
        yield Text(f"left out: {removed}", style="dim")
    yield Text(_ends(explanation.read) or "(nothing)")
    yield Text(f"read to here: {explanation.stopped}", style="dim")
    yield _title("\n2. What it offers as an answer")
    if explanation.offers:
        table = plain_table("at", "by the rule", "offer", "counts", "why", right=("at",))
        for offer in explanation.offers:
            add_row(table, f"{offer.start:,}", offer.how, offer.text, "yes" if offer.counts else "no", offer.why)
        yield table
    else:
        yield Text("nothing")
    yield _title("\n3. The final answer")
    yield Text(f"{explanation.final if explanation.final is not None else 'none'}: {explanation.chosen}")
    yield Text(explanation.format)
    yield _title("\n4. The comparison")
    for what, as_read in explanation.compared:
        yield Text(f"{what}: {as_read}")
    verdict = explanation.verdict
    yield Text(verdict.why)
    yield _title("\n5. The verdict")
    right = {True: "right", False: "wrong", None: "not scored"}
    strict = f", strictly {right[verdict.strict]}" if verdict.strict is not None else ""
    yield Text(f"{right[verdict.correct]}{strict} (status {verdict.status}, rule {verdict.how})")


def _title(text: str) -> Text:
    return Text(text, style="bold")


def _ends(text: str) -> str:
    text = text.strip()
    if len(text) <= LONGEST:
        return text
    half = LONGEST // 2
    return f"{text[:half]}\n[… {len(text) - LONGEST:,} characters …]\n{text[-half:]}"
