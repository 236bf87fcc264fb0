"""Send what libraries and their child processes print into a file."""

import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def output_into(log: Path) -> Iterator[None]:
    """While this lasts, standard output and error of the process are the end of `log`; children started then keep it.

    It works on the file descriptors, since what is printed comes from C++ and from other processes.
    """
    log.parent.mkdir(parents=True, exist_ok=True)
    sys.stdout.flush()
    sys.stderr.flush()
    kept = os.dup(1), os.dup(2)
    with log.open("a") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    try:
        yield
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        for descriptor, copy in zip((1, 2), kept, strict=True):
            os.dup2(copy, descriptor)
            os.close(copy)


def logger_into(name: str, log: Path) -> None:
    """Let a library's logger write to `log` from now on."""
    logger = logging.getLogger(name)
    handler = logging.FileHandler(log)
    handler.setFormatter(logging.Formatter("%(levelname)s %(asctime)s %(message)s"))
    logger.handlers = [handler]
    logger.propagate = False
