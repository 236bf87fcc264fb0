"""Files of answers of any origin: JSON lines, each with a gold and a text; plain or gzipped."""

import gzip
import json
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from evalsuite.catalog.items import AnswerFormat, AnswerKind
from evalsuite.errors import RequestError
from evalsuite.grading.pool import GradeJob


@dataclass(frozen=True, slots=True)
class AnswerRow:
    """One row: its line as it stands in the file, counted from 1, all its fields, and what the grader needs of it."""

    line: int
    fields: dict[str, Any]
    job: GradeJob


def read_file(path: Path, kind: AnswerKind, answer_format: AnswerFormat) -> Iterator[AnswerRow]:
    """The rows of a file, one by one.

    Raises:
        RequestError: no such file, or a line of it is no row.
    """
    if not path.is_file():
        raise RequestError(f"{path}: no such file")
    try:
        with _open(path, "rb") as lines:
            yield from read_lines(lines, str(path), kind, answer_format)
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise RequestError(f"{path}: not a whole gzip file") from None
    except OSError as error:
        raise RequestError(f"{path}: {error.strerror}") from None


def read_lines(
    lines: Iterator[bytes] | IO[bytes], where: str, kind: AnswerKind, answer_format: AnswerFormat
) -> Iterator[AnswerRow]:
    """The rows of these lines; empty lines are passed over.

    Raises:
        RequestError: a line is no row; `where` is named in it.
    """
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            fields = _object(line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line)
            yield AnswerRow(number, fields, _job(fields, kind, answer_format))
        except _NoRowError as error:
            raise RequestError(f"{where}: line {number}: {error}") from None


def write_file(path: Path, records: Iterator[dict[str, Any]]) -> None:
    """Write the records as JSON lines, gzipped where the name ends in .gz: the file is there whole, or not at all."""
    scratch = path.with_name(path.name + ".tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with _open(scratch, "wb", zipped=path.suffix == ".gz") as file:
            for record in records:
                file.write(as_json(record).encode() + b"\n")
        scratch.replace(path)
    except OSError as error:
        raise RequestError(f"{path}: {error.strerror}") from None
    finally:
        scratch.unlink(missing_ok=True)


def as_json(content: dict[str, Any], indent: int | None = None) -> str:
    """JSON as readable as it can be: characters that no encoding can hold stay escaped."""
    text = json.dumps(content, ensure_ascii=False, indent=indent)
    return json.dumps(content, indent=indent) if LONE_SURROGATE.search(text) else text


LONE_SURROGATE = re.compile("[\ud800-\udfff]")


class _NoRowError(Exception):
    """Why a line is no row."""


def _open(path: Path, mode: str, zipped: bool | None = None) -> IO[bytes]:
    if path.suffix == ".gz" if zipped is None else zipped:
        return gzip.open(path, mode)  # type: ignore[return-value]
    return path.open(mode)


def _object(line: bytes) -> dict[str, Any]:
    try:
        fields = json.loads(line.decode(errors="surrogatepass"))
    except UnicodeDecodeError:
        raise _NoRowError("not text in UTF-8") from None
    except (ValueError, RecursionError):
        raise _NoRowError("not valid JSON") from None
    if not isinstance(fields, dict):
        raise _NoRowError("not a JSON object")
    return fields


def _job(fields: dict[str, Any], kind: AnswerKind, answer_format: AnswerFormat) -> GradeJob:
    text = fields.get("text")
    if not isinstance(text, str):
        raise _NoRowError('no text: write it as "text": "…"')
    gold, options = _gold(fields), _options(fields) if kind is AnswerKind.CHOICE else ()
    if kind is AnswerKind.CHOICE:
        _check_letters(gold, options)
    return GradeJob(
        kind=kind,
        gold=tuple(map(_printable, gold)),
        options=tuple(map(_printable, options)),
        text=_printable(text),
        answer_format=answer_format,
        cut_off=fields.get("finish_reason") == "length",
    )


def _printable(text: str) -> str:
    """The text with each lone surrogate, which could not be written down again, as a question mark."""
    return text.encode("utf-8", "replace").decode()


def _gold(fields: dict[str, Any]) -> tuple[str, ...]:
    gold = fields.get("gold")
    golds = [gold] if isinstance(gold, str) else gold
    if not isinstance(golds, list) or not all(isinstance(g, str) for g in golds):
        raise _NoRowError('no gold: write it as a string, or a list of strings: "gold": "…"')
    return tuple(golds)


def _options(fields: dict[str, Any]) -> tuple[str, ...]:
    options = fields.get("options") or []
    if not isinstance(options, list) or not all(isinstance(o, str) for o in options):
        raise _NoRowError('the options are no list of strings: "options": ["…", "…"]')
    return tuple(options)


def _check_letters(gold: tuple[str, ...], options: tuple[str, ...]) -> None:
    last = chr(ord("A") + len(options) - 1) if options else "Z"
    for one in gold:
        if len(one) == 1 and "A" <= one <= last:
            continue
        if options:
            raise _NoRowError(f"the gold {one!r} is not the letter of one of the {len(options)} options (A to {last})")
        raise _NoRowError(f"the gold {one!r} is no letter, and there are no options to find it in")
