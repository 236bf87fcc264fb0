import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from evalsuite.catalog import fetch, pins, source
from evalsuite.catalog.load import load
from evalsuite.cli.data import app
from evalsuite.errors import RequestError
from tests.catalog.conftest import WriteTask

ROWS = [{"question": "What is one plus one?", "answer": "2"}, {"question": "Wie heißt „zwei“?", "answer": "2"}]


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments), env={"EVALSUITE_DATA": "", "COLUMNS": "200"})


def test_status_says_where_data_would_come_from(write_task: WriteTask, tmp_path: Path, no_network: None) -> None:
    own = write_task()
    include = ["--include", str(own.path.parent), "--data-dir", str(tmp_path), "--json"]
    (before,) = json.loads(run("status", "--tasks", "own", *include).stdout)["tasks"]
    assert before["from"] == "missing"
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "test.jsonl").write_text('{"question": "Two?", "answer": "2"}\n')
    (after,) = json.loads(run("status", "--tasks", "own", *include).stdout)["tasks"]
    assert after["from"] == str(tmp_path / "own" / "test.jsonl")


def test_status_is_a_table_for_people() -> None:
    result = run("status", "--suite", "demo")
    assert result.exit_code == 0
    assert "demo_arithmetic" in result.stdout
    assert "shipped" in result.stdout


def test_verify_gives_the_sum_for_a_new_task(write_task: WriteTask, tmp_path: Path) -> None:
    own = write_task()
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "test.jsonl").write_text('{"question": "Two?", "answer": "2"}\n')
    where = ["--tasks", "own", "--include", str(own.path.parent), "--data-dir", str(tmp_path)]
    (report,) = json.loads(run("verify", *where, "--json", "--write-pins").stdout)["tasks"]
    assert report["ok"]
    assert not report["pinned"]
    assert pins.digest(pins.pin_file(own).read_text().split()) == report["sha256"]
    write_task({"sha256": report["sha256"]})
    (tmp_path / "own" / "test.jsonl").write_text('{"question": "Three?", "answer": "3"}\n')
    refused = run("verify", *where)
    assert isinstance(refused.exception, RequestError)
    assert "1 missing" in str(refused.exception)


def test_fetch_without_network_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, no_network: None) -> None:
    result = run("fetch", "--tasks", "gsm8k", "--data-dir", str(tmp_path))
    assert isinstance(result.exception, RequestError)
    assert "no connection to the hub" in str(result.exception)
    assert not list(tmp_path.iterdir())


def test_fetch_needs_a_folder() -> None:
    assert "--data-dir" in str(run("fetch", "--tasks", "gsm8k").exception)


def test_fetched_rows_are_the_hubs_own_at_the_pinned_revision(
    write_task: WriteTask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import datasets

    def hub(**request: str) -> datasets.DatasetDict:
        asked.append(request)
        return datasets.DatasetDict({name: datasets.Dataset.from_list(ROWS) for name in ("train", "test")})

    asked: list[dict[str, str]] = []
    monkeypatch.setattr(datasets, "load_dataset", hub)
    monkeypatch.setattr(source, "hub_answers", lambda: True)
    task = write_task({"dev": {"split": "train"}}, dataset_name="main", dataset_kwargs={"revision": "abc"})
    from_hub = load(task, tmp_path)
    files = fetch.fetch(task, tmp_path)
    assert all(request == {"path": task.hub, "name": "main", "revision": "abc"} for request in asked)
    assert [file.relative_to(tmp_path) for file in files] == [Path("own/test.jsonl"), Path("own/train.jsonl")]
    assert [json.loads(line) for line in files[0].read_text().splitlines()] == ROWS
    from_mirror = load(task, tmp_path)
    assert (from_hub.origin, from_mirror.origin) == ("hub", "mirror")
    assert from_hub.items == from_mirror.items
    assert fetch.fetch(task, tmp_path) == ()


def test_a_sample_under_another_name_does_not_keep_fetch_from_the_whole(
    write_task: WriteTask, tmp_path: Path, no_network: None
) -> None:
    task = write_task({"mirror": {"test": "own/sample.jsonl"}})
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "sample.jsonl").write_text(json.dumps(ROWS[0]) + "\n")
    assert len(load(task, tmp_path).items) == 1
    with pytest.raises(RequestError, match="no connection to the hub"):
        fetch.fetch(task, tmp_path)
