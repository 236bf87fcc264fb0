"""Numbers in words, in English, up to the thousands of millions: "one hundred and twenty" is 120, "one half" 1/2."""

import re

_WORDS = """
    zero one two three four five six seven eight nine
    ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen
    twenty thirty forty fifty sixty seventy eighty ninety
"""
_VALUES = {word: n if n < 20 else 10 * (n - 18) for n, word in enumerate(re.findall(r"\w+", _WORDS))}
SCALES = {"thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}
_WORD = rf"(?:{'|'.join((*_VALUES, 'hundred', *SCALES))})\b"
_PARTS = {
    "half": 2,
    "third": 3,
    "quarter": 4,
    "fourth": 4,
    "fifth": 5,
    "sixth": 6,
    "eighth": 8,
    "ninth": 9,
    "tenth": 10,
}
_PART = re.compile(rf"[\s-]+(?:(halve|{'|'.join(_PARTS)})(s?))\b", re.IGNORECASE)
LEADING = re.compile(rf"(?:{_WORD}(?:(?:\s+and\s+|\s*-\s*|\s+)(?={_WORD}))?)+", re.IGNORECASE)


def in_digits(text: str) -> str:
    """The text with the number in words at its beginning, behind a sign at most, in digits; else the text as it is."""
    sign = re.match(r"(?:minus |negative |-)?", text, re.IGNORECASE)
    begin = sign.end() if sign else 0
    written = LEADING.match(text, begin)
    value = _value(written[0]) if written else None
    if written is None or value is None:
        return text
    part = _PART.match(text, written.end())
    if part and bool(part[2]) is (value != 1):  # "twenty-fifth" is no fraction
        size = _PARTS["half" if part[1].lower() == "halve" else part[1].lower()]
        return f"{text[:begin]}{value}/{size}{text[part.end() :]}"
    return f"{text[:begin]}{value}{text[written.end() :]}"


def _value(written: str) -> int | None:
    """The value of the words, or None where they are no one number ("five six", "ten thousand million")."""
    total, group, last, scale = 0, 0, 1_000, 10**12
    for word in re.findall(r"[a-z]+", written.lower()):
        if word == "and":
            continue
        if word in SCALES:
            if not group or SCALES[word] >= scale:
                return None
            scale = SCALES[word]
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
