"""Which option a multiple-choice answer means."""

import re

from evalsuite.grading.options import bodies, fitting, has_number, letters, mentioned, plain, words

WRAPPED = re.compile(r"[(\[]([A-Z])[)\]]")
LEADING = re.compile(
    r"(?:[Oo]ption |[Cc]hoice |[Ll]etter )?\(?([A-Z])(?:[).:](?=\s|$|\$|\\|\d)|(?= \())(.*)", re.DOTALL
)
# A letter beside the text of an option: "B. green", "B = 12", "B (green)", "green (B)", "green, option B".
_WORD = r"(?i:(?:option|choice|letter|answer|ans)(?:[:.]| ?=)? )"
BEFORE = re.compile(rf"{_WORD}?\(?([A-Z])(?:[).:]+|,(?=\s)|\s*[=–—]|\s-(?=\s)|(?=\s\())\s*(.*)", re.DOTALL)
BEHIND = re.compile(rf"(.*?),?\s+(?:\({_WORD}?([A-Z])\)|{_WORD}\(?([A-Z])\)?)\.?", re.DOTALL)
NAMED = re.compile(r"\b(?:[Oo]ption|[Cc]hoice|[Aa]nswer|[Ll]etter)\s+\(?([A-Z])\b")
# A capital that stands alone, unless it is the article "A" or the pronoun "I" in front of a word, or part of a formula.
LONE = re.compile(r"(?<![\w\\'^_{-])(?!A\s+(?!(?:and|or|nor)\b)[a-z]|I\s+[a-z])([A-Z])(?![\w'(_^=-]|\s*[+/*^<>]|\s-\s)")
LABEL = re.compile(r"(?:^|(?<=\s))[*_]*\(?([A-Z])[).:][*_]*(?=\s+\S)")

ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
ORDINAL = re.compile(
    rf"\b({'|'.join(ORDINALS)}|last)(?=\s+(?:option|choice|answer|one|or|and)\b)"
    r"|\b(?:option|choice) (?:number )?\(?(\d{1,2})\b(?!\.\d)",
    re.IGNORECASE,
)

LONGEST_LINE = 1_000
LONGEST_ANSWER = 4_000


def read(answer: str, options: tuple[str, ...]) -> str | None:
    """The letter that an answer means: by letter in any wrapping, else by the text or value of exactly one option.

    None where it means no option, or more than one.
    """
    if len(answer) > LONGEST_ANSWER:
        return None
    text = plain(answer)
    if letter := alone(text, options):
        return letter
    if restated(text) or contradictory(text, options):
        return None
    if nth := _by_ordinal(text, options):
        return nth
    for pattern in (WRAPPED, NAMED, LONE):
        named = {m.group(1) for m in pattern.finditer(text)} & set(letters(options))
        if named:
            return named.pop() if len(named) == 1 else mentioned(text, options)
    return mentioned(text, options)


def alone(answer: str, options: tuple[str, ...]) -> str | None:
    """The letter, if the answer is nothing but a letter, a letter with its option, or an option."""
    if len(answer) > LONGEST_ANSWER:
        return None
    text = plain(answer)
    bare = re.fullmatch(rf"{_WORD}?[(\[{{]?\s*([A-Za-z])\s*[)\]}}]?[.:,;]?", text)
    if bare:
        return bare[1].upper() if bare[1].upper() in letters(options) else fitting(text, options)
    if by_text := fitting(text, options):
        return None if contradictory(text, options) else by_text
    counted = ORDINAL.fullmatch(text.removeprefix("The ").removeprefix("the "))
    if counted:
        return _by_ordinal(text, options)
    if decided := re.match(r"(yes|no|true|false)\b[,.:;](?!\S)[^\n.?]*\.?\Z", text, re.IGNORECASE):
        return fitting(decided[1], options)
    letter, beside = _beside(text)
    if letter and fitting(beside, options) == letter:
        return letter
    led = LEADING.match(text)
    if not led or led[1] not in letters(options) or "\n" in text:
        return None
    others = {m.group(1) for m in WRAPPED.finditer(led[2])} | set(re.findall(r"\b(?:and|or) ([A-Z])\b", led[2]))
    rival = restated(text) or contradictory(text, options) or not others <= {led[1]}
    return None if rival else led[1]


def restated(text: str) -> bool:
    """Whether several options are listed with their letters, as in the question: none of them is named."""
    return len(_labels(text)) > 1


