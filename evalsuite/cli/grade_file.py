"""`evalsuite grade --kind KIND IN.jsonl`: verdicts for answers of any origin, and the way to one of them."""

import os
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import Any

from rich.console import Group
from rich.progress import track
from rich.text import Text

from evalsuite.catalog.items import AnswerFormat, AnswerKind
from evalsuite.cli.answer_rows import AnswerRow, as_json, read_file, read_lines, write_file
from evalsuite.cli.console import add_row, plain_table, print_rich, remarks
from evalsuite.errors import RequestError
from evalsuite.grading.pool import GraderPool
from evalsuite.grading.verdict import Status, Verdict
from evalsuite.report.tables import interval_text
from evalsuite.stats.intervals import wilson

AHEAD = 10_000
UNREADABLE_SHOWN = 5
STATUSES = {
    Status.NO_ANSWER: "no answer",
    Status.CUT_OFF: "cut off before an answer",
    Status.UNREADABLE_GOLD: "unreadable golds",
    Status.TIMEOUT: "timeouts",
}


class Tally:
    """What the verdicts of a file come to. Shares of right are of the scored rows, the others of all."""

    def __init__(self) -> None:
        self.rows = self.right = self.strict = 0
        self.f1 = 0.0
        self.statuses: Counter[Status] = Counter()
        self.unreadable: list[tuple[int, str]] = []

    def add(self, row: AnswerRow, verdict: Verdict) -> None:
        """Count one verdict."""
        self.rows += 1
        self.right += verdict.correct or 0
        self.strict += verdict.strict or 0
        self.f1 += verdict.score or 0
        self.statuses[verdict.status] += 1
        if verdict.status is Status.UNREADABLE_GOLD and len(self.unreadable) < UNREADABLE_SHOWN:
            self.unreadable.append((row.line, verdict.why))

    @property
    def scored(self) -> int:
        """Rows whose gold can be read."""
        return self.rows - self.statuses[Status.UNREADABLE_GOLD]

    def as_dict(self, kind: AnswerKind) -> dict[str, Any]:
        """Plain data: shares are fractions, the interval is at 95 %."""
        right = wilson(self.right, self.scored) if self.scored else None
        summary: dict[str, Any] = {"kind": str(kind), "rows": self.rows, "scored": self.scored}
        summary["right"] = self._share(self.right, self.scored) | {
            "low": right.low if right else None,
            "high": right.high if right else None,
        }
        summary["strict"] = self._share(self.strict, self.scored)
        summary["format_tax"] = self._share(self.right - self.strict, self.scored)
        if kind is AnswerKind.QA:
            summary["token_f1"] = self.f1 / self.scored if self.scored else None
        return summary | {str(status): self._share(self.statuses[status], self.rows) for status in STATUSES}

    def table(self, kind: AnswerKind) -> Group:
        """The same for people, with the first unreadable golds."""
        table = plain_table("", "count", "%", right=("count", "%"))
        right = wilson(self.right, self.scored) if self.scored else None
        add_row(table, "rows", f"{self.rows:,}", "")
        add_row(table, "right [95 % interval]", f"{self.right:,}", interval_text(right))
        tax = self.right - self.strict
        add_row(table, "format tax: right, not in that format", f"{tax:,}", _percent(tax, self.scored))
        if kind is AnswerKind.QA:
            add_row(table, "token F1", "", _percent(self.f1, self.scored))
        for status, name in STATUSES.items():
            add_row(table, name, f"{self.statuses[status]:,}", _percent(self.statuses[status], self.rows))
        notes = [Text(f"line {line}: {why}", style="dim") for line, why in self.unreadable]
        if more := self.statuses[Status.UNREADABLE_GOLD] - len(self.unreadable):
            notes.append(Text(f"and {more:,} more golds that cannot be read", style="dim"))
        return Group(table, *notes)

    @staticmethod
    def _share(count: int, of: int) -> dict[str, Any]:
        return {"count": count, "share": count / of if of else None}


def grade_file(path: Path, kind: AnswerKind, answer_format: AnswerFormat, out: Path | None, want_json: bool) -> None:
    """Grade every row of a file; what is no row is found before grading begins."""
    if out is not None and out.exists() and out.samefile(path):
        raise RequestError(f"--out {out} is the input itself: name another file")
    if out is not None and out.is_dir():
        raise RequestError(f"--out {out} is a folder: name a file")
    total = sum(1 for _ in read_file(path, kind, answer_format))
    if not total:
        raise RequestError(f"{path}: no rows")
    tally = Tally()
    graded = _graded(read_file(path, kind, answer_format), total, tally)
    kept: list[dict[str, Any]] = []
    if out is not None:
        write_file(out, _keeping(graded, kept) if want_json else graded)
    elif want_json:
        kept.extend(graded)
    else:
        for _ in graded:
            continue
    if want_json:
        print(as_json({"summary": tally.as_dict(kind), "rows": kept}, indent=2))
    else:
        print_rich(tally.table(kind))


def explain_row(path: Path, kind: AnswerKind, answer_format: AnswerFormat, number: int, want_json: bool) -> None:
    """Show how the verdict of one row, counted from 1, comes about; the row may come from standard input."""
    from evalsuite.cli.explained import explanation_view
    from evalsuite.grading.explain import explain

    stdin = str(path) == "-"
    rows = (
        read_lines(sys.stdin.buffer, "standard input", kind, answer_format)
        if stdin
        else read_file(path, kind, answer_format)
    )
    row = next(islice(rows, number - 1, number), None)
    if row is None:
        raise RequestError(f"{'standard input' if stdin else path}: has no row {number}")
    with GraderPool(workers=1) as pool:
        verdict = pool.submit(row.job).result()
    if verdict.status is Status.TIMEOUT:
        raise RequestError(f"line {row.line}: {verdict.why}: its steps cannot be shown")
    explanation = explain(row.job, verdict)
    if want_json:
        print(as_json({"line": row.line, **asdict(explanation)}, indent=2))
    else:
        print_rich(explanation_view(row, explanation))


def _graded(rows: Iterator[AnswerRow], total: int, tally: Tally) -> Iterator[dict[str, Any]]:
    """Each row's own fields with its verdict, in order."""
    console = remarks()
    shown = track(rows, "grading", total=total, console=console, disable=not console.is_terminal)
    pending = iter(shown)
    with GraderPool(workers=min(os.cpu_count() or 1, 16, total)) as pool:
        while chunk := list(islice(pending, AHEAD)):
            verdicts = [pool.submit(row.job) for row in chunk]
            for row, future in zip(chunk, verdicts, strict=True):
                verdict = future.result()
                tally.add(row, verdict)
                yield row.fields | asdict(verdict)


def _keeping(records: Iterator[dict[str, Any]], kept: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for record in records:
        kept.append(record)
        yield record


def _percent(count: float, of: int) -> str:
    return f"{100 * count / of:.1f}" if of else "–"
