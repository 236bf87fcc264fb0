"""Answers in words: "the answer is 18", "Answer: 18", and where what they say ends."""

import re
from functools import lru_cache

from evalsuite.catalog.items import AnswerKind
from evalsuite.grading import choice, closing, number
from evalsuite.grading.bare import bare
from evalsuite.grading.boxes import boxes
from evalsuite.grading.places import Anchored

_VERB = (
    r"(?<![a-z])(?:(?:is|are|was)(?:(?=n[’']t)|\b)|(?:would|should|will|must|has to) be\b|to be\b|equals\b"
    r"|(?:comes?|turns?|works?) out (?:to be|to|as)\b|comes to\b)"
)
_DASH = r"\s(?:[-–—=]>?|→)\s+(?=[$*\\(]*[-\d\\(])"
_WORDS_ABROAD = (
    *("antwort", "réponse", "respuesta", "resposta", "risposta"),
    *("ответ", "答案", "答え", "정답", "คำตอบ", "jibu"),
)
_ABROAD = (
    rf"(?:{'|'.join(_WORDS_ABROAD)})[*_]*\s?"
    r"(?:[:\uff1a—是为為は]|(?:ist|lautet|est|es|é|è|ni)\b|คือ)"
)
_CONTENT = r"(\\\[(?s:.){1,500}?\\\]|\$\$(?s:.){1,500}?\$\$|[^\n]{1,500})"


def _phrase(words: tuple[str, ...], noun: str, others: str = "") -> Anchored:
    """A noun that begins with one of the words, and a verb or a sign; then what is said.

    That is looked at without being consumed: it may itself hold the next "the answer is".
    """
    return Anchored(
        words,
        rf"(?i:(?<![a-z]){noun}(?![a-z])(?P<of>\s[^.\n:\uff1a=$\\]{{1,40}}?|\sin terms of\s[^.\n:=]{{1,40}}?)??"
        rf"[*_]*(?:\s?(?:[:\uff1a=]|{_VERB})|(?<=answer)\]|{_DASH}){others})"
        rf"[\s:\uff1a*_]*(?:`+\n?(?=[-\d$\\(]))?(?={_CONTENT})",
    )


PHRASE = _phrase(
    ("answer", *_WORDS_ABROAD),
    "answers?",
    rf"|(?<=\bfinal )answer[*_]*(?=[ \t]*\n)|(?P<heading>answer[*_ \t]*(?=\n))|{_ABROAD}",
)
# What an option among others may be called: "the best match is (C)", "chosen option: C", "the closest is C".
_AMONG = ("closest", "nearest", "best", "correct", "right", "chosen", "selected", "matching", "most ", "final ")
OPTION = _phrase(
    _AMONG,
    rf"(?:(?:{'|'.join(_AMONG[:-2])}|final|most \w+)(?: \w+)??"
    r" (?:option|choice|match|fit|statement|one|value)s?|(?:closest|nearest)(?= is\b))",
)
_HEADING = re.compile(r"[#*_ \t]*")
# An answer to less than the question, and one that the text only supposes.
_PARTIAL = re.compile(r"\b(?:step|part|sub-?problem|sub-?question|first|previous|intermediate)\b", re.IGNORECASE)
_IF = re.compile(r"\b(?:[Ii]f|[Ss]uppose|[Ww]hether)(?: that)?(?: the| our| my)?(?: correct| final)?\s*\Z")
_SUPPOSED = re.compile(r"\b(?:if|had|were|suppose|supposing|assuming|instead|otherwise)\b[^.\n]*\Z", re.IGNORECASE)


def said(phrase: re.Match[str], kind: AnswerKind, options: tuple[str, ...], ended: bool, first: bool) -> str | None:
    """What this phrase says the answer is; None if that is none. `first` tells that no answer was offered before it."""
    turn = phrase.string
    if supposed(turn, phrase.start()):
        return None
    if _PARTIAL.search(phrase["of"] or "") or (kind is AnswerKind.CHOICE and _heads_a_list(turn, phrase)):
        return None
    begin = max(turn.rfind("\n", 0, phrase.start()), phrase.start() - 200, 0)
    if not first and "would" in phrase[0].lower() and _SUPPOSED.search(turn, begin, phrase.start()):
        return None
    content = phrase[phrase.re.groups]
    if "heading" in phrase.re.groupindex and phrase["heading"]:
        alone = _HEADING.fullmatch(turn, turn.rfind("\n", 0, phrase.start()) + 1, phrase.start())
        if not alone or not bare(_sentence(content, kind), kind, options):
            return None
    said = _said(content, turn[max(0, phrase.start() - _BEFORE) : phrase.start()], kind, options, ended)
    if phrase.re is OPTION.pattern and (DISOWNED.search(content) or not bare(said, kind, options)):
        return None
    return said or None


def supposed(turn: str, start: int) -> bool:
    """Whether what begins there is only supposed: "if the answer is 5", "whether option B is right"."""
    return _IF.search(turn, max(0, start - 30), start) is not None


def inner(said: str, kind: AnswerKind, ended: bool) -> str:
    """The answer within an answer: a box inside a tag or a phrase, a phrase inside a tag."""
    inside = [b for b in boxes(said, ended) if b.content]
    if inside:
        return inside[-1].content
    phrase = PHRASE.search(said)
    return _sentence(phrase[phrase.re.groups], kind) if phrase and kind is not AnswerKind.QA else said


def find(turn: str, kind: AnswerKind) -> list[re.Match[str]]:
    """Every phrase of a turn that may announce an answer of this kind, in order."""
    found = [*PHRASE.finditer(turn), *(OPTION.finditer(turn) if kind is AnswerKind.CHOICE else ())]
    return sorted(found, key=lambda phrase: phrase.start())


