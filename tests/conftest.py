"""What all tests share: the real data where it is there, the embedded model, and one engine for the session."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from evalsuite.engines.base import Engine
from evalsuite.engines.shared import SharedEngine
from tests.support.tiny import make_checkpoint

ROOT = Path(__file__).parents[1]
MODEL = ROOT / "models" / "SmolLM2-135M-Instruct"


@pytest.fixture(scope="session")
def model() -> Path:
    if not (MODEL / "config.json").is_file():
        pytest.skip(f"the embedded model is not built: `make model` ({MODEL})")
    return MODEL


@pytest.fixture(scope="session")
def mirror() -> Path:
    folder = Path(os.environ.get("EVALSUITE_DATA") or ROOT.parent / "shared" / "data")
    if not folder.is_dir():
        pytest.skip(f"no local mirror of the benchmarks at {folder} (EVALSUITE_DATA names one)")
    return folder


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkpoint folder with a byte tokenizer, a chat template and a context of 4,096; its weights are nonsense."""
    return make_checkpoint(tmp_path_factory.mktemp("checkpoints") / "tiny")


@pytest.fixture(scope="session")
def engine(model: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    from evalsuite.engines.vllm import VllmEngine

    log = tmp_path_factory.mktemp("engine") / "engine.log"
    with SharedEngine(lambda log, longest: VllmEngine(model, log, longest, {}), 2048) as shared:
        yield shared.lend(log, 2048)
