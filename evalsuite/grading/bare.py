"""Whether a piece of text is an answer and nothing else."""

import re

from evalsuite.catalog.items import AnswerKind
from evalsuite.grading import choice, number

_TEX_WORDS = re.compile(r"\\(?:text|mathrm|mathbf|textbf|mbox|begin|end)\s*\{[^{}]*\}|\\[a-zA-Z]+")
# Words of a formula; with any other word a piece of text is a sentence.
_FORMULA_WORDS = set(
    re.findall(r"[a-z]+", "and or if mod sin cos tan cot sec csc log ln exp sqrt pi max min gcd lcm cm mm km kg ft")
)


def bare(text: str, kind: AnswerKind, options: tuple[str, ...]) -> bool:
    """Whether `text` is an answer and nothing else."""
    text = text.strip()
    match kind:
        case AnswerKind.NUMBER:
            value = text.rpartition("=")[2].strip(" \n\t$\\()[]")
            return not re.search(r"\n|[a-z\d]\.\s", value) and number.read(text) is not None
        case AnswerKind.CHOICE:
            rivals = "\n" not in text and choice.contradictory(text, options)
            return choice.alone(text, options) is not None or rivals
        case AnswerKind.QA:
            return 0 < len(text.split()) <= 30 and not re.search(r"\n|[:?]$|</?[a-z]+>", text)
        case AnswerKind.MATH:
            if number.read(text) is not None:
                return not re.search(r"[a-z\d]\.\s", text)
            return len(text) <= 200 and formula(text)


def formula(text: str) -> bool:
    """Whether `text` is one line of mathematics without any words around it."""
    words = set(re.findall(r"[A-Za-z]{2,}", _TEX_WORDS.sub(" ", text).lower()))
    ended = not re.search(r"\n|\\boxed|[:?]\Z", text)
    return ended and words <= _FORMULA_WORDS and bool(re.search(r"\d|\\|\$", text))
