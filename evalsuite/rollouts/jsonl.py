"""Append-only JSON lines that survive a kill: whole lines count, a torn last one is cut off before writing goes on."""

import errno
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from evalsuite.errors import RequestError


class Appender:
    """Appends objects to a JSON-lines file, each handed to the operating system before `append` returns.

    A kill of the process loses nothing that was appended; a crash of the machine at most what `sync` had not written.
    """

    def __init__(self, path: Path) -> None:
        """Open `path`, cutting off a torn last line."""
        self._path = path
        self._torn = False
        with _clear_disk_errors(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            _cut_torn_line(path)
            self._file = path.open("ab", buffering=0)

    def append(self, record: dict[str, Any]) -> None:
        """Append one object as one line."""
        line = json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n"
        data = memoryview(line.encode(errors="surrogatepass"))
        with _clear_disk_errors(self._path):
            if self._torn:  # an earlier line did not fit, and something was freed since
                _cut_torn_line(self._path)
            self._torn = True
            while data:
                data = data[self._file.write(data) :]
            self._torn = False

    def close(self) -> None:
        """Write to the disk itself, and close."""
        with _clear_disk_errors(self._path), self._file:
            os.fsync(self._file.fileno())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        if error is None:
            self.close()
        else:
            self._file.close()


def read(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a JSON-lines file; nothing if there is no such file. A torn last line is passed over.

    Raises:
        RequestError: a line other than the last is not JSON: the file was edited or damaged.
    """
    if not path.is_file():
        return
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if not line.endswith(b"\n"):
                return
            try:
                record = json.loads(line.decode(errors="surrogatepass"))
            except (ValueError, RecursionError):
                record = None
            if not isinstance(record, dict):
                raise RequestError(f"{path}: line {number} is damaged: remove that line, and its items are done again")
            yield record


def write_whole(path: Path, text: str) -> None:
    """Write a small file in one step: it is there complete, or not at all."""
    with _clear_disk_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        scratch = path.with_name(path.name + ".tmp")
        scratch.write_bytes(text.encode(errors="surrogatepass"))
        scratch.replace(path)


def _cut_torn_line(path: Path) -> None:
    if not path.is_file():
        return
    with path.open("rb+") as file:
        end = file.seek(0, os.SEEK_END)
        keep = end
        while keep:
            start = max(0, keep - 65536)
            file.seek(start)
            newline = file.read(keep - start).rfind(b"\n")
            if newline >= 0:
                keep = start + newline + 1
                break
            keep = start
        if keep < end:
            file.truncate(keep)


@contextmanager
def _clear_disk_errors(path: Path) -> Iterator[None]:
    """Turn a full or read-only disk into one clear line."""
    reasons = {
        errno.ENOSPC: "the disk is full: free some space",
        errno.EDQUOT: "your disk quota is used up: free some space",
        errno.EROFS: "the file system is read-only: name a writable folder with --out",
        errno.EACCES: "no permission to write there: name a writable folder with --out",
    }
    try:
        yield
    except OSError as error:
        if error.errno not in reasons:
            raise
        reason = reasons[error.errno]
        raise RequestError(f"{path}: {reason}, then give the same command again; what is done is kept") from None
