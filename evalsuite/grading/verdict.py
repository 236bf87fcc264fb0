"""A verdict: what the grader says of one rollout."""

from dataclasses import dataclass
from enum import StrEnum


class Status(StrEnum):
    """How far grading came; only `OK` verdicts compared an answer with the gold."""

    OK = "ok"
    NO_ANSWER = "no_answer"
    """The text ended by itself and offers no final answer."""
    CUT_OFF = "cut_off"
    """The token limit ended the text before a final answer."""
    TIMEOUT = "timeout"
    """Comparing took longer than the deadline."""
    UNREADABLE_GOLD = "unreadable_gold"


@dataclass(frozen=True, slots=True)
class Verdict:
    """Two scores, kept apart, and how they came about.

    `strict` is right in the format that the prompt asked for; `correct` (lenient) is right in any unambiguous form.
    Both are None where the rollout cannot be scored (unreadable gold). `extracted` is the answer as it was read,
    `how` names the rule that found it, `why` is one line for people. `score` is in [0, 1]: token F1 for `qa`, else
    1.0 for correct and 0.0 for wrong.
    """

    correct: bool | None
    strict: bool | None
    score: float | None
    extracted: str | None
    how: str
    status: Status
    format_ok: bool
    why: str
