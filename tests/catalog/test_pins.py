import json
from pathlib import Path

import pytest

from evalsuite.catalog import pins
from evalsuite.catalog.index import Catalog
from evalsuite.catalog.load import load
from evalsuite.catalog.tasks import Task
from evalsuite.errors import RequestError
from tests.catalog.conftest import WriteTask

ROWS = [{"question": f"What is {n} plus one?", "answer": str(n + 1)} for n in range(5)]


@pytest.fixture
def pinned(write_task: WriteTask, tmp_path: Path) -> Task:
    """A task whose five items are in the mirror and pinned."""
    write_rows(tmp_path, ROWS)
    loaded = load(write_task(), tmp_path)
    pins.write(loaded.task, loaded.items)
    return write_task({"items": 5, "sha256": loaded.sha256})


def write_rows(data_dir: Path, rows: list[dict[str, str]]) -> None:
    (data_dir / "own").mkdir(exist_ok=True)
    (data_dir / "own" / "test.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


def test_the_pinned_items_load(pinned: Task, tmp_path: Path) -> None:
    loaded = load(pinned, tmp_path)
    assert loaded.pinned
    assert loaded.sha256 == pinned.sha256


def test_other_white_space_is_the_same_content(pinned: Task, tmp_path: Path) -> None:
    write_rows(tmp_path, [{**row, "question": row["question"].replace(" ", "\n ")} for row in ROWS])
    assert load(pinned, tmp_path).pinned


def test_a_changed_byte_is_refused_with_what_differs(pinned: Task, tmp_path: Path) -> None:
    write_rows(tmp_path, [{**ROWS[0], "question": "What is 0 plus two?"}, *ROWS[1:]])
    with pytest.raises(
        RequestError, match=r"own from .*test\.jsonl: not the pinned items: 1 missing \(\w+\); 1 unexpected \(\w+\)"
    ) as refused:
        load(pinned, tmp_path)
    assert "begins 'What is 0 plus two?'" in str(refused.value)


def test_a_changed_answer_is_refused(pinned: Task, tmp_path: Path) -> None:
    write_rows(tmp_path, [{**ROWS[0], "answer": "2"}, *ROWS[1:]])
    with pytest.raises(RequestError, match=r"1 missing .* 1 unexpected"):
        load(pinned, tmp_path)


def test_missing_items_are_refused(pinned: Task, tmp_path: Path) -> None:
    write_rows(tmp_path, ROWS[:1])
    with pytest.raises(RequestError, match=r"not the pinned items: 4 missing \(\w+, \w+, \w+, …\)$"):
        load(pinned, tmp_path)


def test_gated_text_is_not_shown(pinned: Task, tmp_path: Path) -> None:
    pinned.path.write_text(pinned.path.read_text().replace("metadata:", "metadata:\n  gated: true"))
    write_rows(tmp_path, [{"question": "A secret?", "answer": "1"}])
    with pytest.raises(RequestError, match="1 unexpected") as refused:
        load(Catalog([pinned.path.parent]).task("own"), tmp_path)
    assert "secret" not in str(refused.value)


def test_without_a_list_the_sum_alone_refuses(pinned: Task, tmp_path: Path) -> None:
    pins.pin_file(pinned).unlink()
    write_rows(tmp_path, ROWS[:1])
    with pytest.raises(RequestError, match="1 items whose sha256 differs"):
        load(pinned, tmp_path)
