"""What a rollout would have been under a smaller token limit: no model needed."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from evalsuite.rollouts.record import FinishReason, Rollout

Decode = Callable[[Sequence[int]], str]
"""From token ids to text without special tokens, as the engine does it."""


def at_limit(rollout: Rollout, max_tokens: int, decode: Decode) -> Rollout:
    """The same sample, cut off after `max_tokens` tokens if it is longer.

    An engine samples token by token from a seed of the request's own, so that a smaller limit gives the first tokens of
    the same answer; a test on the real engine holds it to that. A last character that is not complete is left out, as
    the engine leaves it out.

    Raises:
        ValueError: the rollout's tokens are unknown (imported answers).
    """
    if rollout.token_ids is None:
        raise ValueError("the tokens of this answer are unknown")
    if len(rollout.token_ids) <= max_tokens:
        return rollout
    ids = rollout.token_ids[:max_tokens]
    text = decode(ids).rstrip("\ufffd")
    return replace(rollout, token_ids=ids, text=text, finish_reason=FinishReason.LENGTH, stop_reason=None)
