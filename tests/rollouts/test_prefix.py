"""A rollout under a smaller limit."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from evalsuite.rollouts.prefix import at_limit
from evalsuite.rollouts.record import FinishReason, Rollout

WHOLE = Rollout("cell", "task", "item", 0, 7, 10, "né!", tuple("né!".encode()), FinishReason.STOP, stop_reason="!")


def decode(ids: Sequence[int]) -> str:
    return bytes(ids).decode(errors="replace")


@pytest.mark.parametrize(
    ("limit", "text", "end"),
    [
        (5, "né!", FinishReason.STOP),
        (4, "né!", FinishReason.STOP),  # the token that ended it is the last one allowed
        (3, "né", FinishReason.LENGTH),
        (2, "n", FinishReason.LENGTH),  # half a character is none
        (1, "n", FinishReason.LENGTH),
    ],
)
def test_the_first_tokens_and_why_it_ends(limit: int, text: str, end: FinishReason) -> None:
    cut = at_limit(WHOLE, limit, decode)
    assert (cut.text, cut.finish_reason) == (text, end)
    assert cut.token_ids == tuple("né!".encode())[:limit]
    assert cut.key == WHOLE.key
    assert cut.stop_reason == ("!" if end is FinishReason.STOP else None)


def test_imported_answers_have_no_tokens_to_count() -> None:
    with pytest.raises(ValueError, match="tokens"):
        at_limit(replace(WHOLE, token_ids=None), 3, decode)
