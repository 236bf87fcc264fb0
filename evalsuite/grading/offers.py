"""The places where a text offers an answer: boxes, tags, "the answer is …", marks, verdicts on an option."""

import re
from dataclasses import dataclass

from evalsuite.catalog.items import AnswerKind
from evalsuite.grading import choice, number
from evalsuite.grading.boxes import boxes


@dataclass(frozen=True, slots=True)
class Offer:
    """One place where a text offers an answer; `end` tells whether a cut-off may have ended it early."""

    start: int
    end: int
    text: str
    how: str


# A text that goes on announcing is repeating itself; further back there is nothing final.
LAST_OFFERS = 50
TAG = re.compile(r"<answer>(.*?)(</answer>|\Z)", re.DOTALL | re.IGNORECASE)
# What a JSON object or an agent's last action gives as its answer.
FIELD = re.compile(
    r"[\"'](?:final[_ ])?answer[\"']\s*:\s*(?:\"((?:[^\"\\\n]|\\.)+)\"|(-?\d[\d.,]*|[A-Z])(?=\s*[,}\n]))", re.IGNORECASE
)
FINISH = re.compile(r"\b[Ff]inish\[([^\[\]\n]+)\]")
_VERB = r"(?:is|are|was|would be|should be|will be|must be|has to be|(?:seems|appears) to be|equals)\b"
_NOUN = r"(?:answers?|correct (?:option|choice)|(?:right|best) (?:option|choice))"
_CONTENT = r"(\\\[(?s:.){1,500}?\\\]|\$\$(?s:.){1,500}?\$\$|[^\n]{1,500})"
_ABROAD = (
    r"(?:antwort|réponse|respuesta|resposta|risposta|ответ|答案|答え|정답|คำตอบ|jibu)[*_]*\s?"
    r"(?:[:\uff1a—是为為は]|(?:ist|lautet|est|es|é|è|ni)\b|คือ)"
)
# What is said is looked at without being consumed: it may itself hold the next "the answer is".
PHRASE = re.compile(
    rf"(?i:\b{_NOUN}\b(?:\s[^.\n:\uff1a=$\\]{{1,40}}?)??[*_]*\s?(?:[:\uff1a=]|{_VERB})"
    rf"|\bfinal answer[*_]*(?=[ \t]*\n)|{_ABROAD})"
    rf"[\s:\uff1a*_]*(?={_CONTENT})"
)
ANSWER_LINE = re.compile(r"[\s*_#>]*(?:final\s+)?answer[\s*_]*:[\s*_]*", re.IGNORECASE)
MARK = re.compile(r"(?<!#)####[ \t]*([^\n#]+)")
VERDICT = re.compile(
    rf"\b(?:(?:[Oo]ption|[Cc]hoice)?\s*(\(?[A-Z]\)?)|(?i:the ((?:{'|'.join(choice.ORDINALS)}|last) (?:option|choice))))"
    r"\s+is\s+(?:the\s+)?(?:correct|right|best)\b"
)
CHOSEN = re.compile(
    r"\b(?:choose|chose|pick|select|go with)\s+(?:the\s+)?(?:(?:correct|right|best|final)\s+)?"
    r"(?:answer|option|choice|letter)\s*:?\s*(\([A-Z]\)|[A-Z](?![\w']))"
)
# A line that holds nothing but "Answer B".
LINE = re.compile(
    r"^[ \t*#]*(?i:(?:the )?(?:correct |final )?(?:answer|ans))\b[ .:–—-]*\(?([A-Z])\)?[.* \t]*$", re.MULTILINE
)
# "So 18 dollars is the final answer": a number, or a formula between dollars.
DECLARED = re.compile(
    r"(?:(?<![\w.,\\])(?P<number>[-−]?\$?\d[\d,]*(?:\.\d+)?%?(?: [a-z]+)?)|\$(?P<formula>[^$\n]{1,80})\$)"
    r" is (?:indeed )?the (?:(?:final|correct|right) )?answer\b(?! to\b)"
)
_DECLARING = re.compile(r" is (?:indeed )?the (?:(?:final|correct|right) )?answer")
# "Wait, actually it is 7." behind an answer: a number, a formula between dollars, or a letter in brackets.
CORRECTION = re.compile(
    r"(?i:\b(?:wait|actually|correction|sorry|oops|(?:that|this|which) (?:is|was) (?:wrong|incorrect|a mistake))\b)"
    r"[^\n=]{0,60}?\b(?i:it|that|this|answer|result|value)(?: is| was|'s| should be| must be| should have been)"
    r" (?:actually |really )?"
    r"(\$[^$\n]{1,80}\$|[-−]?\$?\d[\d,]*(?:\.\d+)?(?:/\d+)?%?|\([A-Z]\))(?=\s*(?:[.!](?!\d)|\n|\Z))"
)
# Who says so only supposes it: "if we choose option B", "do not pick (A)".
_SUPPOSED = re.compile(r"(?:\b(?:not|never|if|can|could|would|may|might|cannot|to)|n't)\s+(?:\w+\s+)?\Z", re.IGNORECASE)
_IF = re.compile(r"\b(?:[Ii]f|[Ss]uppose|[Ww]hether)(?: that)?(?: the| our| my)?(?: correct| final)?\s*\Z")


