"""Where output goes: tables and JSON to standard output, progress and remarks to standard error."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, TextIO

from rich.console import Console

if TYPE_CHECKING:
    from rich.table import Table


@cache
def remarks() -> Console:
    """The console for remarks. It holds its own copy of standard error, which engines may redirect while they load."""
    stream: TextIO = os.fdopen(os.dup(2), "w", buffering=1) if _is_real(sys.stderr) else sys.stderr
    return Console(file=stream, highlight=False, soft_wrap=True)


def print_json(content: dict[str, Any]) -> None:
    """One JSON object on standard output."""
    print(json.dumps(content, indent=2, ensure_ascii=False))


def print_rich(*content: Any) -> None:
    """People's output on standard output; plain text where it is piped."""
    console = Console(highlight=False)
    for part in content:
        console.print(part)


def plain_table(*columns: str, right: Sequence[str] = (), whole: Sequence[str] = ()) -> Table:
    """An empty table in the style of all others; the columns named `whole` are never folded."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False)
    for column in columns:
        justify: Literal["left", "right"] = "right" if column in right else "left"
        table.add_column(column, justify=justify, overflow="fold", no_wrap=column in whole)
    return table


def add_row(table: Table, *cells: str) -> None:
    """A row of plain text: square brackets in it are not taken for markup."""
    from rich.text import Text

    table.add_row(*map(Text, cells))


def _is_real(stream: TextIO) -> bool:
    try:
        return stream.fileno() == 2
    except (OSError, ValueError):
        return False
