"""An engine that answers from a rule instead of a model: for tests of everything but the engine."""

import asyncio
from collections.abc import Callable
from typing import Any

from evalsuite.engines.base import Completion, Request, RequestFailedError
from evalsuite.errors import RunError
from tests.support.tiny import text_of, tokens


def boxed_seed(request: Request) -> str:
    """An answer that depends on the request's seed alone, as a real sample does."""
    return f"So it is \\boxed{{{(request.seed or 0) % 20}}}."


class FakeEngine:
    """Answers with `rule(request)`, all ending for the same reason; where it `cuts`, at the token limit if not before.

    It fails the requests that `fails` names, and dies after `dies_after` answers. `options` are the user's own engine
    arguments.
    """

    concurrency = 8

    def __init__(
        self,
        rule: Callable[[Request], str] = boxed_seed,
        *,
        fails: Callable[[Request], bool] = lambda _: False,
        dies_after: int | None = None,
        seconds: float = 0.0,
        finish_reason: str = "stop",
        cuts: bool = False,
        options: dict[str, Any] | None = None,
    ) -> None:
        self.requests: list[Request] = []
        self.description: dict[str, Any] = {"name": "fake", "options": options or {}}
        self.closed = False
        self._rule, self._fails, self._dies_after, self._seconds = rule, fails, dies_after, seconds
        self._finish_reason, self._cuts = finish_reason, cuts

    async def complete(self, request: Request) -> Completion:
        if self._dies_after is not None and len(self.requests) >= self._dies_after:
            raise RunError("the engine died")
        self.requests.append(request)
        await asyncio.sleep(self._seconds * (1 + request.max_tokens % 3))
        if self._fails(request):
            raise RequestFailedError("no")
        text = self._rule(request)
        ids = tokens(text)
        if self._cuts and len(ids) > request.max_tokens:
            ids = ids[: request.max_tokens]
            return Completion(text_of(ids), ids, "length", None)
        return Completion(text, ids, self._finish_reason, None)

    def close(self) -> None:
        self.closed = True


class NoWatch:
    """A `Watch` that looks away."""

    def say(self, line: str) -> None: ...

    def begin(self, what: str, total: int, done: int = 0) -> None: ...

    def generated(self, rollout: Any) -> None: ...

    def graded(self, rollout: Any, verdict: Any) -> None: ...
