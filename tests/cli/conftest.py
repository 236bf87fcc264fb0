"""What command tests share, made by the commands themselves over engines that play a rule."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from evalsuite.evaluate import regrade
from tests.support.command import run_cli
from tests.support.fake_engine import FakeEngine
from tests.support.lab import Lab, make_lab
from tests.support.sealed_files import read


@pytest.fixture(scope="session")
def run_folder(tiny: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run: two tasks, five items each, four samples an item."""
    folder = tmp_path_factory.mktemp("runs") / "run"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("evalsuite.engines.vllm.VllmEngine", lambda *_: FakeEngine())
        settings = ["--tasks", "demo_number,demo_arithmetic", "--limit", 5, "--samples", 4, "--max-tokens", 64]
        ended = run_cli("eval", tiny, *settings, "--out", folder, "--no-mlflow")
    assert ended.code == 0, ended.err
    return folder


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each command is given in an empty folder, at 80 columns, with no mirror named."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.delenv("EVALSUITE_DATA", raising=False)
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """Tasks and checkpoints, and an empty folder to give commands in, which all share."""
    with regrade.make_pool(beside_engine=True) as pool:
        yield make_lab(tmp_path_factory.mktemp("lab"), pool)


@pytest.fixture(scope="session")
def sealed(lab: Lab) -> dict[str, Path]:
    """Sealed files by model: the start's, and those of others that were offered just the same."""
    files = {"start": Path(lab.json(*lab.baseline("start"))["file"])}
    for name in ("trained", "liner", "themed"):
        against = lab.baseline(name, options=["--against", files["start"]], tasks=None)
        files[name] = Path(lab.json(*against)["file"])
    return {name: lab.here / file for name, file in files.items()}


@pytest.fixture(scope="session")
def content(sealed: dict[str, Path]) -> Any:
    return read(sealed["start"])


@pytest.fixture
def copy(lab: Lab, sealed: dict[str, Path], tmp_path: Path) -> tuple[Lab, Path]:
    """Another folder with the same results, to be spoiled, and the start's sealed file in it."""
    return lab.copy(tmp_path), tmp_path / "results" / "baselines" / sealed["start"].name
