"""Which answer a text finally offers, and whether it is offered in the form that was asked for."""

import re
from dataclasses import dataclass

from evalsuite.catalog.items import AnswerFormat, AnswerKind
from evalsuite.grading import choice, number
from evalsuite.grading.boxes import boxes


@dataclass(frozen=True, slots=True)
class Extracted:
    """The final answer as the text gives it, the rule that found it, and whether it came in the asked form."""

    text: str
    how: str
    format_ok: bool


@dataclass(frozen=True, slots=True)
class Offer:
    """One place where a text offers an answer; `end` tells whether a cut-off may have ended it early."""

    start: int
    end: int
    text: str
    how: str


def extract(
    text: str, *, kind: AnswerKind, answer_format: AnswerFormat, options: tuple[str, ...] = (), cut_off: bool = False
) -> Extracted | None:
    """The last answer that `text` offers as final, or None: a number that merely stands there is no answer."""
    said, finished = spoken(text)
    cut_off = cut_off or not finished
    turns = NEXT_TURN.split(said)
    for position, turn in enumerate(turns):
        if not turn.strip():
            continue
        ended = position < len(turns) - 1 or not cut_off
        offers = [o for o in _offers(turn, kind, options, ended) if o.text]
        if not ended:
            offers = _without_unfinished(offers, turn)
        final = _final(offers, turn, kind, options) if offers else None
        if final is None and ended:
            final = _undeclared(turn, kind, options)
        if final is not None:
            return Extracted(final.text, final.how, _format_ok(final, offers, answer_format))
    return None


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
    text = TOOL.sub("", text)
    if "</think>" in text:
        text = re.sub(r"<think>(?:(?!</?think>).)*</think>", "", text, flags=re.DOTALL)
        text = text.rpartition("</think>")[2]
    said, still_thinking, _ = text.partition("<think>")
    return said, not still_thinking


TAG = re.compile(r"<answer>(.*?)(</answer>|\Z)", re.DOTALL | re.IGNORECASE)
_VERB = r"(?:is|are|was|would be|should be|will be|must be|equals)\b"
_NOUN = r"(?:answers?|correct (?:option|choice)|(?:right|best) (?:option|choice))"
_CONTENT = r"(\\\[(?s:.){1,500}?\\\]|\$\$(?s:.){1,500}?\$\$|[^\n]{1,500})"
# What is said is looked at without being consumed: it may itself hold the next "the answer is".
PHRASE = re.compile(
    rf"(?i:\b{_NOUN}\b(?:\s[^.\n:=$\\]{{1,40}}?)??[*_]*\s?(?::|=|{_VERB})|\bfinal answer[*_]*(?=[ \t]*\n))"
    rf"[\s:*_]*(?={_CONTENT})"
)
ANSWER_LINE = re.compile(r"[\s*_#>]*(?:final\s+)?answer[\s*_]*:[\s*_]*", re.IGNORECASE)
# A text that goes on announcing is repeating itself; further back there is nothing final.
LAST_OFFERS = 50
MARK = re.compile(r"(?<!#)####[ \t]*([^\n#]+)")
VERDICT = re.compile(r"\b(?:[Oo]ption|[Cc]hoice)?\s*(\(?[A-Z]\)?)\s+is\s+(?:the\s+)?(?:correct|right|best)\b")
BOLD = re.compile(r"\*\*([^*\n]{1,80})\*\*")


def _offers(turn: str, kind: AnswerKind, options: tuple[str, ...], ended: bool) -> list[Offer]:
    """Every explicit offer in the order in which they begin."""
    found = [Offer(b.start, b.end, b.content, "boxed" if b.closed else "boxed_unclosed") for b in boxes(turn, ended)]
    for tag in TAG.finditer(turn):
        if tag[2] or ended:
            how = "answer_tag" if tag[2] else "answer_tag_unclosed"
            found.append(Offer(tag.start(), tag.end(), _inner(tag[1].strip(), kind), how))
    for phrase in list(PHRASE.finditer(turn))[-LAST_OFFERS:]:
        said = _inner(_sentence(phrase[1], kind), kind)
        boxed_before = any(o.how == "boxed" and o.start < phrase.start() for o in found)
        if _plausible(said, kind, options, boxed_before):
            head = turn[turn.rfind("\n", 0, phrase.start()) + 1 : phrase.start(1)]
            how = "answer_line" if ANSWER_LINE.fullmatch(head) else "phrase"
            found.append(Offer(phrase.start(), phrase.start(1) + len(said), said, how))
    for mark in MARK.finditer(turn):
        if _bare(mark[1], kind, options):
            found.append(Offer(mark.start(), mark.end(), mark[1].strip(), "mark"))
    if kind is AnswerKind.CHOICE:
        found += [Offer(v.start(), v.end(), v[1], "phrase") for v in VERDICT.finditer(turn)]
    return sorted(found, key=lambda offer: offer.start)


def _without_unfinished(offers: list[Offer], turn: str) -> list[Offer]:
    """The offers of a cut-off text, without the one that the cut broke.

    If the text had begun another answer, it has no final one, unless it was only repeating itself.
    """
    complete = [o for o in offers if o.end < len(turn.rstrip()) or o.how in ("boxed", "answer_tag")]
    begun = re.search(r"(?:\\boxed\s*\{|<answer>)((?:(?!\\boxed|</?answer>|\n).)*)\Z", turn)
    if begun and not (complete and begun.start() < complete[-1].end):
        repeats = bool(complete) and complete[-1].text.startswith(begun[1].strip())
        return complete if repeats else []
    return complete


