"""Which option a multiple-choice answer means."""

import re
from string import ascii_uppercase

from evalsuite.grading import number

WRAPPED = re.compile(r"[(\[]([A-Z])[)\]]")
LEADING = re.compile(r"(?:[Oo]ption |[Cc]hoice |[Ll]etter )?\(?([A-Z])[).:](?=\s|$|\$|\\|\d)(.*)", re.DOTALL)
NAMED = re.compile(r"\b(?:[Oo]ption|[Cc]hoice|[Aa]nswer|[Ll]etter)\s+\(?([A-Z])\b")
# A capital that stands alone, unless it is the article "A" or the pronoun "I" in front of a word, or part of a formula.
LONE = re.compile(r"(?<![\w\\'^_{-])(?!A\s+(?!(?:and|or|nor)\b)[a-z]|I\s+[a-z])([A-Z])(?![\w'(_^=-]|\s*[+/*^<>]|\s-\s)")
LABEL = re.compile(r"(?:^|(?<=\s))[*_]*\(?([A-Z])[).:][*_]*(?=\s+\S)")

ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
ORDINAL = re.compile(rf"\b({'|'.join(ORDINALS)}|last)(?=\s+(?:option|choice|answer|one|or|and)\b)", re.IGNORECASE)

LONGEST_LINE = 1_000


def read(answer: str, options: tuple[str, ...]) -> str | None:
    """The letter that an answer means: by letter in any wrapping, else by the text or value of exactly one option.

    None where it means no option, or more than one.
    """
    text = _plain(answer)
    if letter := alone(text, options):
        return letter
    if restated(text) or contradictory(text, options):
        return None
    letters = _letters(options)
    if nth := _by_ordinal(text, options):
        return nth
    for pattern in (WRAPPED, NAMED, LONE):
        named = {m.group(1) for m in pattern.finditer(text)} & set(letters)
        if named:
            return named.pop() if len(named) == 1 else None
    return None


def alone(answer: str, options: tuple[str, ...]) -> str | None:
    """The letter, if the answer is nothing but a letter, a letter with its option, or an option."""
    text = _plain(answer)
    letters = _letters(options)
    bare = re.fullmatch(r"[(\[]?\s*([A-Za-z])\s*[)\]]?[.:,;]?", text)
    if bare:
        return bare[1].upper() if bare[1].upper() in letters else by_option(text, options)
    if by_text := by_option(text, options):
        return by_text
    led = LEADING.match(text)
    if not led or led[1] not in letters or "\n\n" in text:
        return None
    if _words(led[2]) == _words(_plain(options[letters.index(led[1])]) if options else ""):
        return led[1]
    others = {m.group(1) for m in WRAPPED.finditer(led[2])} | set(re.findall(r"\b(?:and|or) ([A-Z])\b", led[2]))
    rival = restated(text) or contradictory(text, options) or not others <= {led[1]}
    return None if rival else led[1]


def restated(text: str) -> bool:
    """Whether several options are listed with their letters, as in the question: none of them is named."""
    return len({label.group(1) for label in LABEL.finditer(text)}) > 1


def contradictory(text: str, options: tuple[str, ...]) -> bool:
    """Whether a letter stands before the text of another option: "B. green", where C is green."""
    led = LEADING.match(_plain(text))
    if not led:
        return False
    said = by_option(led[2].strip().rstrip("."), options) or _bare_letter(led[2])
    return said is not None and said != led[1]


def lettered(line: str, options: tuple[str, ...]) -> str | None:
    """The beginning of `line` that is a letter and the whole text of an option, whether or not they belong together."""
    led = re.match(r"[\s*(\[]*[A-Z][)\].:]+[*\s]*", line)
    return _beginning(line, led.end(), options) if led else None


def worded(line: str, options: tuple[str, ...]) -> str | None:
    """The beginning of `line` that is the whole text of an option, though it may hold full stops and commas."""
    return _beginning(line, 0, options) if re.search(r"[.,;]\s", line) else None


def _beginning(line: str, begin: int, options: tuple[str, ...]) -> str | None:
    """The longest piece of a line, up to its end or to a stop, that from `begin` on is the text of an option."""
    if len(line) > LONGEST_LINE:
        return None
    ends = [len(line), *(stop.start() for stop in re.finditer(r"[.,;](?=\s|\Z)", line))]
    fits = (line[:end] for end in sorted(ends, reverse=True) if end > begin and by_option(line[begin:end], options))
    return next(fits, None)


def stated_first(first: str, rest: str, options: tuple[str, ...]) -> str | None:
    """The first line, if it is a letter, alone or with its option, and the rest explains it and lists no other."""
    letter = alone(first, options) if _bare_letter(first) or lettered(first, options) else None
    return first.strip() if letter and {label.group(1) for label in LABEL.finditer(rest)} <= {letter} else None


def by_option(text: str, options: tuple[str, ...]) -> str | None:
    """The letter of the one option whose text or value this is; None if it fits none or several."""
    said, value = _words(text), number.read(text)
    fits = []
    for letter, option in zip(_letters(options), options, strict=False):
        plain = _plain(option)
        option_value = number.read(plain)
        same_value = value is not None and option_value is not None and number.equal(option_value, value)
        if said and (_words(plain) == said or same_value):
            fits.append(letter)
    return fits[0] if len(fits) == 1 else None


def _by_ordinal(text: str, options: tuple[str, ...]) -> str | None:
    """The letter of "the second option", where no option is a number and no other is counted."""
    counted = {m[1].lower() for m in ORDINAL.finditer(text)}
    if len(counted) != 1 or not options or any(number.read(_plain(option)) for option in options):
        return None
    place = len(options) - 1 if counted == {"last"} else ORDINALS.index(counted.pop())
    return _letters(options)[place] if place < len(options) else None


def _bare_letter(text: str) -> str | None:
    bare = re.fullmatch(r"[\s(\[\"']*([A-Z])[)\]\"'.:\s]*", text)
    return bare[1] if bare else None


def _letters(options: tuple[str, ...]) -> str:
    return ascii_uppercase[: len(options)] if options else ascii_uppercase


def _plain(text: str) -> str:
    """Without the setting around a letter or an option: TeX commands, dollars, bold, quotes."""
    text = re.sub(r"\\(?:text|mathrm|textbf|mathbf|mbox|boxed|textrm|mathit)\s*\{([^{}]*)\}", r"\1", text.strip())
    text = re.sub(r"\*\*|__|\\[()\[\]]|\\left|\\right|\\ |\\,", "", text).strip().strip("\"'`“”")
    if text.count("$") == 2 and text.startswith("$") and text.rstrip(".").endswith("$"):
        text = text.rstrip(".").strip("$")
    return text.strip()


def _words(text: str) -> str:
    return re.sub(r"[\s$]+", " ", text).strip().rstrip(".").strip().casefold()
