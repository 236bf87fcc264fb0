"""Answers that nothing announces: the whole text, its first or its last line, or what its last sentence states.

A number that merely stands in sight is none.
"""

import re

from evalsuite.catalog.items import AnswerKind
from evalsuite.grading import choice, claims, closing, number
from evalsuite.grading.bare import bare, formula

# Only so many characters at the end of a text can hold its last sentence.
END = 3_000
BOLD = re.compile(r"\*\*([^*\n]{1,80})\*\*")


def find(turn: str, kind: AnswerKind, options: tuple[str, ...]) -> tuple[str, str] | None:
    """The answer and the name of the rule that found it."""
    whole = turn.strip()
    valued = kind in (AnswerKind.NUMBER, AnswerKind.MATH) and not formula(whole)
    if bare(whole, kind, options) and not (valued and closing.NO_RESULT.search(whole)):
        value = closing.right_side(whole, called="", equation=False) if kind is AnswerKind.MATH else None
        return value or whole, "whole_text"
    if first := _stated_first(whole, kind, options):
        return first, "first_line"
    bold = [b for b in BOLD.findall(whole.rpartition("\n")[2]) if bare(b, kind, options)]
    if bold:
        return bold[-1], "bold"
    if kind is AnswerKind.CHOICE:
        return _settled_last(whole, options)
    last = _stated_last(whole, kind) if kind is not AnswerKind.QA else None
    return (last, "last_sentence") if last else None


def _stated_first(whole: str, kind: AnswerKind, options: tuple[str, ...]) -> str | None:
    """The first line, if it is an answer and what follows names no other: "7 + 5 = 12" and a friendly word."""
    first, _, rest = whole.partition("\n")
    match kind:
        case AnswerKind.CHOICE:
            return choice.stated_first(first, rest, options)
        case AnswerKind.NUMBER:
            return first if bare(first, kind, options) and not re.search(r"[\d=]", rest) else None
        case _:
            return None


# What people say or draw behind their last sentence.
_PARTING = re.compile(
    r"\s*(?:(?:I hope|Hope|Let me know|Feel free|Please let|If you (?:have|need)|Thank)[^\n]*"
    r"|\$?\\(?:blacksquare|square|qed)\$?\.?|Q\.?E\.?D\.?|[∎■□✓✅])\Z"
)
_DRAWING = re.compile(r"(?:\[asy\]|\A)(?:(?!\[asy\]).)*?\[/asy\]|\[asy\].*\Z", re.DOTALL)
_DISPLAY = re.compile(
    r"\s*(?:\\\[(?s:.){1,800}?\\\]|\$\$(?s:.){1,800}?\$\$|\\begin\{align(?s:.){1,800}?\\end\{align\*?\})"
)
_SENTENCE_END = re.compile(r"(?<=[a-z0-9$%}\])][.!])\s+(?=[A-Z]|\$\$?[-\w\\(]|\\[(\[]|[a-z] ?[-+=])")


def _settled_last(whole: str, options: tuple[str, ...]) -> tuple[str, str] | None:
    """The option that the last line is, or that it settles on."""
    before, _, line = whole.rpartition("\n")
    if stated := choice.stated_last(before, line, options):
        return stated, "last_line"
    letter = claims.settled(line, options)
    return (letter, "last_sentence") if letter else None


def _stated_last(whole: str, kind: AnswerKind) -> str | None:
    """What the last line, or the last sentence of it, states as the result."""
    if whole.count("```") % 2:  # inside a program
        return None
    end = _DRAWING.sub("", whole[-END:]).rstrip()
    while parting := _PARTING.search(end, max(0, len(end) - 300)):
        end = end[: parting.start()].rstrip()
    end = _DISPLAY.sub(lambda display: " " + " ".join(display[0].split()), re.sub(r"<<[^<>\n]*>>", "", end))
    before, _, line = end.rpartition("\n")
    sentence = _SENTENCE_END.split(line)[-1]
    alone = line.strip("#> ")
    column = re.fullmatch(r"[\s\d.,$]+", before.rstrip().rpartition("\n")[2])
    if "=" not in alone and number.read(alone) and not column:
        return alone
    return _labelled(line, kind) or closing.result(sentence, end[: len(end) - len(sentence)], kind)


_LABEL = re.compile(
    r"[\s*_>#-]*(?!step|case|note|example|hint|figure|table|page|part|problem|question|source)[a-z][a-z ()']{0,40}[*_]*"
    r"\s?(?::|(?<=\bans)\.|→|=>|\s[-–—]\s)[\s*_]*([^:]+)|\s*(?:=>|⇒|→|∴|\$?\\(?:therefore|Rightarrow)\b)\s*(.+)",
    re.IGNORECASE,
)


def _labelled(line: str, kind: AnswerKind) -> str | None:
    """The answer behind a label or a sign of conclusion on a line of its own: "Total: 18", "=> 18"."""
    label = _LABEL.fullmatch(line) if len(line) < 300 else None
    said = (label[1] or label[2]).strip("*_ ") if label else ""
    return said if said and bare(said, kind, ()) else None