def find(turn: str, kind: AnswerKind, options: tuple[str, ...], ended: bool) -> list[Offer]:
    """Every explicit offer in the order in which they begin; of a cut-off text, without the one that the cut broke."""
    found = [Offer(b.start, b.end, b.content, "boxed" if b.closed else "boxed_unclosed") for b in boxes(turn, ended)]
    found += _tags(turn, kind, options, ended) + _marks(turn, kind, options) + _fields(turn)
    found += _phrases(turn, kind, options, [offer.start for offer in found if offer.how == "boxed"])
    if kind is AnswerKind.CHOICE:
        found += _verdicts(turn)
    elif kind is not AnswerKind.QA and _DECLARING.search(turn):
        found += [Offer(d.start(), d.end(), d["number"] or d["formula"], "phrase") for d in DECLARED.finditer(turn)]
    found = sorted((offer for offer in found if offer.text), key=lambda offer: offer.start)
    if found and kind is not AnswerKind.QA:
        found = sorted(found + _corrections(turn, found[0].end), key=lambda offer: offer.start)
    return found if ended else _without_unfinished(found, turn)


def bare(text: str, kind: AnswerKind, options: tuple[str, ...]) -> bool:
    """Whether `text` is an answer and nothing else."""
    text = text.strip()
    match kind:
        case AnswerKind.NUMBER:
            value = text.rpartition("=")[2].strip(" \n\t$\\()[]")
            return "\n" not in value and number.read(text) is not None
        case AnswerKind.CHOICE:
            rivals = "\n" not in text and choice.contradictory(text, options)
            return choice.alone(text, options) is not None or rivals
        case AnswerKind.QA:
            return 0 < len(text.split()) <= 30 and not re.search(r"\n|[:?]$|</?[a-z]+>", text)
        case AnswerKind.MATH:
            words = re.findall(r"[A-Za-z]{4,}", re.sub(r"\\[a-zA-Z]+|\\(?:text|mathrm)\{[^}]*\}", "", text))
            readable = len(text) <= 200 and not words and not re.search(r"\n|\\boxed|:\Z", text)
            return bool(text) and (number.read(text) is not None or (readable and bool(re.search(r"\d|\\|\$", text))))


def _tags(turn: str, kind: AnswerKind, options: tuple[str, ...], ended: bool) -> list[Offer]:
    found = []
    for tag in TAG.finditer(turn):
        if tag[2] or ended:
            how = "answer_tag" if tag[2] else "answer_tag_unclosed"
            found.append(Offer(tag.start(), tag.end(), _inner(tag[1].strip(), kind), how))
    return found or _closed_only(turn, kind, options)


def _closed_only(turn: str, kind: AnswerKind, options: tuple[str, ...]) -> list[Offer]:
    """What a closing tag ends whose opening tag the prompt may have given: "Paris</answer>"."""
    said, closed, _ = turn.partition("</answer>")
    line = said.rpartition("\n")[2]
    if not closed or not bare(line, kind, options):
        return []
    return [Offer(len(said) - len(line), len(said) + len(closed), line.strip(), "answer_tag")]


def _fields(turn: str) -> list[Offer]:
    fields = (*FIELD.finditer(turn), *FINISH.finditer(turn))
    return [Offer(f.start(), f.end(), next(filter(None, f.groups())).strip(), "field") for f in fields]


def _marks(turn: str, kind: AnswerKind, options: tuple[str, ...]) -> list[Offer]:
    marks = (mark for mark in MARK.finditer(turn) if bare(mark[1], kind, options))
    return [Offer(mark.start(), mark.end(), mark[1].strip(), "mark") for mark in marks]


