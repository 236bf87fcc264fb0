"""From the command to MLflow and back: logged once, without the text of gated tasks, and later where MLflow is away."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mlflow import MlflowClient
from mlflow.entities import Run

from evalsuite.catalog.checkpoint import load_tokenizer
from evalsuite.engines.base import Request
from tests.support.command import Output, run_cli
from tests.support.fake_engine import FakeEngine
from tests.support.own_task import write_task

SECRET, OPEN = "xyzzy", "plugh"
SETTINGS = ["--tasks", "secret,open", "--samples", 2, "--max-tokens", 64, "--include", ".", "--data-dir", "data"]


def rows(word: str) -> list[dict[str, Any]]:
    """Two sums about a word, and a third with a gold that is no number."""
    return [
        {"question": f"What is one {word} plus {n}?", "answer": answer}
        for n, answer in enumerate(("1", "2", f"a {word}"))
    ]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory, tiny: Path) -> Iterator[Path]:
    """The folder in which all commands of this file are given; the model there says again what it is asked."""
    folder = tmp_path_factory.mktemp("tracking")
    write_task(folder, "secret", rows(SECRET), gated=True)
    write_task(folder, "open", rows(OPEN))
    tokenizer = load_tokenizer(tiny)

    def repeat(request: Request) -> str:
        return f"{tokenizer.decode(request.prompt_ids)} It is \\boxed{{2}}."

    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("COLUMNS", "80")
        patch.delenv("MLFLOW_TRACKING_URI", raising=False)
        patch.setattr("evalsuite.engines.vllm.VllmEngine", lambda *_: FakeEngine(repeat))
        yield folder


@pytest.fixture(scope="module")
def logged(place: Path, tiny: Path) -> tuple[Path, Output]:
    """A run that was logged as it ended."""
    ended = run_cli("eval", tiny, *SETTINGS)
    (folder,) = (place / "results" / "runs").iterdir()
    return folder, ended


def runs_of(place: Path, folder: Path) -> list[Run]:
    client = MlflowClient(tracking_uri=f"sqlite:///{place / 'results' / 'mlflow.db'}")
    experiment = client.get_experiment_by_name("tasks")
    return [run for run in client.search_runs([experiment.experiment_id]) if run.info.run_name == folder.name]


def test_an_eval_ends_in_a_table_and_an_mlflow_run(place: Path, logged: tuple[Path, Output]) -> None:
    folder, ended = logged
    assert ended.code == 0
    (secret, open_) = (line for line in ended.out.splitlines() if line.startswith(("secret ", "open ")))
    assert "50.0 [" in secret  # one of two items with a readable gold
    assert "50.0 [" in open_
    assert f"rollouts   results/runs/{folder.name}/rollouts.jsonl" in ended.err
    assert "mlflow ui --backend-store-uri sqlite:///results/mlflow.db" in ended.err
    (run,) = runs_of(place, folder)
    found = run.data.metrics
    assert (found["open.accuracy"], found["secret.accuracy"]) == (0.5, 0.5)
    assert found["open.accuracy_low"] < 0.5 < found["open.accuracy_high"]
    manifest = json.loads((folder / "run.json").read_text())
    assert run.data.tags["checkpoint.sha256"] == manifest["checkpoint"]["sha256"]
    assert {p["hash"] for p in manifest["protocols"]} == {run.data.tags[f"{t}.protocol"] for t in ("secret", "open")}
    assert {d.dataset.name for d in run.inputs.dataset_inputs} == {"secret", "open"}


def test_the_same_eval_and_track_again_log_nothing_anew(place: Path, tiny: Path, logged: tuple[Path, Output]) -> None:
    folder, first = logged
    (before,) = runs_of(place, folder)
    rollouts = (folder / "rollouts.jsonl").read_bytes()
    again = run_cli("eval", tiny, *SETTINGS)
    assert (again.code, again.out) == (0, first.out)
    tracked = run_cli("track", folder)
    assert (tracked.code, tracked.out) == (0, f"{folder.name}: MLflow run {before.info.run_id}\n")
    (after,) = runs_of(place, folder)
    assert (after.info.run_id, after.info.end_time) == (before.info.run_id, before.info.end_time)
    assert (folder / "rollouts.jsonl").read_bytes() == rollouts


def test_gated_text_never_reaches_mlflow(place: Path, logged: tuple[Path, Output]) -> None:
    folder, ended = logged
    # It is in the run's own files, where a user needs it.
    assert SECRET in (folder / "rollouts.jsonl").read_text()
    artifacts = [path for path in (place / "results" / "mlartifacts").rglob("*") if path.is_file()]
    names = {path.name for path in artifacts}
    assert {"items.jsonl", "prompts.jsonl", "rollouts.jsonl", "run.json", "table.md", "table.json"} <= names
    for path in [*artifacts, place / "results" / "mlflow.db"]:
        assert SECRET.encode() not in path.read_bytes(), path.name
    assert SECRET not in ended.out + ended.err
    # What is not gated is all there, so the search above can find what it looks for.
    for name in ("items.jsonl", "prompts.jsonl", "rollouts.jsonl", "run.json"):
        (path,) = (path for path in artifacts if path.name == name)
        assert OPEN.encode() in path.read_bytes(), name


def test_mlflow_away_is_a_warning_and_is_made_up_for_once(
    place: Path, tiny: Path, logged: tuple[Path, Output], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = place / "results" / "runs" / "away"
    with monkeypatch.context() as away:
        away.setenv("MLFLOW_TRACKING_URI", "http://127.0.0.1:9")
        ended = run_cli("eval", tiny, *SETTINGS, "--seed", 1, "--out", folder)
        assert ended.code == 0
        assert "open " in ended.out
        assert "warning: MLflow at http://127.0.0.1:9 did not take the run" in ended.err
        assert f"evalsuite track {folder}" in ended.err
        refused = run_cli("track", folder)
        assert refused.code == 1
        assert len(refused.err.splitlines()) == 1
    assert not runs_of(place, folder)
    for _ in range(2):
        assert run_cli("track", folder).code == 0
        assert len(runs_of(place, folder)) == 1


def test_tracking_that_cannot_write_its_own_note_costs_no_result(
    place: Path, tiny: Path, logged: tuple[Path, Output]
) -> None:
    folder, first = logged
    (folder / "tracking.json").rename(folder / "kept")
    (folder / "tracking.json.tmp").symlink_to("/dev/full")
    ended = run_cli("eval", tiny, *SETTINGS)
    (folder / "tracking.json.tmp").unlink()
    (folder / "kept").rename(folder / "tracking.json")
    assert (ended.code, ended.out) == (0, first.out)
    assert "warning: " in ended.err
    assert "the disk is full" in ended.err


def test_no_mlflow_leaves_it_out(place: Path, tiny: Path) -> None:
    folder = place / "without"
    ended = run_cli("eval", tiny, *SETTINGS, "--limit", 1, "--out", folder, "--no-mlflow")
    assert ended.code == 0
    assert "MLflow" not in ended.err
    assert not (folder / "tracking.json").exists()
