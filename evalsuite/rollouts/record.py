"""A rollout: one sampled answer, as it is stored."""

from dataclasses import dataclass
from enum import StrEnum


class FinishReason(StrEnum):
    """Why a rollout ended."""

    STOP = "stop"
    LENGTH = "length"
    """Cut off by the token limit."""
    PROMPT_TOO_LONG = "prompt_too_long"
    """Never sent: the prompt and the token limit together do not fit the model's context."""
    ERROR = "error"
    """The engine failed on this request."""
    UNKNOWN = "unknown"
    """Not known: the text was imported from a log that does not say."""


@dataclass(frozen=True, slots=True)
class Rollout:
    """One sampled answer to one item under one protocol.

    `cell` is the hash of what decided its text (see `Protocol.cell`), `sample` counts from 0, `seed` is the sampling
    seed that was sent. `token_ids` are the generated tokens only; `text` is their decoding without special tokens.
    Of imported answers, the seed and all about tokens may be unknown: None.
    """

    cell: str
    task: str
    item: str
    sample: int
    seed: int | None
    prompt_tokens: int | None
    text: str
    token_ids: tuple[int, ...] | None
    finish_reason: FinishReason
    stop_reason: str | int | None = None
    error: str | None = None

    @property
    def key(self) -> tuple[str, str, int]:
        """What makes a rollout unique within a run: cell, item, sample."""
        return (self.cell, self.item, self.sample)