def _phrases(turn: str, kind: AnswerKind, options: tuple[str, ...], box_starts: list[int]) -> list[Offer]:
    found = []
    for phrase in list(PHRASE.finditer(turn))[-LAST_OFFERS:]:
        if kind is AnswerKind.CHOICE and _heads_a_list(turn, phrase):
            continue
        if _IF.search(turn, max(0, phrase.start() - 30), phrase.start()):
            continue
        said = _said(phrase[1], kind, options)
        boxed_before = any(start < phrase.start() for start in box_starts)
        if _plausible(said, kind, options, boxed_before):
            head = turn[turn.rfind("\n", 0, phrase.start()) + 1 : phrase.start(1)]
            how = "answer_line" if ANSWER_LINE.fullmatch(head) else "phrase"
            found.append(Offer(phrase.start(), phrase.start(1) + len(said), said, how))
    return found


def _heads_a_list(turn: str, phrase: re.Match[str]) -> bool:
    """Whether what follows the phrase is a list of options on lines of their own, of which none is named."""
    paragraph = turn[phrase.start(1) :].partition("\n\n")[0]
    return "\n" in turn[phrase.start() : phrase.start(1)] and len(set(LISTED.findall(paragraph))) > 1


LISTED = re.compile(r"^[ \t*-]*\(?([A-Z])[).:]?\s+\S", re.MULTILINE)


def _verdicts(turn: str) -> list[Offer]:
    chosen = [c for c in CHOSEN.finditer(turn) if not _SUPPOSED.search(turn, max(0, c.start() - 30), c.start())]
    found = [v for v in VERDICT.finditer(turn) if not _IF.search(turn, max(0, v.start() - 30), v.start())]
    return [
        Offer(v.start(), v.end(), next(filter(None, v.groups())), "phrase")
        for v in (*found, *chosen, *LINE.finditer(turn))
    ]


def _corrections(turn: str, behind: int) -> list[Offer]:
    return [Offer(c.start(), c.end(), c[1], "phrase") for c in CORRECTION.finditer(turn, behind)]


def _without_unfinished(offers: list[Offer], turn: str) -> list[Offer]:
    """The complete offers of a cut-off text.

    If the text had begun another answer, it has no final one, unless it was only repeating itself.
    """
    complete = [o for o in offers if o.end < len(turn.rstrip()) or o.how in ("boxed", "answer_tag")]
    begun = re.search(r"(?:\\boxed\s*\{|<answer>)((?:(?!\\boxed|</?answer>|\n).)*)\Z", turn)
    if begun and not (complete and begun.start() < complete[-1].end):
        repeats = bool(complete) and complete[-1].text.startswith(begun[1].strip())
        return complete if repeats else []
    return complete


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
            return bool(re.search(r"\d", said) or number.read(said)) and not re.match(r"not\b", said)
        case AnswerKind.CHOICE:
            names = choice.read(said, options) is not None or choice.contradictory(said, options)
            return (names or bool(re.match(r"\W*[A-Z]\b", said))) and not re.match(r"not\b", said)
        case AnswerKind.QA:
            return bool(said) and not re.fullmatch(r"(?:not )?(?:correct|right|wrong|incorrect|as follows)?:?", said)
        case AnswerKind.MATH:
            if re.search(r"\d|\\|\$", said):
                return not _IDLE.match(said)
            return not _IDLE.match(said) and not boxed_before and len(said.split()) <= 3


_ABBREVIATED = re.compile(r"(?:\b[A-Z]|\b(?:St|Dr|Mr|Mrs|Ms|Jr|Sr|No|vs|Mt|Inc|Ltd|Co))$")


def _said(content: str, kind: AnswerKind, options: tuple[str, ...]) -> str:
    """What an answer phrase says; of an option that it gives by letter and by text, both."""
    if kind is AnswerKind.CHOICE:
        option = choice.lettered(content, options) or choice.worded(content, options)
        if option:
            return option
    return _inner(_sentence(content, kind), kind)


def _sentence(said: str, kind: AnswerKind) -> str:
    """What an answer phrase says: to the end of its sentence, or of its display formula."""
    said = re.split(r"</?answer>|<\|", said)[0]
    if not said.startswith(("\\[", "$$")):
        for stop in re.finditer(r"。|(?:\.|(?<!\\)!)(?=\s|$|\*\*|\$(?:\s|$))", said):
            if kind is AnswerKind.QA and _ABBREVIATED.search(said[: stop.start()]):
                continue
            said = said[: stop.start()]
            break
    said = re.sub(r"^not\b[^.]{1,60}?,?\s+but\s+", "", said)
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
