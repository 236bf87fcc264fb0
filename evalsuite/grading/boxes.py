r"""The `\boxed{…}` of a text, balanced, in one pass whatever the text."""

import re
from dataclasses import dataclass

from evalsuite.grading.places import Anchored

BOX = Anchored(("\\boxed", "\\fbox"), r"\\(?:boxed|fbox)\b")
TOKEN = re.compile(r"\\{1,3}(?:boxed|fbox)\s*\{|\\{1,3}(?:boxed|fbox)\s+(?=[\w-])|\\.|[{}]", re.DOTALL)
NEGATED = re.compile(
    r"(?:\b(?:not|rather than|instead of|never)|n't|≠|\\neq?)(?: equal(?: to)?| be| get| obtain)?[\s$:(]*\Z"
    r"|(?:\be\.g\.|\bfor (?:example|instance)\b|\bsuch as\b)[^.\n]{0,30}\Z",
    re.IGNORECASE,
)
PLACEHOLDER = re.compile(
    r"[\s.…?_$]*|(?:\\text\{)?(?:your )?(?:final )?answer(?: here)?\}?|\\(?:text|mathrm)\{\s*\}", re.I
)

# Beyond this, a line is no answer that lacks a brace.
LONGEST_FORGIVEN = 300


@dataclass(frozen=True, slots=True)
class Box:
    """One box: where it stands, what it holds, and whether its brace was closed."""

    start: int
    end: int
    content: str
    closed: bool


def boxes(text: str, ended: bool) -> list[Box]:
    r"""The outermost boxes in order, without empty ones and without those that the text negates ("not \boxed{3}").

    A box that lacks only its closing brace is taken to the end of its line, if the text ended by itself.
    """
    found: list[Box] = []
    open_braces: list[tuple[int, int, bool]] = []
    first = BOX.search(text)
    for token in TOKEN.finditer(text, _escaped(text, first.start())) if first else ():
        is_box = token[0].lstrip("\\").startswith(("boxed", "fbox"))
        if is_box and not token[0].endswith("{"):
            word = re.compile(r"-?\w+").match(text, token.end())
            if word and not any(box for *_, box in open_braces):
                found.append(Box(token.start(), word.end(), word[0], True))
        elif is_box or token[0] == "{":
            open_braces.append((token.start(), token.end(), is_box))
        elif token[0] == "}" and open_braces:
            start, inside, closes_box = open_braces.pop()
            if closes_box:
                while found and found[-1].start > start:
                    found.pop()
                found.append(Box(start, token.end(), text[inside : token.start()], True))
    if ended:
        found += _forgiven(text, open_braces)
    found.sort(key=lambda box: box.start)
    return [_unwrapped(box) for box in found if _meant(text, box)]


def _escaped(text: str, start: int) -> int:
    """Where the one to three backslashes of the box begin whose last one stands at `start`."""
    while start and text[start - 1] == "\\":
        start -= 1
    return start


def _forgiven(text: str, open_braces: list[tuple[int, int, bool]]) -> list[Box]:
    """The last box left open, if its line is complete but for one brace."""
    if not open_braces or not open_braces[-1][2]:
        return []
    start, inside, _ = open_braces[-1]
    line_end = text.find("\n", inside)
    line_end = len(text) if line_end < 0 else line_end
    if line_end - inside > LONGEST_FORGIVEN:
        return []
    content = re.sub(r"(?:\s|\$|\\\]|\\\)|\.)+\Z", "", text[inside:line_end])
    return [Box(start, line_end, content, False)]


def _meant(text: str, box: Box) -> bool:
    return not PLACEHOLDER.fullmatch(box.content) and not NEGATED.search(text, max(0, box.start - 40), box.start)


def _unwrapped(box: Box) -> Box:
    content = re.sub(r"\\+(?:boxed|fbox)\s*(?=\{)", "", box.content).strip()
    return Box(box.start, box.end, content, box.closed)
