"""Which of the answers in a text is its final one, and whether it is offered in the form that was asked for."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from evalsuite.catalog.items import AnswerFormat, AnswerKind
from evalsuite.grading import choice, claims, number, offers
from evalsuite.grading.offers import Offer


@dataclass(frozen=True, slots=True)
class Extracted:
    """The final answer as the text gives it, the rule that found it, and whether it came in the asked form."""

    text: str
    how: str
    format_ok: bool


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn of a text: whether it came to its own end, what it offers in order, and its final answer, if any.

    `start` is where it begins in what was spoken. A final answer that no offer announces is none of `offers`.
    """

    start: int
    text: str
    ended: bool
    offers: tuple[Offer, ...]
    final: Offer | None


def extract(
    text: str, *, kind: AnswerKind, answer_format: AnswerFormat, options: tuple[str, ...] = (), cut_off: bool = False
) -> Extracted | None:
    """The last answer that `text` offers as final, or None: a number that merely stands there is no answer."""
    said, finished = spoken(text)
    for turn in turns(said, kind, options, cut_off or not finished):
        if turn.final is not None:
            answer = number.result(turn.final.text) if kind is AnswerKind.NUMBER else turn.final.text
            return Extracted(answer, turn.final.how, format_ok(turn.final, turn.offers, answer_format))
    return None


def turns(said: str, kind: AnswerKind, options: tuple[str, ...], cut_off: bool) -> Iterator[Turn]:
    """The turns of what was spoken, each read for its answer; the first that has one decides."""
    breaks = list(NEXT_TURN.finditer(said))
    starts = [0, *(b.end() for b in breaks)]
    ends = [*(b.start() for b in breaks), len(said)]
    for position, (start, end) in enumerate(zip(starts, ends, strict=True)):
        turn = said[start:end]
        if not turn.strip():
            continue
        ended = position < len(breaks) or not cut_off
        found = offers.find(turn, kind, options, ended)
        final = _final(found, turn) if found else None
        if final is None and ended:
            final = _undeclared(turn, kind, options)
        yield Turn(start, turn, ended, tuple(found), final)


# What a model invents after its answer: the next question of a few-shot prompt, or the next turn of a chat.
NEXT_TURN = re.compile(
    r"\n[ \t]*(?:Question|Problem|Q|Human|User|Instruction)\s*:|<\|(?:im_start|im_end|endoftext|eot_id)\|>|</s>"
    r"|\n#+ (?:Instruction|Problem|Question)\b"
)


# What a tool said to the model is not what the model says.
TOOL = re.compile(
    r"<(information|tool_response|result)>(?:(?!<\1>).)*?</\1>"
    r"|<\|begin_of_documents\|>(?:(?!<\|begin_of_documents).)*?<\|end_of_documents\|>",
    re.DOTALL,
)


def spoken(text: str) -> tuple[str, bool]:
    """What the model says outside its thinking and its tools, and whether it came to an end of thinking.

    A closing tag ends thinking even if nothing opened it; left open, thinking never ends.
    """
    return without_thinking(without_tools(text))


def without_tools(text: str) -> str:
    """The text without what tools said in it."""
    return TOOL.sub("", text)


def without_thinking(text: str) -> tuple[str, bool]:
    """The text without its thinking, and whether that came to an end."""
    if "</think>" in text:
        text = re.sub(r"<think>(?:(?!</?think>).)*</think>", "", text, flags=re.DOTALL)
        text = text.rpartition("</think>")[2]
    said, still_thinking, _ = text.partition("<think>")
    return said, not still_thinking


def _final(found: list[Offer], turn: str) -> Offer:
    """The last offer; boxes that only a comma, "and" or "or" keeps apart are one list."""
    last = found[-1]
    parts = [last.text]
    after = last
    for before in reversed(found[-offers.LAST_OFFERS : -1]):
        if before.how == after.how == "boxed" and JOINT.fullmatch(turn, before.end, after.start):
            if not any(_same(before.text, part) for part in parts):
                parts.insert(0, before.text)
            after = before
        elif before.how == "boxed":
            break
    return Offer(after.start, last.end, ", ".join(parts), last.how)


def _same(one: str, other: str) -> bool:
    """Whether two boxes give one answer in two forms ("15 1/2 or 31/2"), rather than two answers."""
    values = number.read(one), number.read(other)
    return one == other or (values[0] is not None and values[0] == values[1])


