"""Send what libraries and their child processes print on standard error into a file."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def stderr_into(log: Path) -> Iterator[None]:
    """While this lasts, the process's standard error is the end of `log`; children started meanwhile keep it so.

    It works on the file descriptor, since what is printed comes from C++ and from other processes.
    """
    log.parent.mkdir(parents=True, exist_ok=True)
    sys.stderr.flush()
    kept = os.dup(2)
    with log.open("a") as file:
        os.dup2(file.fileno(), 2)
    try:
        yield
    finally:
        sys.stderr.flush()
        os.dup2(kept, 2)
        os.close(kept)
