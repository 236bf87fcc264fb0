"""One engine for several runs of a checkpoint: loading takes minutes, and a sweep and its scoring both need it."""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from evalsuite.engines.base import Completion, Engine, Request

SPARE = 512
"""Tokens of context beyond what the first run needs: the next may have somewhat longer prompts."""


class SharedEngine:
    """Loads an engine when a run first needs one, in an event loop of its own, and lends it to every run after.

    Leaving the context stops the engine. A run that needs longer sequences than the engine has room for gets a new one.
    """

    def __init__(self, start: Callable[[Path, int], Engine], context: int) -> None:
        """`start` loads the engine, given its log and the longest sequence, inside a running loop."""
        self._start, self._context = start, context
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._engine: Engine | None = None
        self._room = 0

    def lend(self, log: Path, longest: int) -> Engine:
        """The engine; closing what is lent does nothing."""
        if self._engine is None or self._room < longest:
            self._stop()
            self._room = min(longest + SPARE, self._context)
            self._engine = self._wait(self._load(log))
        return _Lent(self._engine, self._loop)

    async def _load(self, log: Path) -> Engine:
        return self._start(log, self._room)

    def _stop(self) -> None:
        if self._engine is not None:
            self._wait(_closed(self._engine))
            self._engine = None

    def _wait(self, coroutine: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result()

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self._stop()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


class _Lent:
    """The engine as one run sees it, from the run's own loop."""

    def __init__(self, engine: Engine, loop: asyncio.AbstractEventLoop) -> None:
        self._engine, self._loop = engine, loop
        self.concurrency = engine.concurrency

    @property
    def description(self) -> dict[str, Any]:
        return self._engine.description

    async def complete(self, request: Request) -> Completion:
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(self._engine.complete(request), self._loop))

    def close(self) -> None:
        """Whoever shares the engine stops it."""


async def _closed(engine: Engine) -> None:
    engine.close()
