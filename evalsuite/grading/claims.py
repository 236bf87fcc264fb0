"""How a text settles on one option without "the answer is".

Some words do so wherever they stand: "Option B is correct", "I choose (B)". Others do so in the last line only:
"…, leaving (C).", "This matches option C.".
"""

import re
from collections.abc import Iterator

from evalsuite.grading import choice, phrases
from evalsuite.grading.options import fitting, letters

_VERDICT = re.compile(
    rf"\b(?P<said>(?:[Oo]ption|[Cc]hoice)?\s*\$?(?:\\(?:math|text)\w*\{{)?\(?[A-Z]\)?\}}?\$?"
    rf"|(?i:(?:{'|'.join(choice.ORDINALS)}|last) (?:option|choice)))"
    r"\**\s+is\s+(?:the\s+)?"
    r"(?:correct\b|right\b|answer\b"
    r"|(?:best|closest|nearest)(?=\s+(?:answer|option|choice|match|fit|one)\b|\s*(?:[.,;\n]|\Z)))"
)
_VERDICT_ON_TEXT = re.compile(
    r"(?<![^\n.])[ \t]{0,3}(?:(?:[Ss]o|[Tt]hus|[Hh]ence|[Tt]herefore),? )?(?P<said>[^\n.:]{1,100}) is the "
    r"(?:correct|right|best) (?:answer|option|choice)\b"
)
_CHOSEN = re.compile(
    r"\b(?:[Cc]hoose|chose|[Pp]ick|[Ss]elect|[Gg]o(?:ing)? with)\s+(?:the\s+)?(?:(?:correct|right|best|final)\s+)?"
    r"(?P<noun>(?:answer|option|choice|letter)\s*:?\s*)?"
    r"(?P<said>\([A-Z]\)|(?(noun)[A-Z]|(?![AI]\s[a-z])[A-Z])(?![\w']))"
)
# "The metal is **B. copper**."
_BOLD = re.compile(r"\b(?:is|are|be):? \*\*(?P<said>\(?[A-Z][).:] [^*\n]{1,200})\*\*")
MOST_BOLD = 50
# A line that holds nothing but "Answer B".
_LINE = re.compile(
    r"^[ \t*#]*(?i:(?:the )?(?:correct |final )?(?:answer|ans))\b[ .:–—-]*(?P<said>\(?[A-Z]\)?)[.* \t]*$", re.MULTILINE
)
# Who says so only supposes it: "if we choose option B", "do not pick (A)".
_SUPPOSED = re.compile(r"(?:\b(?:not|never|if|can|could|may|might|cannot|to)|n't)\s+(?:\w+\s+)?\Z", re.IGNORECASE)


def verdicts(turn: str, options: tuple[str, ...]) -> Iterator[re.Match[str]]:
    """Every place that calls an option, the group `said`, the right or the chosen one."""
    yield from (v for v in _VERDICT.finditer(turn) if not phrases.supposed(turn, v.start()))
    yield from (c for c in _CHOSEN.finditer(turn) if not _SUPPOSED.search(turn, max(0, c.start() - 30), c.start()))
    yield from (w for w in _VERDICT_ON_TEXT.finditer(turn) if fitting(w["said"], options))
    yield from (b for b in list(_BOLD.finditer(turn))[-MOST_BOLD:] if choice.lettered(b["said"], options))
    yield from _LINE.finditer(turn)


