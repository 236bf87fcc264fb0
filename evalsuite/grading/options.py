"""Which of the options of a question a text is: by its words, by its value, or as a formula."""

import re
from collections.abc import Callable
from functools import lru_cache
from string import ascii_uppercase

from evalsuite.grading import math, number

LONGEST_FORMULA = 200


def letters(options: tuple[str, ...]) -> str:
    """The letters of the options; without options any letter may be one."""
    return ascii_uppercase[: len(options)] if options else ascii_uppercase


@lru_cache(maxsize=10_000)
def bodies(options: tuple[str, ...]) -> tuple[str, ...]:
    """The options without the setting around them, and without their own letters where all of them carry one."""
    plained = [plain(option) for option in options]
    labels = [re.match(rf"\(?{letter}[).:]\s*", body) for letter, body in zip(letters(options), plained, strict=False)]
    if not all(labels):
        return tuple(plained)
    return tuple(body[label.end() :] for body, label in zip(plained, labels, strict=True) if label)


@lru_cache(maxsize=50_000)
def fitting(text: str, options: tuple[str, ...]) -> str | None:
    """The letter of the one option that this text is; None where the first test that any option passes, several do."""
    for test in (_spelled, _worded, _valued, _calculated):
        fits = test(text, bodies(options))
        if fits:
            return letters(options)[fits[0]] if len(fits) == 1 else None
    return None


def mentioned(text: str, options: tuple[str, ...]) -> str | None:
    """The letter of the one option in words that a phrase holds and does not deny: "a city in Italy: Rome".

    Of options that hold each other ("heart", "heart attack") the longest counts.
    """
    said, held = words(text), dict[int, str]()
    for place, body in enumerate(bodies(options)):
        option = words(body)
        if re.search(r"[^\W\d_]{3}", option) and re.search(rf"(?<!\w){re.escape(option)}(?!\w)", said):
            held[place] = option
    longest = [place for place, option in held.items() if not any(option in o and option != o for o in held.values())]
    if len(longest) != 1 or DENIED.search(said.replace(held[longest[0]], "")):
        return None
    return letters(options)[longest[0]]


DENIED = re.compile(r"\b(?:not|no|never|neither|nor|without|except|unlike|rather than|instead of|wrong|false)\b|n't\b")


def has_number(options: tuple[str, ...]) -> bool:
    """Whether any option is a number, so that a number names no place among them."""
    return any(number.read(body) for body in bodies(options))


def plain(text: str) -> str:
    """Without the setting around a letter or an option: TeX commands, dollars, bold, quotes."""
    text = re.sub(r"\\(?:text|mathrm|textbf|mathbf|mbox|boxed|textrm|mathit)\s*\{([^{}]*)\}", r"\1", text.strip())
    text = re.sub(r"\\[ ,;]|~", " ", text)
    text = re.sub(r"\*\*|__|\\[()\[\]]|\\left|\\right", "", text).strip().strip("\"'`“”")
    if text.count("$") == 2 and text.startswith("$") and text.rstrip(".").endswith("$"):
        text = text.rstrip(".").strip("$")
    return text.strip()


def words(text: str) -> str:
    """One spelling for the words of a text: no case, no article or "both" in front, no spaces around signs."""
    said = re.sub(r"\((\w)\)", r"\1", _spelling(text).casefold())
    said = re.sub(r"\A(?:the|an?|both)\s(?=\w{2}|\w and)", "", re.sub(r"\s*([^\w\s.])\s*", r"\1", said))
    return OVERALL.sub(r"\1 of these", said)


# "None of the above", "none of these options": the same option, however a question and its answer word it.
OVERALL = re.compile(r"\A(none|all)(?: of)?(?: (?:the|these|those|them|above|given|listed|options|choices|answers))+\Z")


def _spelling(text: str) -> str:
    return re.sub(r"[\s$]+", " ", re.sub(r"\\(?=[%$&#])", "", text)).strip().rstrip(".").strip()


def _spelled(text: str, options: tuple[str, ...]) -> list[int]:
    return _same(_spelling, text, options)


def _worded(text: str, options: tuple[str, ...]) -> list[int]:
    return _same(words, text, options)


def _same(spell: Callable[[str], str], text: str, options: tuple[str, ...]) -> list[int]:
    said = spell(text)
    return [place for place, option in enumerate(options) if said and spell(option) == said]


def _valued(text: str, options: tuple[str, ...]) -> list[int]:
    """Those of the same value; a number within sentences is not what they say."""
    value = None if re.search(r"[.!?]\s+\S", text) else number.read(text)
    read = [number.read(option) for option in options] if value else []
    return [place for place, option in enumerate(read) if value and option and number.equal(option, value)]


def _calculated(text: str, options: tuple[str, ...]) -> list[int]:
    """Those that are the same formula, or the result of the calculation that the text is."""
    said = text if any("=" in option for option in options) else _result(text)
    if not _formula(said):
        return []
    return [place for place, option in enumerate(options) if _formula(option) and _equivalent(option, said)]


def _equivalent(option: str, said: str) -> bool:
    try:
        return math.equivalent(option, said)
    except Exception:  # sympy raises anything on anything
        return False


def _formula(text: str) -> bool:
    """Whether a text is mathematics without words."""
    rest = re.sub(r"\\[a-zA-Z]+|\b(?:sqrt|sin|cos|tan|log|ln|exp|pi|and|or)\b", "", text)
    wordless = len(text) <= LONGEST_FORMULA and not re.search(r"[^\W\d_]{3}|\n", rest)
    return wordless and bool(re.search(r"\d|\\|[=+*/^√π∞]", text))


def _result(text: str) -> str:
    r"""What stands behind the last equals sign of a calculation: "x = 36/6 = 6", "\binom{4}{2} = 6"."""
    *left, right = text.split("=")
    return (
        right
        if all(NAME.fullmatch(part) or not re.search(r"[A-Za-z<>,]", COMMAND.sub("", part)) for part in left)
        else text
    )


NAME = re.compile(r"[\s$]*\\?[A-Za-z]\w?(?:_\{?\w+\}?)?(?:\([a-z]\))?\s*")
COMMAND = re.compile(r"\\[a-zA-Z]+")
