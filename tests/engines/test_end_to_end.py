"""The main path on the real engine and model: from a wish to a table, MLflow, and a run that survives kills."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from mlflow import MlflowClient

from evalsuite.catalog.checkpoint import open_checkpoint
from evalsuite.engines.base import Engine
from evalsuite.evaluate.limits import at_limits
from evalsuite.evaluate.loop import evaluate
from evalsuite.evaluate.plan import Wish, make_plan
from evalsuite.evaluate.regrade import make_pool
from evalsuite.evaluate.run import load_run
from evalsuite.report.from_run import summarise_run
from evalsuite.report.passk.data import pass_k
from evalsuite.report.sources import sources_of_run
from evalsuite.rollouts import store
from evalsuite.rollouts.record import FinishReason
from evalsuite.tracking.run import track_run
from tests.support.fake_engine import NoWatch

pytestmark = pytest.mark.engine

WISH = Wish(None, "demo_number,demo_choice4,demo_qa", (), None, 1.0, 2, 48, 6, 0)


@pytest.fixture(scope="module")
def finished(engine: Engine, model: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "run"
    plan = make_plan(open_checkpoint(str(model)), WISH, (), None)
    evaluate(plan, folder, lambda log, longest: engine, NoWatch())
    return folder


def records(folder: Path, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / name).read_text().splitlines()]


def test_the_table_is_right_when_recomputed_from_the_files(finished: Path) -> None:
    verdicts = {
        (v["cell"], v["item"], v["sample"]): v["correct"]
        for file in (finished / store.VERDICTS).iterdir()
        for v in map(json.loads, file.read_text().splitlines())
    }
    rollouts = records(finished, store.ROLLOUTS)
    assert len(rollouts) == len(verdicts) == 3 * 6 * 2
    for row in summarise_run(load_run(finished)).tasks:
        mine = [r for r in rollouts if r["task"] == row.task]
        right = [verdicts[r["cell"], r["item"], r["sample"]] for r in mine]
        assert row.accuracy is not None
        assert row.accuracy.value == pytest.approx(sum(right) / 12)
        assert row.cut_off == sum(r["finish_reason"] == "length" for r in mine) / 12


def test_a_smaller_limit_is_what_a_run_with_it_gives(
    finished: Path, engine: Engine, model: Path, tmp_path: Path
) -> None:
    plan = make_plan(open_checkpoint(str(model)), replace(WISH, max_tokens=20), (), None)
    evaluate(plan, tmp_path / "run", lambda log, longest: engine, NoWatch())
    generated = load_run(tmp_path / "run")
    with make_pool(beside_engine=False) as pool:
        [read] = at_limits(load_run(finished), [20], pool, NoWatch())
    assert read.rollouts == generated.rollouts
    assert {r.finish_reason for r in read.rollouts.values()} == {FinishReason.STOP, FinishReason.LENGTH}
    assert read.verdicts == generated.verdicts
    assert read.protocols == generated.protocols


def test_pass_at_one_is_the_accuracy(finished: Path) -> None:
    run = load_run(finished)
    for row, task in zip(summarise_run(run).tasks, pass_k(sources_of_run(run), [1]).tasks, strict=True):
        [[first]] = [one.points for one in task.curves]
        assert row.accuracy is not None
        assert first.estimate.value == pytest.approx(row.accuracy.value)


def test_the_prompt_file_holds_what_the_tokenizer_made(finished: Path) -> None:
    for record in records(finished, store.PROMPTS):
        assert record["text"].count("<|im_start|>assistant") == 1
        assert not record["text"].startswith("<|im_start|><|im_start|>")


def test_mlflow_shows_the_run(finished: Path, tmp_path: Path) -> None:
    run = load_run(finished)
    summary = summarise_run(run)
    mlflow_run = track_run(run, summary, tmp_path)
    stored = MlflowClient(tracking_uri=f"sqlite:///{tmp_path / 'mlflow.db'}").get_run(mlflow_run)
    assert summary.tasks[0].accuracy is not None
    assert stored.data.metrics["demo_number.accuracy"] == pytest.approx(summary.tasks[0].accuracy.value)
    assert stored.data.params["temperature"] == "0.6"
    assert track_run(run, summary, tmp_path) == mlflow_run


def test_kill_dash_nine_and_resume_gives_the_uninterrupted_run(finished: Path, model: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "evalsuite.cli.main", "eval", str(model), "--tasks", str(WISH.tasks)]
    command += ["--samples", "2", "--max-tokens", "48", "--limit", "6", "--no-mlflow", "--out", str(tmp_path / "run")]
    rollouts = tmp_path / "run" / store.ROLLOUTS
    process = subprocess.Popen(command, start_new_session=True, cwd=tmp_path)
    while process.poll() is None:
        if rollouts.is_file() and rollouts.read_text().count("\n") >= 3:
            os.killpg(process.pid, signal.SIGKILL)
        time.sleep(0.02)
    assert process.returncode == -signal.SIGKILL
    before = rollouts.read_text().count("\n")
    assert 3 <= before < 36
    subprocess.run(command, check=True, cwd=tmp_path, capture_output=True)

    def texts(folder: Path) -> dict[Any, Any]:
        return {key: (r.seed, r.token_ids, r.text) for key, r in store.rollouts(folder).items()}

    assert rollouts.read_text().count("\n") == 36
    assert texts(tmp_path / "run") == texts(finished)