_CHOOSING = (
    r"(?:choos(?:e|ing)|chose|pick(?:ing)?|select(?:ing)?|go(?:ing)? with|say|it's|it is|must be"
    r"|leav(?:es|ing)(?: us with| only)?)"
)
_MATCHING = r"(?:is|are|remains|match(?:es)?|fits|corresponds to|therefore,?|thus,?|hence,?|so)"
_NOUN = r"(?:(?:only |just )?(?:the )?(?:(?:correct|right|best|final) )?(?:option|choice|answer|letter|statement))"
# What may follow the letter: the end of the sentence, its reasons, or the text of the option, but no second letter.
_STOP = r"(?!,? (?:and |or )?\(?[A-Z]\b)(?=[*_]*\s*(?:[.,;:!—–\"“(]|\Z|(?:because|since|as|which|with|and so)\b))"
CLAIMS = (
    # "the rule is (C)", "so option C", "We pick C."
    re.compile(rf"(?i:\b(?:{_CHOOSING}|{_MATCHING}) (?:{_NOUN} )?)[*_]*\(([A-Z])\)[*_]*{_STOP}"),
    re.compile(rf"(?i:(?:\b(?:{_CHOOSING}|{_MATCHING})|,) {_NOUN} )[*_]*\(?([A-Z])\b\)?[*_]*{_STOP}"),
    re.compile(rf"(?i:\b{_CHOOSING} )[*_]*([A-Z])[*_]*{_STOP}"),
    # "C is the only remaining option", "option C, "Rome", is the most reasonable choice", "C is the answer"
    re.compile(
        r"(?<![\w.(])\(?([A-Z])\b\)?(?:, [\"“][^\"”\n]{1,300}[\"”],?)? is the"
        r" (?:(?:correct |right |final )?answer"
        r"|(?:only|most \w+)(?: \w+){0,2} (?:option|choice|statement|conclusion|one))\b"
    ),
    # "so C is chosen" and "only option C is right", in Chinese
    re.compile(r"(?:故选|应选|只有选项)[:\uff1a\s]*([A-Z])(?![A-Za-z])"),
)
# How a line may end: "… = 36 ways. Answer B", "ANS:B", "Option: B", "Thus A".
ENDING = re.compile(
    r"(?:(?:\b(?i:answer|ans)|(?<!\()\b(?i:option|choice))\b[ .:=–—-]*"
    r"|(?<![a-z] )\b(?i:thus|hence|therefore|so)[,:]? )[*_]*\(?([A-Z])\)?[\s.*_)]*\Z"
)
# Behind a verb, in front of a letter that its text follows: "It is D. A torus."
WITH_TEXT = re.compile(r"\b(?:is|are|be|likely|probably)[:,]? (?=\(?[A-Z][).:,] )")
# "So the answer cannot be determined."
PREDICATE = re.compile(r"\banswer ([a-z][^.\n]{2,200})\.?\s*\Z", re.IGNORECASE)

NAMED = re.compile(r"\(([A-Z])\)|\b(?:[Oo]ption|[Cc]hoice) \(?([A-Z])\b")
DENIED = re.compile(r"\b(?:not|isn't|nor|neither) (?:option |choice )?\(?[A-Z]\b\)?")
SUPPOSED = re.compile(r"\b(?:if|suppose|assume|assuming|unless|could|may|might|maybe|perhaps)\b|\?\s*\Z", re.IGNORECASE)
REJECTED = re.compile(
    r"\b(?:eliminat|rul(?:e|es|ed|ing) out|exclud|reject|discard|incorrect|wrong|false|not\b)|n't\b", re.IGNORECASE
)

LONGEST_LINE = 5_000


def doubtful(sentence: str) -> bool:
    """Whether a sentence supposes or rejects something."""
    return bool(SUPPOSED.search(sentence) or REJECTED.search(sentence))


def settled(line: str, options: tuple[str, ...]) -> str | None:
    """The letter that the sentences of a line claim, if it is one; what they deny or suppose is none."""
    if len(line) > LONGEST_LINE or phrases.DISOWNED.search(line):
        return None
    sentences = re.split(r"(?<=[.!?])\s+(?=[A-Z(*])", line)
    claimed = set[str]().union(_ending(line), _with_text(line, options), *map(_claimed, sentences))
    return claimed.pop() if len(claimed) == 1 and claimed <= set(letters(options)) else None


def _claimed(sentence: str) -> set[str]:
    """The letter that a sentence claims, and any other that it names besides: no claim is certain then."""
    if SUPPOSED.search(sentence):
        return set()
    kept = DENIED.sub("", sentence)
    claims = {claim[1] for pattern in CLAIMS for claim in pattern.finditer(kept)}
    return claims | {named[1] or named[2] for named in NAMED.finditer(kept)} if claims else set()


def _ending(line: str) -> set[str]:
    """The letter that a line ends in, unless its last clause supposes or rejects it."""
    ending = ENDING.search(line)
    clause = re.split(r"[,;]|[.!?]\s", line[: ending.start()])[-1] if ending else ""
    return {ending[1]} if ending and not doubtful(clause) else set()


def _with_text(line: str, options: tuple[str, ...]) -> set[str]:
    """The letters that stand with their option behind a verb, and the option that a line says of its answer."""
    pieces = [choice.lettered(line[verb.end() :], options) for verb in WITH_TEXT.finditer(line)]
    pieces += [predicate[1] for predicate in PREDICATE.finditer(line)]
    return {letter for piece in pieces if piece and (letter := choice.alone(piece, options))}