# So far back the calculation is looked for whose result a phrase repeats.
_BEFORE = 1_000


def _said(content: str, before: str, kind: AnswerKind, options: tuple[str, ...], ended: bool) -> str:
    """What an answer phrase says; of an option that it gives by letter and by text, both; of a sentence, its result."""
    said, is_answer = _read(content, kind, options, ended)
    if is_answer:
        return said
    before = before if kind is AnswerKind.NUMBER else ""  # words may be the answer in mathematics, whatever they count
    return closing.one_value(said) or closing.result(f"{said}.", before, kind) or said


@lru_cache(maxsize=10_000)
def _read(content: str, kind: AnswerKind, options: tuple[str, ...], ended: bool) -> tuple[str, bool]:
    """What a phrase says, and whether that is an answer as it stands. Samples of an item share their phrases."""
    if kind is AnswerKind.CHOICE:
        option = choice.lettered(content, options) or choice.worded(content, options)
        if option:
            return option, True
    said = inner(_sentence(content, kind), kind, ended)
    return said, kind not in (AnswerKind.NUMBER, AnswerKind.MATH) or bare(said, kind, options)


_ROLE = re.compile(r"\A\s*\**(?:Assistant|AI|Model|Bot)\**\s?:\**\s*", re.IGNORECASE)
_ABBREVIATED = re.compile(r"(?:\b[A-Z]|\b(?:St|Dr|Mr|Mrs|Ms|Jr|Sr|No|vs|Mt|Inc|Ltd|Co))$")
_STOP = re.compile(r"。|(?:\.|(?<!\\)!|(?=\?))(?=\s|$|\*\*|\?|\$(?:\s|$))")
# "not 20 but 18", "not A. It is B."
_DENIED = re.compile(
    r"(?:not|n[’']t)\b[^\n]{1,60}?(?:[,;.]?\s+but(?:\s+rather)?|[;.,]\s+it(?:\s+is|[’']s|\s+must be|\s+should be))\s+",
    re.IGNORECASE,
)
_ASIDE = re.compile(r"[,;]?\s+\(?(?:not|rather than|instead of|because|since|which)\b")


def _sentence(said: str, kind: AnswerKind) -> str:
    """What an answer phrase says: to the end of its sentence, or of its display formula."""
    said = _ROLE.sub("", re.split(r"</?answer>|<\|", said)[0])
    said = said[denied.end() :] if (denied := _DENIED.match(said)) else said
    if not said.startswith(("\\[", "$$")):
        for stop in _STOP.finditer(said):
            if kind is AnswerKind.QA and _ABBREVIATED.search(said[: stop.start()]):
                continue
            asked = said.startswith("?", stop.end()) and kind is not AnswerKind.QA
            said = "" if asked else said[: stop.start()]
            break
    if kind is not AnswerKind.QA:
        said = _ASIDE.split(said)[0]
        said = re.sub(r"(?<=\S)\s*\([^()\\$=]*\b[a-z]{3,}\b[^()\\$=]*\)\s*$", "", said)
    return said.strip().strip("*_`").strip()


def _heads_a_list(turn: str, phrase: re.Match[str]) -> bool:
    """Whether what follows the phrase is a list of options on lines of their own, of which none is named."""
    begin = phrase.start(phrase.re.groups)
    paragraph = turn[begin:].partition("\n\n")[0]
    return "\n" in turn[phrase.start() : begin] and len(set(LISTED.findall(paragraph))) > 1


LISTED = re.compile(r"^[ \t*-]*\(?([A-Z])[).:]?\s+\S", re.MULTILINE)
_IDLE = re.compile(
    r"(?:not|n[’']t|correct|right|wrong|incorrect|as|in|given|above|below|clear\w*|obtained|found|unique|the same|to"
    r"|what|that|this|valid|reasonable|consistent|expected|yet|unknown|based|simply:?|therefore:?)\b(?!\})|[.:?]*$",
    re.IGNORECASE,
)
_BOUND = re.compile(r"(?:[a-z]+er|more|less) than\b|at (?:least|most)\b|between\b")
_TALK = re.compile(r"(?:not )?(?:correct|right|wrong|incorrect|as follows)?:?|(?:not as|followed by)\b.*")
# Behind an option: "but it is not the right one".
DISOWNED = re.compile(r"\bbut (?:it|this|that) (?:is|was|does)(?: not|n['’]t)\b")
_DENIAL = re.compile(r"(?:not|n[’']t)\b")


def plausible(said: str, kind: AnswerKind, options: tuple[str, ...], boxed_before: bool) -> bool:
    """Whether what follows "the answer is" is an answer, rather than talk about it.

    In mathematics a word may be the answer ("even"), but no mere word takes back a box.
    """
    match kind:
        case AnswerKind.NUMBER:
            return bool(re.search(r"\d", said) or number.read(said)) and not (_DENIAL.match(said) or _BOUND.match(said))
        case AnswerKind.CHOICE:
            names = choice.read(said, options) is not None or choice.contradictory(said, options)
            return (names or bool(re.match(r"\W*[A-Z]\b", said))) and not _DENIAL.match(said)
        case AnswerKind.QA:
            return bool(said) and not _TALK.fullmatch(said)
        case AnswerKind.MATH:
            if re.search(r"\d|\\|\$", said):
                return not (_IDLE.match(said) or _BOUND.match(said))
            return not _IDLE.match(said) and not boxed_before and len(said.split()) <= 3
