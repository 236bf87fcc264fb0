"""How a text that announces no answer still settles on one option: "…, leaving (C).", "This matches option C."."""

import re

from evalsuite.grading import choice
from evalsuite.grading.options import letters

_CHOOSING = r"(?:choose|choosing|chose|pick|picking|select|selecting|go(?:ing)? with|leav(?:es|ing)(?: us with| only)?)"
_MATCHING = r"(?:is|are|remains|match(?:es)?|fits|corresponds to|therefore,?|thus,?|hence,?|so)"
_NOUN = r"(?:(?:only |just )?(?:the )?(?:(?:correct|right|best|final) )?(?:option|choice|answer|letter|statement) )"
# What may follow the letter: the end of the sentence, its reasons, or the text of the option.
_STOP = r"(?!,? (?:and |or )?\(?[A-Z]\b)(?=[*_]*\s*(?:[.,;:!\"“(]|\Z|(?:because|since|as|which|with|and so)\b))"
CLAIM = re.compile(
    rf"(?i:\b(?:{_CHOOSING}|{_MATCHING}|[.,] ?{_NOUN.strip()}) )"
    rf"(?:(?i:{_NOUN})?[*_]*\(([A-Z])\)|(?i:{_NOUN})[*_]*\(?([A-Z])\b\)?)[*_]*{_STOP}"
    rf"|(?i:\b{_CHOOSING}) [*_]*([A-Z])[*_]*{_STOP}"
    rf"|, (?i:option|choice) \(?([A-Z])\b\)?{_STOP}"
)
SOLE = re.compile(
    r"(?:\b[Oo]ption |\b[Cc]hoice |\b[Ss]tatement )?(?<![\w.])\(?([A-Z])\b\)?(?:, [\"“][^\"”\n]{1,300}[\"”],?)? is the"
    r" (?:only|most \w+)(?: \w+){0,2} (?:option|choice|answer|statement|conclusion|one)\b"
)
LABELLED = re.compile(r"\b(?:is|are)[:,]? (?=\(?[A-Z][).:] )")
SUPPOSED = re.compile(r"\b(?:if|suppose|assume|assuming|unless|could|may|might|maybe|perhaps)\b|\?\s*\Z", re.IGNORECASE)
MENTIONED = re.compile(r"\(([A-Z])\)|\b(?:[Oo]ption|[Cc]hoice) \(?([A-Z])\b")
DENIED = re.compile(r"\b(?:not|isn't|nor|neither) (?:option |choice )?\(?[A-Z]\b\)?")


def settled(line: str, options: tuple[str, ...]) -> str | None:
    """The letter that the sentences of a line claim, if it is one; what they deny or suppose is none."""
    if len(line) > choice.LONGEST_LINE * 5:
        return None
    claimed = {letter for sentence in re.split(r"(?<=[.!?])\s+(?=[A-Z(*])", line) for letter in _claimed(sentence)}
    claimed |= _with_text(line, options)
    return claimed.pop() if len(claimed) == 1 and claimed <= set(letters(options)) else None


def _claimed(sentence: str) -> set[str]:
    """The letter that a sentence claims, and any other that it names besides: no claim is certain then."""
    if SUPPOSED.search(sentence):
        return set()
    kept = DENIED.sub("", sentence)
    claims = {next(filter(None, m.groups())) for m in (*CLAIM.finditer(kept), *SOLE.finditer(kept))}
    named = {m[1] or m[2] for m in MENTIONED.finditer(kept)}
    return claims | named if claims else set()


def _with_text(line: str, options: tuple[str, ...]) -> set[str]:
    """The letters behind "is" that stand with the text of their own option: "It is D. A torus."."""
    pieces = (choice.lettered(line[m.end() :], options) for m in LABELLED.finditer(line))
    return {letter for piece in pieces if piece and (letter := choice.alone(piece, options))}
