"""How a text that announces no answer still settles on one option: "…, leaving (C).", "This matches option C."."""

import re

from evalsuite.grading import choice
from evalsuite.grading.options import letters

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
WITH_TEXT = re.compile(r"\b(?:is|are)[:,]? (?=\(?[A-Z][).:] )")
# "So the answer cannot be determined."
PREDICATE = re.compile(r"\banswer ([a-z][^.\n]{2,200})\.?\s*\Z", re.IGNORECASE)

NAMED = re.compile(r"\(([A-Z])\)|\b(?:[Oo]ption|[Cc]hoice) \(?([A-Z])\b")
DENIED = re.compile(r"\b(?:not|isn't|nor|neither) (?:option |choice )?\(?[A-Z]\b\)?")
SUPPOSED = re.compile(r"\b(?:if|suppose|assume|assuming|unless|could|may|might|maybe|perhaps)\b|\?\s*\Z", re.IGNORECASE)
REJECTED = re.compile(
    r"\b(?:eliminat|rul(?:e|es|ed|ing) out|exclud|reject|discard|incorrect|wrong|false|not\b)|n't\b", re.IGNORECASE
)

LONGEST_LINE = 5_000


def settled(line: str, options: tuple[str, ...]) -> str | None:
    """The letter that the sentences of a line claim, if it is one; what they deny or suppose is none."""
    if len(line) > LONGEST_LINE:
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
    return {ending[1]} if ending and not SUPPOSED.search(clause) and not REJECTED.search(clause) else set()


def _with_text(line: str, options: tuple[str, ...]) -> set[str]:
    """The letters that stand with their option behind a verb, and the option that a line says of its answer."""
    pieces = [choice.lettered(line[verb.end() :], options) for verb in WITH_TEXT.finditer(line)]
    pieces += [predicate[1] for predicate in PREDICATE.finditer(line)]
    return {letter for piece in pieces if piece and (letter := choice.alone(piece, options))}