def contradictory(text: str, options: tuple[str, ...]) -> bool:
    """Whether a letter stands with the text of another option: "B. green" or "green (B)", where C is green."""
    letter, beside = _beside(plain(text)) if len(text) <= LONGEST_ANSWER else (None, "")
    said = fitting(beside, options) or _bare_letter(beside) if letter else None
    return said is not None and said != letter


def _beside(text: str) -> tuple[str | None, str]:
    """The letter of a text and what stands beside it."""
    before, behind = BEFORE.fullmatch(text), BEHIND.fullmatch(text)
    if before:
        letter, beside = before[1], before[2]
    elif behind:
        letter, beside = behind[2] or behind[3], behind[1]
    elif lower := re.fullmatch(r"\(?([a-z])[).]\s+(.*)", text):
        letter, beside = lower[1].upper(), lower[2]
    else:
        return None, ""
    whole = re.fullmatch(r"\(([^()]*)\)\.?", beside.strip())
    return letter, (whole[1] if whole else beside).strip().rstrip(".")


def lettered(line: str, options: tuple[str, ...]) -> str | None:
    """The beginning of `line` that is a letter and the whole text of an option, whether or not they belong together."""
    led = re.match(r"[\s*(\[]*[A-Z][)\].:,]+[*\s\"“]*", line)
    return _beginning(line, led.end(), options) if led else None


def worded(line: str, options: tuple[str, ...]) -> str | None:
    """The beginning of `line` that is the whole text of an option, though it may hold full stops and commas."""
    return _beginning(line, 0, options) if re.search(r"[.,;]\s", line) else None


def _beginning(line: str, begin: int, options: tuple[str, ...]) -> str | None:
    """The longest piece of a line, up to its end or to a stop, that from `begin` on is the text of an option."""
    if len(line) > LONGEST_LINE:
        return None
    ends = [len(line), *(stop.start() for stop in re.finditer(r"[.,;](?=\s|\Z)", line))]
    fits = (line[:end] for end in sorted(ends, reverse=True) if end > begin and fitting(line[begin:end], options))
    return next(fits, None)


def stated_first(first: str, rest: str, options: tuple[str, ...]) -> str | None:
    """The first line, if it is a letter, alone or with its option, and the rest lists no other, except to explain."""
    said = lettered(first, options)
    letter = alone(said or first, options) if said or _bare_letter(first) or not options else None
    return (said or first).strip() if letter and (EXPLAINS.match(rest) or _labels(rest) <= {letter}) else None


EXPLAINS = re.compile(r"[\s*_#]*(?:explanation|reason(?:ing)?|rationale|justification|because)\b", re.IGNORECASE)


def _labels(text: str) -> set[str]:
    return {label.group(1) for label in LABEL.finditer(text)}


def stated_last(before: str, last: str, options: tuple[str, ...]) -> str | None:
    """The last line, if it is a letter, alone or with its option, and neither ends nor continues a list of options."""
    letter = alone(last, options) if _bare_letter(last) or lettered(last, options) else None
    if letter is None:
        return None
    listed = _labels(before)
    in_list = chr(ord(letter) - 1) in listed - {letter} and letter not in listed
    return None if in_list or (not _bare_letter(last) and listed - {letter}) else last.strip()


def ends_in(sentence: str, options: tuple[str, ...]) -> str | None:
    """The letter of the option in whose words a sentence ends, "Ann has the key.", if it names no other."""
    letter = mentioned(sentence, options) if options else None
    if letter is None or len(sentence) > LONGEST_LINE:
        return None
    option = re.escape(words(bodies(options)[letters(options).index(letter)]))
    return letter if re.search(rf"(?:{_VERB}|:) ?(?:the |an? )?{option}\Z", words(sentence)) else None


_VERB = r"\b(?:is|are|was|were|be|been|becomes?|has|have|had|gets?|means|called|named|to)"


def _by_ordinal(text: str, options: tuple[str, ...]) -> str | None:
    """The letter of "the second option" or "option 2", where no option is a number and no other is counted."""
    counted = {(m[1] or m[2]).lower() for m in ORDINAL.finditer(text)}
    if len(counted) != 1 or not options or has_number(options):
        return None
    said = counted.pop()
    place = len(options) if said == "last" else int(said) if said.isdigit() else ORDINALS.index(said) + 1
    return letters(options)[place - 1] if 0 < place <= len(options) else None


def _bare_letter(text: str) -> str | None:
    bare = re.fullmatch(r"[\s(\[\"'*]*([A-Z])[)\]\"'.:*\s]*", text)
    return bare[1] if bare else None
