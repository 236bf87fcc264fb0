"""The table of Pass@k."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from rich import box
from rich.table import Table
from rich.text import Text

from evalsuite.report.tables import interval_text, interval_width
from evalsuite.stats.intervals import Estimate
from evalsuite.stats.passk import mean_pass_at_k


@dataclass(frozen=True, slots=True)
class PassRow:
    """Pass@k of one run on one task; `samples` is the smallest number of scored samples behind an item."""

    run: str
    task: str
    k: int
    estimate: Estimate
    items: int
    samples: int


def passk_rows(run: str, task: str, counts: Mapping[str, tuple[int, int]], ks: Iterable[int]) -> list[PassRow]:
    """One row a k, from each item's (samples, right ones).

    Raises:
        ValueError: no items, k < 1, or k larger than the samples of some item.
    """
    n, c = [n for n, _ in counts.values()], [c for _, c in counts.values()]
    return [PassRow(run, task, k, mean_pass_at_k(n, c, k), len(n), min(n)) for k in ks]


def passk_table(rows: Sequence[PassRow]) -> Table:
    """Pass@k for a terminal, a section for each run and task. Where there is one run only, its name is the title."""
    runs = {row.run for row in rows}
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False, title_justify="left")
    if len(runs) == 1:
        table.title = Text(rows[0].run, style="bold")
    else:
        table.add_column("run", overflow="fold")
    table.add_column("task", overflow="fold")
    for header in ("k", "Pass@k % [95 % interval]", "items", "samples"):
        table.add_column(header, justify="right", no_wrap=True)
    width = interval_width([row.estimate for row in rows])
    for row, after in zip(rows, [*rows[1:], None], strict=True):
        last = after is None or (after.run, after.task) != (row.run, row.task)
        cells = (
            *((row.run,) if len(runs) > 1 else ()),
            row.task,
            str(row.k),
            interval_text(row.estimate, width),
            f"{row.items:,}",
            f"{row.samples:,}",
        )
        table.add_row(*map(Text, cells), end_section=last)
    return table


def passk_json(rows: Sequence[PassRow]) -> dict[str, Any]:
    """Plain data: fractions, intervals at 95 %."""
    return {"level": 0.95, "rows": [asdict(row) for row in rows]}
