"""What every engine is: a request in, its completion out when it is finished. Many requests run side by side."""

from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class Request:
    """One sample to generate.

    The prompt is token ids, so that nothing is tokenised twice. `seed` is None where nothing is drawn (temperature 0).
    """

    id: str
    prompt_ids: tuple[int, ...]
    temperature: float
    top_p: float
    max_tokens: int
    stop: tuple[str, ...]
    seed: int | None


@dataclass(frozen=True, slots=True)
class Completion:
    """What came of a request.

    `finish_reason` is "stop" or "length"; `stop_reason` is the stop string or token that ended it, if any.
    """

    text: str
    token_ids: tuple[int, ...]
    finish_reason: str
    stop_reason: str | int | None


class RequestFailedError(Exception):
    """The engine could not do this request; others go on."""


class Engine(Protocol):
    """Something that answers."""

    concurrency: int
    """How many requests are worth having in flight."""

    @property
    def description(self) -> dict[str, Any]:
        """Name, version and settings, for the record."""
        ...

    async def complete(self, request: Request) -> Completion:
        """Generate one sample.

        Raises:
            RequestFailedError: this request failed.
            RunError: the engine is gone, and no further request can succeed.
        """
        ...

    def close(self) -> None:
        """Stop the engine and its processes."""
        ...
