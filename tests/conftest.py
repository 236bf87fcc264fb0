"""What all tests share: the real data where it is there, the embedded model, and one engine for the session."""

import asyncio
import os
import threading
from collections.abc import Coroutine, Iterator
from pathlib import Path
from typing import Any

import pytest

from evalsuite.engines.base import Completion, Engine, Request
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


class SharedEngine:
    """One vLLM engine in its own event loop, lent to every test; closing what a test was lent does nothing."""

    def __init__(self, model: Path, log: Path) -> None:
        from evalsuite.engines.vllm import VllmEngine

        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, daemon=True).start()

        async def start() -> VllmEngine:
            return VllmEngine(model, log, 2048, {})

        self._engine = self._wait(start())
        self.concurrency = self._engine.concurrency
        self.description = self._engine.description

    def _wait(self, coroutine: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result()

    async def complete(self, request: Request) -> Completion:
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(self._engine.complete(request), self._loop))

    def close(self) -> None:
        """The session closes it."""

    def really_close(self) -> None:
        self._loop.call_soon_threadsafe(self._engine.close)


@pytest.fixture(scope="session")
def engine(model: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    shared = SharedEngine(model, tmp_path_factory.mktemp("engine") / "engine.log")
    yield shared
    shared.really_close()