JOINT = re.compile(r"[\s$]*(?:,|;|\\text\{ ?(?:and|or) ?\}|and|or)(?:\s|\$|and\b|or\b|[a-zA-Z](?:_\{?\d\}?)? ?=)*")


def _undeclared(turn: str, kind: AnswerKind, options: tuple[str, ...]) -> Offer | None:
    """An answer that nothing announces: the whole text, its first or its last line, or how its last sentence ends."""
    whole = turn.strip()
    if offers.bare(whole, kind, options):
        return Offer(0, len(turn), whole, "whole_text")
    if first := _stated_first(whole, kind, options):
        return Offer(0, len(turn), first, "first_line")
    before, _, last_line = whole.rpartition("\n")
    bold = [b for b in BOLD.findall(last_line) if offers.bare(b, kind, options)]
    if bold:
        return Offer(0, len(turn), bold[-1], "bold")
    if kind is AnswerKind.CHOICE and (stated := choice.stated_last(before, last_line, options)):
        return Offer(0, len(turn), stated, "last_line")
    if kind is AnswerKind.CHOICE and (letter := claims.settled(last_line, options)):
        return Offer(0, len(turn), letter, "last_sentence")
    if kind in (AnswerKind.NUMBER, AnswerKind.MATH) and (value := _closing_number(last_line)):
        return Offer(0, len(turn), value, "last_sentence")
    return None


def _stated_first(whole: str, kind: AnswerKind, options: tuple[str, ...]) -> str | None:
    """The first line, if it is an answer and what follows names no other: "7 + 5 = 12" and a friendly word."""
    first, _, rest = whole.partition("\n")
    match kind:
        case AnswerKind.CHOICE:
            return choice.stated_first(first, rest, options)
        case AnswerKind.NUMBER:
            return first if offers.bare(first, kind, options) and not re.search(r"[\d=]", rest) else None
        case _:
            return None


BOLD = re.compile(r"\*\*([^*\n]{1,80})\*\*")
_COPULA = r"(?:=|\b(?:is|are|equals)\b)"
_CLOSING = re.compile(rf"{_COPULA}[\s:]*((?:(?!{_COPULA}).)*)\Z")
# What such a sentence ends in is not its result: it denies, supposes, compares, or goes on to explain.
_NO_RESULT = re.compile(
    r"\?|n't\b|\b(?:not|if|about|than)\b|\\neq?\b"
    rf"|{_COPULA}.*\s(?:such that|where|because|since|when|for which)\b"
)
# The left side of an equation in an unknown, as far as no word interrupts it: "x^2 + 3x", but not "5 x 3" or "f(2)".
_UNKNOWN = re.compile(r"[a-z]\^|\d[a-z]\b|\b[a-wyz] ?[-+*/]|[-+*/] ?[a-wyz]\b")
MOST_UNIT_WORDS = 4
LONGEST_SENTENCE = 1_000


def _closing_number(line: str) -> str | None:
    """The number, with at most a unit, that ends the last sentence behind "=", "is", "are" or "equals".

    "So she makes 9 * 2 = 18 dollars."
    """
    sentence = re.split(r"(?<=[a-z0-9$%}\])])[.!]\s+(?=[A-Z])", re.sub(r"<<[^<>\n]*>>", "", line))[-1]
    closing = _CLOSING.search(sentence) if len(sentence) <= LONGEST_SENTENCE else None
    if closing is None or _NO_RESULT.search(sentence):
        return None
    left = re.split(r"(?<!\\)\b[A-Za-z]{2,}\b|\$", sentence[: closing.start()])[-1]
    if closing[0].startswith("=") and _UNKNOWN.search(left):
        return None
    said = re.sub(r"(?:\\[\])]|[\s.*])+\Z", "", closing[1])
    if said.count("$") == 1 and not said.startswith("$"):
        said = said.replace("$", "")
    brief = len(re.findall(r"[A-Za-z]+", said)) <= MOST_UNIT_WORDS or "\\" in said
    return said if brief and number.read(said) else None


def format_ok(final: Offer, found: Sequence[Offer], answer_format: AnswerFormat) -> bool:
    """Whether the final answer stands in the asked form too, though another form may have said it last."""
    if answer_format is AnswerFormat.FREE or final.how == answer_format:
        return True
    asked = [o.text for o in found if o.how == answer_format]
    return bool(asked) and "".join(asked[-1].split()).strip("$.") == "".join(final.text.split()).strip("$.")
