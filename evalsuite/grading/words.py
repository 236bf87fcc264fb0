"""Numbers in words, in English, up to the thousands of millions: "one hundred and twenty" is 120."""

import re

_WORDS = """
    zero one two three four five six seven eight nine
    ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen
    twenty thirty forty fifty sixty seventy eighty ninety
"""
_VALUES = {word: n if n < 20 else 10 * (n - 18) for n, word in enumerate(re.findall(r"\w+", _WORDS))}
_SCALES = {"thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}
_WORD = rf"(?:{'|'.join((*_VALUES, 'hundred', *_SCALES))})\b"
LEADING = re.compile(rf"(?:{_WORD}(?:(?:\s+and\s+|\s*-\s*|\s+)(?={_WORD}))?)+", re.IGNORECASE)


def in_digits(text: str) -> str:
    """The text with the number in words at its beginning, behind a sign at most, in digits; else the text as it is."""
    sign = re.match(r"(?:minus |negative |-)?", text, re.IGNORECASE)
    begin = sign.end() if sign else 0
    written = LEADING.match(text, begin)
    value = _value(written[0]) if written else None
    return text if written is None or value is None else f"{text[:begin]}{value}{text[written.end() :]}"


def _value(written: str) -> int | None:
    """The value of the words, or None where they are no one number ("five six", "ten thousand million")."""
    total, group, last, scale = 0, 0, 1_000, 10**12
    for word in re.findall(r"[a-z]+", written.lower()):
        if word == "and":
            continue
        if word in _SCALES:
            if not group or _SCALES[word] >= scale:
                return None
            scale = _SCALES[word]
            total, group, last = total + group * scale, 0, 1_000
        elif word == "hundred":
            if not 0 < group < 10:
                return None
            group, last = group * 100, 100
        else:
            value = _VALUES[word]
            if value >= (10 if 20 <= last < 100 else last) or last < 20 or (value == 0 and last != 1_000):
                return None
            group, last = group + value, value
    return total + group
