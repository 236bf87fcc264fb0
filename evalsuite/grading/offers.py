"""The places where a text offers an answer: boxes, tags, "the answer is …", marks, verdicts on an option."""

import re
from dataclasses import dataclass

from evalsuite.catalog.items import AnswerKind
from evalsuite.grading import claims, number, phrases, undeclared
from evalsuite.grading.bare import bare
from evalsuite.grading.boxes import boxes
from evalsuite.grading.places import Anchored


@dataclass(frozen=True, slots=True)
class Offer:
    """One place where a text offers an answer; `end` tells whether a cut-off may have ended it early."""

    start: int
    end: int
    text: str
    how: str


# A text that goes on announcing is repeating itself; further back there is nothing final.
LAST_OFFERS = 50
TAG = Anchored(("<answer>",), r"<answer>(.*?)(</answer>|\Z)", re.DOTALL | re.IGNORECASE)
ANSWER_LINE = re.compile(r"[\s*_#>]*(?:final\s+)?answer[\s*_]*:[\s*_]*", re.IGNORECASE)
MARK = Anchored(("####",), r"(?<!#)####[ \t]*([^\n#]+)")
# The last action of an agent, and the answer in an object of JSON.
FIELD = Anchored(
    ("finish[", '"final', '"answer"', '"ans"', "[[ ## answer ## ]]"),
    r"\bFinish\[([^\]\n]{1,300})\]|\[\[ ## answer ## \]\]\s*([^\n\[]{1,300})"
    r"|\"(?:final_?)?ans(?:wer)?\"\s*:\s*(?:\"([^\"\n]{1,300})\"|([^\n\",{}\[\]]{1,80}))",
    re.IGNORECASE,
)
# "So 18 dollars is the final answer", "we get 18 as our answer": a number, or a formula between dollars.
DECLARED = re.compile(
    r"(?:(?<![\w.,\\])(?P<number>[-−]?\$?\d(?:[\d,]*\d)?(?:\.\d+)?%?(?: (?!which\b)[a-z]+)??)"
    r"|\$(?P<formula>[^$\n]{1,80})\${1,2})(?: is (?:indeed )?|,? (?:which|and this|and that) is | as )"
    r"(?:the|our|my) (?:(?:final|correct|right) )?answer\b(?! to\b)"
)
_DECLARING = re.compile(r" (?:is (?:indeed )?|as )(?:the|our|my) (?:(?:final|correct|right) )?answer")
_RETRACTS = (
    r"(?:that|this|which) (?:is|was) (?:wrong|incorrect|not right|a mistake)|made an? (?:\w+ )?(?:mistake|error)"
)
_RETRACTION = re.compile(rf"\b(?:{_RETRACTS})\b", re.IGNORECASE)
# "Wait, actually it is 7." behind an answer: a number, a formula between dollars, or a letter in brackets.
CORRECTION = Anchored(
    ("wait", "actually", "correction", "sorry", "oops", "that ", "this ", "which ", "made ", "it is", "it's"),
    r"(?:(?i:\b(?:wait|actually|correction|sorry|oops)\b)[^\n=]{0,60}?\b(?i:it|that|this|answer|result|value)"
    rf"(?i: is| was|'s| should be| must be| should have been)|(?i:\b(?:{_RETRACTS})\b)[^\n=]{{0,60}}?"
    r"(?i:\b(?:is|was|should be|must be|should have been)|'s)|(?i:\bit(?: is|'s)(?= (?:actually|really|in fact))))"
    r"(?: actually| really| in fact)? "
    r"(\$[^$\n]{1,80}\$|[-−]?\$?\d[\d,]*(?:\.\d+)?(?:/\d+)?%?|\([A-Z]\))(?=\s*(?:[.!](?!\d)|\n|\Z))",
)


def find(turn: str, kind: AnswerKind, options: tuple[str, ...], ended: bool) -> list[Offer]:
    """Every explicit offer in the order in which they begin; of a cut-off text, without the one that the cut broke."""
    found = _find(turn, kind, options, ended, _tags(turn, kind, options, ended))
    return found if ended else _without_unfinished(found, turn)


def _find(turn: str, kind: AnswerKind, options: tuple[str, ...], ended: bool, tags: list[Offer]) -> list[Offer]:
    found = [Offer(b.start, b.end, b.content, "boxed" if b.closed else "boxed_unclosed") for b in boxes(turn, ended)]
    found += tags + _marks(turn, kind, options)
    found += _phrases(turn, kind, options, ended, found)
    if kind is AnswerKind.CHOICE:
        found += [Offer(v.start("said"), v.end(), v["said"], "phrase") for v in claims.verdicts(turn, options)]
    elif kind is not AnswerKind.QA and _DECLARING.search(turn):
        found += [Offer(d.start(), d.end(), d["number"] or d["formula"], "phrase") for d in DECLARED.finditer(turn)]
    found = sorted((offer for offer in found if offer.text), key=lambda offer: offer.start)
    if found and kind is not AnswerKind.QA:
        found = sorted(found + _corrections(turn, found[0].start), key=lambda offer: offer.start)
    return found