def _final(offers: list[Offer], turn: str, kind: AnswerKind, options: tuple[str, ...]) -> Offer:
    """The last offer; boxes that only a comma, "and" or "or" keeps apart are one list."""
    last = offers[-1]
    parts = [last.text]
    after = last
    for before in reversed(offers[-LAST_OFFERS:-1]):
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
    """An answer that nothing announces: the whole text, bold print in the last line, or how the last sentence ends."""
    whole = turn.strip()
    if _bare(whole, kind, options):
        return Offer(0, len(turn), whole, "whole_text")
    last_line = whole.rpartition("\n")[2]
    bold = [b for b in BOLD.findall(last_line) if _bare(b, kind, options)]
    if bold:
        return Offer(0, len(turn), bold[-1], "bold")
    if kind in (AnswerKind.NUMBER, AnswerKind.MATH) and (value := _closing_number(last_line, kind)):
        return Offer(0, len(turn), value, "last_sentence")
    return None


def _closing_number(line: str, kind: AnswerKind) -> str | None:
    """The one number after the last "=" or "is" of the last sentence: "So she makes 9 * 2 = 18 dollars."""
    sentence = re.split(r"(?<=[a-z0-9$%}\])])[.!]\s+(?=[A-Z])", re.sub(r"<<[^<>\n]*>>", "", line))[-1]
    tail = re.search(r"(?:=|\b(?:is|are|equals|be|was)\b)((?:(?!=|\b(?:is|are|equals|be|was)\b).)*)\Z", sentence)
    if tail is None or "?" in sentence or re.search(r"\b(?:not|n't|if|about|than)\b|\\neq?\b", sentence):
        return None
    if kind is AnswerKind.NUMBER:
        said = tail[1].strip().rstrip(".")
        return said if number.sole(said) else None
    said = tail[1].replace("$", "").strip(". ")
    return said if number.read(said) else None


def _bare(text: str, kind: AnswerKind, options: tuple[str, ...]) -> bool:
    """Whether `text` is an answer and nothing else."""
    text = text.strip()
    match kind:
        case AnswerKind.NUMBER:
            return number.read(text) is not None
        case AnswerKind.CHOICE:
            return choice.alone(text, options) is not None
        case AnswerKind.QA:
            return 0 < len(text.split()) <= 30 and not re.search(r"\n|[:?]$|</?[a-z]+>", text)
        case AnswerKind.MATH:
            words = re.findall(r"[A-Za-z]{4,}", re.sub(r"\\[a-zA-Z]+|\\(?:text|mathrm)\{[^}]*\}", "", text))
            readable = len(text) <= 200 and "\n" not in text and not words and not text.endswith(":")
            return bool(text) and (number.read(text) is not None or (readable and bool(re.search(r"\d|\\|\$", text))))


_IDLE = re.compile(
    r"(?:not|n't|correct|right|wrong|incorrect|as|in|given|above|below|clear\w*|obtained|found|unique|the same|to|what"
    r"|that|this|valid|reasonable|consistent|expected|yet|unknown|based|simply:?|therefore:?)\b(?!\})|[.:?]*$",
    re.IGNORECASE,
)


def _plausible(said: str, kind: AnswerKind, options: tuple[str, ...], boxed_before: bool) -> bool:
    """Whether what follows "the answer is" is an answer, rather than talk about it.

    In mathematics a word may be the answer ("even"), but no mere word takes back a box.
    """
    match kind:
        case AnswerKind.NUMBER:
            return bool(re.search(r"\d", said)) and not re.match(r"not\b", said)
        case AnswerKind.CHOICE:
            named = choice.read(said, options) is not None or bool(re.match(r"\W*[A-Z]\b", said))
            return named and not re.match(r"not\b", said)
        case AnswerKind.QA:
            return bool(said) and not re.fullmatch(r"(?:not )?(?:correct|right|wrong|incorrect|as follows)?:?", said)
        case AnswerKind.MATH:
            if re.search(r"\d|\\|\$", said):
                return not _IDLE.match(said)
            return not _IDLE.match(said) and not boxed_before and len(said.split()) <= 3


_ABBREVIATED = re.compile(r"(?:\b[A-Z]|\b(?:St|Dr|Mr|Mrs|Ms|Jr|Sr|No|vs|Mt|Inc|Ltd|Co))$")


def _sentence(said: str, kind: AnswerKind) -> str:
    """What an answer phrase says: to the end of its sentence, or of its display formula."""
    said = re.split(r"</?answer>|<\|", said)[0]
    if not said.startswith(("\\[", "$$")):
        for stop in re.finditer(r"[.!](?=\s|$|\*\*|\$(?:\s|$))", said):
            if kind is AnswerKind.QA and _ABBREVIATED.search(said[: stop.start()]):
                continue
            said = said[: stop.start()]
            break
    if kind is not AnswerKind.QA:
        said = re.split(r"[,;]?\s+(?:not|rather than|instead of|because|since|which)\b", said)[0]
        said = re.sub(r"(?<=\S)\s*\([^()\\$=]*\b[a-z]{3,}\b[^()\\$=]*\)\s*$", "", said)
    return said.strip().strip("*_").strip()


def _inner(said: str, kind: AnswerKind) -> str:
    """The answer within an answer: a box inside a tag or a phrase, a phrase inside a tag."""
    inside = [b for b in boxes(said, ended=True) if b.content]
    if inside:
        return inside[-1].content
    phrase = PHRASE.search(said)
    return _sentence(phrase[1], kind) if phrase and kind is not AnswerKind.QA else said


def _format_ok(final: Offer, offers: list[Offer], answer_format: AnswerFormat) -> bool:
    """Whether the final answer stands in the asked form too, though another form may have said it last."""
    if answer_format is AnswerFormat.FREE or final.how == answer_format:
        return True
    asked = [o.text for o in offers if o.how == answer_format]
    return bool(asked) and "".join(asked[-1].split()).strip("$.") == "".join(final.text.split()).strip("$.")
