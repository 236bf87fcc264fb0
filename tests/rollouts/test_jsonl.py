"""JSON lines: what is appended is read back, whatever it holds and wherever a kill or a full disk cut it."""

import json
import resource
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from evalsuite.errors import RequestError
from evalsuite.rollouts import jsonl

STRANGE = [
    "",
    "\n\r\n",
    "one\u2028line\u2029and\x85more\x0b\x0c\x1c",
    "\0 and \x1b[31m",
    "\ud83d alone, \udc00 alone",
    "\ud83d\ude00".encode("utf-16", "surrogatepass").decode("utf-16"),
    '"}\n{"',
    "é \ufeff \ufffe 日本語",
]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "below" / "file.jsonl"


def append(path: Path, *records: dict[str, Any]) -> None:
    with jsonl.Appender(path) as file:
        for record in records:
            file.append(record)


@contextmanager
def room_for(size: int) -> Iterator[None]:
    """No file of this process may grow beyond `size` bytes: what does not fit is cut off, as on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_strange_text_comes_back_as_it_was_one_line_each(path: Path) -> None:
    records = [{"text": text} for text in STRANGE]
    append(path, *records)
    assert list(jsonl.read(path)) == records
    assert path.read_bytes().count(b"\n") == len(records)
    assert [json.loads(line.decode(errors="surrogatepass")) for line in path.read_bytes().split(b"\n")[:-1]] == records


def test_a_huge_line(path: Path) -> None:
    records = [{"text": "é" * 5_000_000}, {"text": "small"}]
    append(path, *records)
    assert list(jsonl.read(path)) == records
    with path.open("rb+") as file:
        file.truncate(9_000_000)  # torn within the huge line, which alone is many blocks long
    append(path, {"text": "again"})
    assert list(jsonl.read(path)) == [{"text": "again"}]


def test_nothing_there_and_nothing_in_it(path: Path) -> None:
    assert list(jsonl.read(path)) == []
    append(path)
    assert path.read_bytes() == b""
    assert list(jsonl.read(path)) == []


@pytest.mark.parametrize("torn", [b"{", b'{"n":2}', b'{"text":"\xe6\x97', b"\0" * 5000])
def test_a_torn_last_line_is_passed_over_by_readers_and_cut_off_by_writers(path: Path, torn: bytes) -> None:
    append(path, {"n": 1})
    with path.open("ab") as file:
        file.write(torn)
    before = path.read_bytes()
    assert list(jsonl.read(path)) == [{"n": 1}]
    assert path.read_bytes() == before  # a reader changes nothing: somebody may be writing
    append(path, {"n": 3})
    assert list(jsonl.read(path)) == [{"n": 1}, {"n": 3}]


@pytest.mark.parametrize("damaged", [b"\n", b"{\n", b"3\n", b"[]\n", b"null\n", b"\xff\n", b"[" * 100_000 + b"\n"])
def test_a_damaged_line_is_named(path: Path, damaged: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(b'{"n":1}\n' + damaged + b'{"n":3}\n')
    with pytest.raises(RequestError, match=r"file\.jsonl: line 2 is damaged: remove that line"):
        list(jsonl.read(path))


def test_each_line_is_there_for_others_before_append_returns(path: Path) -> None:
    with jsonl.Appender(path) as file:
        for n in range(3):
            file.append({"n": n})
            assert [record["n"] for record in jsonl.read(path)] == list(range(n + 1))


def test_readers_beside_a_writer_see_whole_lines_in_order(path: Path) -> None:
    finished = threading.Event()
    faults: list[object] = []
    counts: list[int] = []

    def watch() -> None:
        while not finished.is_set():
            seen = [record["n"] for record in jsonl.read(path)]
            counts.append(len(seen))
            if seen != list(range(len(seen))):
                faults.append(seen)

    readers = [threading.Thread(target=watch) for _ in range(3)]
    for reader in readers:
        reader.start()
    with jsonl.Appender(path) as file:
        for n in range(300):
            file.append({"n": n, "text": "x" * 20_000})
    finished.set()
    for reader in readers:
        reader.join()
    assert not faults
    assert len(set(counts)) > 1


def test_a_full_disk_is_one_clear_line(tmp_path: Path) -> None:
    full = tmp_path / "full.jsonl"
    full.symlink_to("/dev/full")
    with pytest.raises(RequestError, match=r"full\.jsonl: the disk is full: free some space") as refused:
        append(full, {"n": 1})
    assert "\n" not in str(refused.value)
    other = tmp_path / "small.json.tmp"
    other.symlink_to("/dev/full")
    with pytest.raises(RequestError, match=r"small\.json: the disk is full"):
        jsonl.write_whole(tmp_path / "small.json", "{}")
    assert not (tmp_path / "small.json").exists()


def test_a_line_that_did_not_fit_does_not_spoil_the_next(path: Path) -> None:
    with jsonl.Appender(path) as file:
        file.append({"n": 1})
        with room_for(100), pytest.raises(OSError, match="File too large"):
            file.append({"n": 2, "text": "x" * 200})
        assert path.stat().st_size == 100  # a part of it went in
        file.append({"n": 3})
    assert list(jsonl.read(path)) == [{"n": 1}, {"n": 3}]


def test_a_file_written_whole_holds_any_text(path: Path) -> None:
    for text in STRANGE:
        jsonl.write_whole(path, text)
        assert path.read_bytes().decode(errors="surrogatepass") == text
    assert [file.name for file in path.parent.iterdir()] == ["file.jsonl"]