def _tags(turn: str, kind: AnswerKind, options: tuple[str, ...], ended: bool) -> list[Offer]:
    found = []
    for tag in list(TAG.finditer(turn))[-LAST_OFFERS:]:
        if tag[2] or ended:
            how = "answer_tag" if tag[2] else "answer_tag_unclosed"
            found.append(Offer(tag.start(), tag.end(), _inside(tag[1].strip(), kind, options), how))
    return found or _closed_only(turn, kind, options)


def _inside(content: str, kind: AnswerKind, options: tuple[str, ...]) -> str:
    """The answer within a tag: what reads as none is a text of its own, with its own offers and last sentence."""
    if kind is AnswerKind.QA or bare(content, kind, options):
        return phrases.inner(content, kind, ended=True)
    if found := _find(content, kind, options, ended=True, tags=[]):
        return final(found, content).text
    stated = undeclared.find(content, kind, options)
    return stated[0] if stated else content


def _closed_only(turn: str, kind: AnswerKind, options: tuple[str, ...]) -> list[Offer]:
    """What a closing tag ends whose opening tag the prompt may have given: "Paris</answer>"."""
    said, closed, _ = turn.partition("</answer>")
    line = said.rpartition("\n")[2]
    if not closed or not bare(line, kind, options):
        return []
    return [Offer(len(said) - len(line), len(said) + len(closed), line.strip(), "answer_tag")]


def _marks(turn: str, kind: AnswerKind, options: tuple[str, ...]) -> list[Offer]:
    marks = [mark for mark in list(MARK.finditer(turn))[-LAST_OFFERS:] if bare(mark[1], kind, options)]
    fields = [Offer(f.start(), f.end(), (f[1] or f[2] or f[3] or f[4]).strip(), "phrase") for f in FIELD.finditer(turn)]
    return fields + [Offer(mark.start(), mark.end(), mark[1].strip(), "mark") for mark in marks]


def _phrases(turn: str, kind: AnswerKind, options: tuple[str, ...], ended: bool, others: list[Offer]) -> list[Offer]:
    found: list[Offer] = []
    first_other = min((other.start for other in others), default=len(turn))
    first_box = min((other.start for other in others if other.how == "boxed"), default=len(turn))
    for phrase in phrases.find(turn, kind)[-LAST_OFFERS:]:
        said = phrases.said(phrase, kind, options, ended, not found and phrase.start() <= first_other)
        if said and phrases.plausible(said, kind, options, boxed_before=first_box < phrase.start()):
            begin = phrase.start(phrase.re.groups)
            head = turn[turn.rfind("\n", 0, phrase.start()) + 1 : begin]
            how = "answer_line" if ANSWER_LINE.fullmatch(head) else "phrase"
            found.append(Offer(phrase.start(), begin + len(said), said, how))
    return found


def _corrections(turn: str, behind: int) -> list[Offer]:
    return [Offer(c.start(1), c.end(), c[1], "phrase") for c in CORRECTION.finditer(turn, behind)]


def _without_unfinished(offers: list[Offer], turn: str) -> list[Offer]:
    """The complete offers of a cut-off text.

    If the text had begun another answer, or taken the last one back, it has no final one, unless it was only repeating
    itself.
    """
    complete = [o for o in offers if o.end < len(turn.rstrip()) or o.how in ("boxed", "answer_tag")]
    begun = re.search(r"(?:\\boxed\s*\{|<answer>)((?:(?!\\boxed|</?answer>|\n).)*)\Z", turn)
    if begun and not (complete and begun.start() < complete[-1].end):
        repeats = bool(complete) and complete[-1].text.startswith(begun[1].strip())
        return complete if repeats else []
    return [] if complete and _RETRACTION.search(turn, complete[-1].end) else complete


JOINT = re.compile(r"[\s$]*(?:,|;|\\text\{ ?(?:and|or) ?\}|and|or)(?:\s|\$|and\b|or\b|[a-zA-Z](?:_\{?\d\}?)? ?=)*")


def final(found: list[Offer], turn: str) -> Offer:
    """The last offer; boxes that only a comma, "and" or "or" keeps apart are one list."""
    last = found[-1]
    parts = [last.text]
    after = last
    for before in reversed(found[-LAST_OFFERS:-1]):
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
