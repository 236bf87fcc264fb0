"""Short answers in words, compared by the rules of SQuAD v1.1."""

import re
import string
from collections import Counter

_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)


def normalise(text: str) -> str:
    """SQuAD v1.1 (`evaluate-v1.1.py`): lower case, no ASCII punctuation, no articles, one space between words.

    Articles go as whole words only, after the punctuation, as the original does it. Unlike there they stay where they
    are all there is: "The The" is a band, and no article is the same answer as another.
    """
    bare = text.lower().translate(_PUNCTUATION)
    return " ".join((_ARTICLES.sub(" ", bare) if _ARTICLES.sub("", bare).strip() else bare).split())


def plain(answer: str) -> str:
    r"""The answer without TeX around it: `\text{New York}`, `New\ York`, `AT\&T`."""
    if "\\" not in answer:
        return answer
    answer = re.sub(r"\\(?:text|mathrm|textbf|mathbf|mbox|textrm|textit|mathit)\s*\{([^{}]*)\}", r"\1", answer)
    return re.sub(r"\\([&%$#_])", r"\1", re.sub(r"\\[ ,;]", " ", answer))


def exact_match(golds: tuple[str, ...], answer: str) -> bool:
    """Whether the answer is any of the golds after normalisation; an answer that normalises to nothing is none."""
    said = normalise(plain(answer))
    return bool(said) and any(normalise(gold) == said for gold in golds)


def token_f1(golds: tuple[str, ...], answer: str) -> float:
    """SQuAD v1.1's F1 over tokens with the best gold."""
    said = normalise(plain(answer)).split()
    return max((_f1(normalise(gold).split(), said) for gold in golds), default=0.0)


def _f1(gold: list[str], answer: list[str]) -> float:
    shared = sum((Counter(gold) & Counter(answer)).values())
    return 2 * shared / (len(gold) + len(answer)) if shared else 0.0
