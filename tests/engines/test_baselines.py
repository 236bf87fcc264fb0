"""Sweep, seal, verify and compare on the real engine: two checkpoints of the same weights must come out equal."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from evalsuite.engines.base import Engine
from tests.support.command import run_cli

pytestmark = pytest.mark.engine

GRID = (
    *("--tasks", "demo_arithmetic", "--limit", 20, "--prompts", "boxed,bare", "--chat-template", "on"),
    *("--temperatures", "0,0.8", "--max-tokens", "16,48", "--no-mlflow"),
)


@pytest.fixture
def folder(engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder in which commands run over the session's engine."""

    def lend(*_: object) -> Callable[[Path, int], Engine]:
        return lambda log, longest: engine

    monkeypatch.setattr("evalsuite.cli.engine.starter", lend)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_equal_weights_leave_no_gain(folder: Path, model: Path) -> None:
    same = folder / "same-weights"
    shutil.copytree(model, same)
    config = json.loads((same / "generation_config.json").read_text())
    (same / "generation_config.json").write_text(json.dumps(config | {"temperature": 0.2}))

    first = run_cli("baseline", model, *GRID, "--json")
    assert first.code == 0, first.err
    sealed = json.loads(first.out)
    second = run_cli("baseline", same, "--against", sealed["file"], "--no-mlflow", "--json")
    assert second.code == 0, second.err
    other = json.loads(second.out)
    assert other["models"][0]["tasks"] == sealed["models"][0]["tasks"]

    verified = run_cli("baseline", "verify", sealed["file"])
    assert (verified.code, verified.out[:8]) == (0, "verified"), verified.err

    compared = run_cli("compare", sealed["file"], other["file"], "--no-mlflow", "--json")
    assert compared.code == 0, compared.err
    [comparison] = json.loads(compared.out)["comparisons"]
    [row] = comparison["tasks"]
    for reading in ("naive", "matched_trained", "matched_start", "best"):
        assert row[reading]["gain"]["value"] == 0
        assert row[reading]["gain"]["low"] < 0 < row[reading]["gain"]["high"]
    assert set(comparison["treatment"]) == {"sampling_defaults"}
    assert comparison["unequal"] == comparison["lacking"] == []


def test_a_sweep_and_an_eval_share_what_was_generated(folder: Path, model: Path) -> None:
    swept = run_cli("sweep", model, *GRID, "--full", "--json")
    assert swept.code == 0, swept.err
    settings = json.loads(swept.out)["tasks"][0]["settings"]
    assert len(settings) == 2 * 2 * 2 * 2
    options = ("--tasks", "demo_arithmetic", "--limit", 20, "--prompt", "bare", "--chat-template", "on")
    ran = run_cli("eval", model, *options, "--temperature", 0.8, "--max-tokens", 16, "--no-mlflow", "--json")
    assert ran.code == 0, ran.err
    assert "20 rollouts" in ran.err
    assert "taken over from" in ran.err
    [mine] = [
        setting["accuracy"]["value"]
        for setting in settings
        if (setting["prompt"], setting["temperature"], setting["max_tokens"], setting["parser"])
        == ("bare", 0.8, 16, "lenient")
    ]
    assert json.loads(ran.out)["tasks"][0]["accuracy"]["value"] == pytest.approx(mine)
