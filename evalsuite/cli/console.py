"""Where output goes: tables and JSON to standard output, progress and remarks to standard error."""

import json
import os
import sys
from functools import cache
from typing import Any, TextIO

from rich.console import Console


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


def _is_real(stream: TextIO) -> bool:
    try:
        return stream.fileno() == 2
    except (OSError, ValueError):
        return False
