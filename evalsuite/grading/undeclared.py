"""Answers that nothing announces: the whole text, its first or its last line, or what its last sentence states.

A number that merely stands in sight is none.
"""

import re

from evalsuite.catalog.items import AnswerKind
from evalsuite.grading import choice, claims, closing, number
from evalsuite.grading.bare import bare, formula
from evalsuite.grading.options import fitting

# Only so many characters at the end of a text can hold its last sentence.
END = 3_000
BOLD = re.compile(r"\*\*([^*\n]{1,80})\*\*")
_LAST_BOLD = re.compile(rf"{BOLD.pattern}[\s.!)]*\Z")


def find(turn: str, kind: AnswerKind, options: tuple[str, ...]) -> tuple[str, str] | None:
    """The answer and the name of the rule that found it."""
    whole = _without_parting(turn)
    valued = kind in (AnswerKind.NUMBER, AnswerKind.MATH) and not formula(whole)
    if bare(whole, kind, options) and not (valued and closing.NO_RESULT.search(whole)):
        value = closing.right_side(whole, called="", equation=False) if kind is AnswerKind.MATH else None
        return value or whole, "whole_text"
    if kind is AnswerKind.CHOICE:
        return _settled(whole, options)
    if kind is AnswerKind.QA:
        decided = _DECIDED.match(whole.rpartition("\n\n")[2]) or _DECIDED.match(whole)
        return (decided[1], "first_word") if decided else None
    if kind is AnswerKind.MATH and re.fullmatch(r"[A-Za-z]+\.?", whole):
        return whole, "whole_text"
    if kind is AnswerKind.NUMBER and (first := _stated_first(whole)):
        return first, "first_line"
    bold = [b for b in BOLD.findall(whole.rpartition("\n")[2]) if bare(b, kind, options)]
    if bold:
        return bold[-1], "bold"
    last = _stated_last(whole, kind)
    return (last, "last_sentence") if last else None


# "No, it does not float."
_DECIDED = re.compile(r"\W*(yes|no)[,.:] \w", re.IGNORECASE)


def _stated_first(whole: str) -> str | None:
    """The first line, if it is a number and what follows names no other: "7 + 5 = 12" and a friendly word."""
    first, _, rest = whole.partition("\n")
    return first if bare(first, AnswerKind.NUMBER, ()) and not re.search(r"[\d=]", rest) else None


# What people say or draw behind their last sentence.
_PARTING = re.compile(
    r"\s*(?:(?:(?<=\n)|(?<=[.!?$*)] ))"
    r"(?:I hope|Hope|Let me know|Feel free|Please|If you (?:have|need|want|would)|Thank|Good luck|Have a"
    r"|(?:Is|Do|Would) (?:there|you)\b|(?:Great|Good|Nice) (?:job|work|question))[^\n\d\\]*"
    r"|\s-{3,}|\s`{3,}"
    r"|\$?\\(?:blacksquare|square|qed)\$?\.?|Q\.?E\.?D\.?|[∎■□✓✅])\Z"
)
MOST_PARTINGS = 10
_DRAWING = re.compile(r"(?:\[asy\]|\A)(?:(?!\[asy\]).)*?\[/asy\]|\[asy\].*\Z", re.DOTALL)
_DISPLAY = re.compile(
    r"\s*(?:\\\[(?s:.){1,800}?\\\]|\$\$(?s:.){1,800}?\$\$|\\begin\{align(?s:.){1,800}?\\end\{align\*?\})"
)
_SENTENCE_END = re.compile(r"(?<=[a-z0-9$%}\])][.!])\s+(?=[A-Z]|\$\$?[-\w\\(]|\\[(\[]|[a-z] ?[-+=])")


def _without_parting(text: str) -> str:
    text = text.strip()
    for _ in range(MOST_PARTINGS):
        parting = _PARTING.search(text, max(0, len(text) - 600))
        if parting is None:
            break
        text = text[: parting.start()].rstrip()
    return text


def _settled(whole: str, options: tuple[str, ...]) -> tuple[str, str] | None:
    """The option that the last line, or the first, is or settles on; where these differ, the last decides."""
    before, _, line = whole.rpartition("\n")
    if stated := choice.stated_last(before, line, options):
        return stated, "last_line"
    bold = _LAST_BOLD.search(line)
    if bold and bare(bold[1], AnswerKind.CHOICE, options):
        return bold[1], "bold"
    if letter := claims.settled(line, options):
        return letter, "last_sentence"
    if first := choice.stated_first(*whole.partition("\n")[::2], options):
        return first, "first_line"
    letter = _valued_last(whole, options)
    return (letter, "last_sentence") if letter else None


def _valued_last(whole: str, options: tuple[str, ...]) -> str | None:
    """The option whose value or words the last sentence states as its result."""
    sentence = _SENTENCE_END.split(whole.rpartition("\n")[2])[-1]
    if not options or len(sentence) > closing.LONGEST:
        return None
    finished = re.search(r"[.!$)\]}*]\Z", sentence) or (closing.concludes(sentence) and sentence.count("$") % 2 == 0)
    if not finished or closing.NO_RESULT.search(sentence) or claims.doubtful(sentence):
        return None
    stated = _stated_last(whole, AnswerKind.MATH)
    return (fitting(stated, options) if stated else None) or choice.ends_in(sentence, options)


def _stated_last(whole: str, kind: AnswerKind) -> str | None:
    """What the last line, or the last sentence of it, states as the result."""
    if whole.count("```") % 2:  # inside a program
        return None
    end = _DRAWING.sub("", whole[-END:]).rstrip()
    end = _without_parting(end)
    end = _DISPLAY.sub(lambda display: " " + " ".join(display[0].split()), re.sub(r"<<[^<>\n]*>>", "", end))
    before, _, line = end.rpartition("\n")
    sentence = _SENTENCE_END.split(line)[-1]
    alone = line.strip("#> ")
    column = re.fullmatch(r"[\s\d.,$]+", before.rstrip().rpartition("\n")[2])
    marker = re.fullmatch(r"(\d{1,2})[.)]", alone)
    listed = marker and (marker[1] == "1" or re.search(rf"^\W*{int(marker[1]) - 1}[.)]\s", before, re.MULTILINE))
    if "=" not in alone and number.read(alone) and not column and not listed:
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
