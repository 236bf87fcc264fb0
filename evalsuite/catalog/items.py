"""An item: one question of a task, with a stable id made from its content."""

import hashlib
import json
import unicodedata
from dataclasses import dataclass
from enum import StrEnum


class AnswerKind(StrEnum):
    """What kind of answer a task asks for; it decides how answers are graded."""

    NUMBER = "number"
    MATH = "math"
    CHOICE = "choice"
    QA = "qa"


class AnswerFormat(StrEnum):
    """The form in which a prompt asks for the final answer; strict scores look for it."""

    BOXED = "boxed"
    ANSWER_TAG = "answer_tag"
    ANSWER_LINE = "answer_line"
    FREE = "free"


@dataclass(frozen=True, slots=True)
class Item:
    """One question.

    `options` is empty unless the task is multiple choice; they are in the order in which they are shown, and `gold`
    then holds the letter of the right one. `gold` has several entries only where several answers are accepted (QA).
    `solution` is a worked solution where the source has one: it is shown in few-shot examples only.
    """

    id: str
    task: str
    question: str
    options: tuple[str, ...]
    gold: tuple[str, ...]
    solution: str | None = None

    @property
    def letters(self) -> tuple[str, ...]:
        """The letters of the options: A, B, C, …"""
        return tuple(chr(ord("A") + i) for i in range(len(self.options)))


def canonical(text: str) -> str:
    """The same text however its source spaces or encodes it: Unicode NFC, every run of white space one space."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def content_id(question: str, options: tuple[str, ...], gold: tuple[str, ...]) -> str:
    """16 hex digits of the sha256 over an item's content: question, options in order, accepted answers.

    It is the same whether the item comes from the hub or from a local mirror, and changes with any word of it.
    """
    content = [canonical(question), [canonical(o) for o in options], [canonical(g) for g in gold]]
    return hashlib.sha256(json.dumps(content, ensure_ascii=False).encode()).hexdigest()[:16]
