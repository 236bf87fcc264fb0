"""Numbers as people write them, compared exactly."""

import re
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from unicodedata import normalize

from evalsuite.grading import units, words


@dataclass(frozen=True, slots=True)
class Number:
    """A number as written: its value, whether a percent sign stands behind it, its unit and its scale ("million")."""

    value: Fraction
    percent: bool = False
    unit: str = ""
    scale: int = 1


def equal(gold: Number, answer: Number) -> bool:
    """Exact equality: no tolerance, and a factor of 100 only for a percent sign.

    A unit or a percent sign may stand on one side only; where both sides name a unit it must be the same.
    """
    if not units.same(gold.unit, answer.unit):
        return False
    if gold.scale != answer.scale:  # the question may have asked for millions, so that 18 is said as "18 million"
        one_sided = 1 in (gold.scale, answer.scale) and gold.value == answer.value
        return one_sided or gold.value * gold.scale == answer.value * answer.scale
    if gold.value == answer.value:
        return True
    if gold.percent and not answer.percent:
        return gold.value / 100 == answer.value
    return answer.percent and not gold.percent and answer.value / 100 == gold.value


# What is longer is compared as it is spelled: making an integer of a megabyte of digits takes half a minute.
LONGEST = 20_000
_DIGITS = r"(?:\d{1,3}(?:,\d{3})+(?!\d)|\d{1,3}(?: \d{3})+(?!\d)|\d+)"
_DECIMAL = rf"(?:{_DIGITS}(?:\.\d+)?|\.\d+|{_DIGITS}\.(?!\d))"
_NUMERAL = rf"""(?:
    (?P<mixed>{_DIGITS})?\s*(?:and\s)?\s*\\frac\s*(?:\{{\s*(?P<num>-?\s*{_DECIMAL})\s*\}}|(?P<num1>\d))\s*
        (?:\{{\s*(?P<den>-?{_DECIMAL})\s*\}}|(?P<den1>\d))
    | (?:(?P<whole>\d+)\s+(?:and\s+)?)?(?P<top>{_DECIMAL})\s*/\s*(?P<bottom>{_DECIMAL})
    | (?P<lead>\d*\.\d*)\\overline\s*\{{?(?P<period>\d+)\}}?
    | (?P<decimal>{_DECIMAL})(?:[eE](?P<exp>[-+]?\d{{1,3}})(?!\d)
        | \s*(?:\\times|\\cdot|×|x|\*)\s*10\s*\^\s*\{{?(?P<power>[-+]?\s*\d{{1,3}})(?!\d)\}}?)?
)"""
_SIGN = r"(?P<sign>-|\+|minus\s|negative\s)?\s*"
_CURRENCY = r"(?P<currency>[$€£¥₹]|USD|EUR|Rs\.?)?\s*"
_WRITTEN = rf"{_SIGN}{_CURRENCY}(?P<sign2>-)?\s*{_NUMERAL}"
_UNIT = r"(?P<percent>\s*(?:%|percent\b|per\s?cent\b))?(?P<unit>(?:\s+|(?<=\d))[A-Za-zΩµμÅ][A-Za-zΩµμÅ .'/^0-9-]*)?"
WHOLE = re.compile(rf"{_WRITTEN}{_UNIT}\s*[.,;:]?", re.VERBOSE)
ANY = re.compile(rf"(?<![\w.^_]){_WRITTEN}(?P<percent>\s*(?:%|percent\b))?(?P<unit>(?!))?", re.VERBOSE)

# What makes another number of the only number in a phrase: "\\sqrt{49}", "18x", "52_8", "2^9".
_FUNCTION = re.compile(r"\\(?!frac|times|cdot|overline)[a-zA-Z]")
_PART = re.compile(r"\s?[_^!]|[A-Za-z]\b")

_SIGNS = {
    "Rs": "rupee",
    "Rs.": "rupee",
    "$": "dollar",
    "USD": "dollar",
    "€": "euro",
    "EUR": "euro",
    "£": "pound",
    "¥": "yen",
    "₹": "rupee",
}
# What may follow a number without being a unit: it makes the whole something else than this number.
_NOT_UNITS = re.compile(r"(?:pi|[oO][rR]|[aA][nN][dD]|to|i|e|x|y|z|n|sqrt|mod|choose|times)\b")


@lru_cache(maxsize=20_000)
def read(text: str, *, variables: bool = False) -> Number | None:
    """The number that `text` is, with its sign, unit or currency, or None if it is anything else.

    "x = 18" and "9 * 2 = 18" are read as what stands behind the last equals sign. Where there may be `variables`, "5g"
    is a product and no weight.
    """
    if len(text) > LONGEST:
        return None
    left, _, written = _plain(text).rpartition("=")
    match = None if _says_more(left) else WHOLE.fullmatch(words.in_digits(written.strip()))
    if match is None or (match["unit"] and not _is_unit(match, variables)):
        return None
    return _number(match)


def result(text: str) -> str:
    """What stands behind the last equals sign of "9 * 2 = 18 dollars"; any text that is no such number, as it is."""
    if "=" not in text or read(text) is None:
        return text
    return _plain(text).rpartition("=")[2].strip().rstrip(".").strip()


def sole(text: str) -> Number | None:
    """The only number in a phrase ("Janet makes $18 a day"), or None if there are none or several."""
    plain = _plain(text) if len(text) <= LONGEST else ""
    if _FUNCTION.search(plain) or re.search(r"\^.*=", plain):
        return None
    found = list(ANY.finditer(plain))
    return _number(found[0]) if len(found) == 1 and not _PART.match(plain, found[0].end()) else None


_RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹⁻ⁿ"
_LOWERED = "₀₁₂₃₄₅₆₇₈₉"
_SIGNS_PLAIN = str.maketrans(dict.fromkeys("−–—‒﹣－", "-") | {"％": "%", "＄": "$", "（": "(", "）": ")", "，": ","})


def plain_signs(text: str) -> str:
    """Without the signs of Unicode that TeX writes otherwise: dashes, raised digits, ready-made fractions."""
    text = text.translate(_SIGNS_PLAIN)
    text = re.sub("[¼-¾⅐-⅞]", lambda m: r"\frac{{{}}}{{{}}}".format(*normalize("NFKC", m[0]).split("⁄")), text)
    text = re.sub(f"[{_RAISED}]+", lambda m: "^" + _script(m[0]), text)
    text = re.sub(f"[{_LOWERED}]+", lambda m: "_" + _script(m[0]), text)
    return re.sub(r"\\dot\s*\{?(\d)\}?(?:(\d*)\\dot\s*\{?(\d)\}?)?", r"\\overline{\1\2\3}", text)


def _script(digits: str) -> str:
    plain = normalize("NFKC", digits).replace("−", "-")
    return plain if len(plain) == 1 else f"{{{plain}}}"


ROMAN = (
    r"\\(?:text|mathrm|textbf|mathbf|mbox|textrm|textit|mathit|operatorname|bold|boldsymbol|vec)\s*"
    r"\{((?:[^{}]|\{[^{}]*\})*)\}"
)


# "12th" counts to twelve.
ORDINAL = r"(?<=\d)\s*\^?\s*\{?\s*(?:st|nd|rd|th)\b\s*\}?"


_UPRIGHT = (r"\text{", r"\textrm", r"\mathrm", r"\mbox")


def roman(match: re.Match[str]) -> str:
    """What is set in another type, as plain text; the symbol of a unit behind a number by its name."""
    before = match.string[: match.start()].rstrip("\\,;: ~")
    measures = (before[-1:].isdigit() or before.endswith("}")) and match.string[match.end() :][:1] != "_"
    if not measures or not match[0].replace(" ", "").startswith(_UPRIGHT):
        return f" {match[1]} "
    return f" {units.upright(re.sub(PRODUCT_SIGN, ' ', match[1]))} "


PRODUCT_SIGN = r"\\cdot(?![a-zA-Z])|\\[,;: ]|[~·⋅]"


def _plain(text: str) -> str:
    r"""The same number without the ways of setting it: `\text{…}`, thin spaces, Unicode signs, dollar signs of TeX."""
    text = plain_signs(text.strip()).replace("\\$", "＄")
    text = re.sub(ROMAN, roman, text)
    text = re.sub(r"\\Omega(?![a-zA-Z])", "Ω", re.sub(r"\\mu(?![a-zA-Z])\s*", "µ", text))
    text = re.sub(r"(?<=[A-Za-z]) *(?:\\cdot|·|⋅) *(?=[A-Za-z])", " ", text)
    text = re.sub(r"(?<=[A-Za-z]) ?\^ ?\{(-?\d)\}", r"^\1", re.sub(r"/ ?\(([A-Za-z]+) ([A-Za-z]+)\)", r"/\1/\2", text))
    text = re.sub(r"\\[dt]frac", r"\\frac", text.replace("{,}", ",").replace("\\%", "%"))
    text = re.sub(r"\^\s*\{?\s*\\circ\s*\}?|°|\\degree", " degrees", text)
    text = re.sub(r"\\(?:left|right|displaystyle|!)|(?<!\w)\*\*|\*\*(?!\w)", "", text)
    text = re.sub(r"\\[,;: ]|[\u00a0\u2009\u202f]|~", " ", text)
    text = re.sub(r"\\[()\[\]]", "", text)
    if text.count("$") % 2 == 0:
        text = (
            re.sub(r"\$(?!\d[\d,.]*(?: [A-Za-z]|$))", "", text) if not text.startswith("$") else text.replace("$", "")
        )
    text = re.sub(ORDINAL, "", text)
    text = re.sub(r"(?<=\d)\s+\(([A-Za-z]{3}[A-Za-z ]*)\)\s*$", r" \1", text)
    text = re.sub(r"^(?:\\approx|≈|:|(?:approximately|about|exactly)\b)\s*", "", text.strip())
    return re.sub(r"\s+", " ", text.replace("＄", "$")).strip()


def _says_more(left: str) -> bool:
    """Whether the left side of an equation is more than a name or a calculation: "3x", "x + y", "x < y", "if x"."""
    left = re.sub(r"(?<=\d) ?x ?(?=[\d$])", "*", left)
    letters = re.search(r"(?<![A-Za-z])[A-Za-z](?![A-Za-z])", left)
    if re.search(r"[<>,\\]|\b(?:or|and|not|[Ii]f|[Ww]hen)\b|n't\b", left):
        return True
    return bool(letters and re.search(r"[\d+*/^-]", left))


def _is_unit(match: re.Match[str], variables: bool) -> bool:
    r"""Whether what follows the number is a unit: "5 apples" and "5cm" are, "5x", "5 or 6" and "5 pi" are not.

    Where there may be `variables`, "5N" is a product, but hardly "0.5N".
    """
    unit = match["unit"].strip()
    if _NOT_UNITS.match(unit) or re.search(r"(?<![\^a-z-])\d", unit):
        return False
    glued = not match["unit"][0].isspace()
    variables = variables and not ("." in (match["decimal"] or "") and unit[0].isupper())
    counted = not glued and len(unit.split()[0].rstrip(".")) > 2
    return counted or units.is_symbol(unit, glued=glued, variables=variables)


def _number(match: re.Match[str]) -> Number | None:
    value = _value(match)
    if value is None:
        return None
    negative = (match["sign"] or "").strip() in ("-", "minus", "negative") or bool(match["sign2"])
    unit = units.name_of(match["unit"] or "")
    scale, _, counted = unit.partition(" ")
    unit = _SIGNS.get(match["currency"] or "", "") or (counted if scale in words.SCALES else unit)
    return Number(-value if negative else value, bool(match["percent"]), unit, words.SCALES.get(scale, 1))


def _value(match: re.Match[str]) -> Fraction | None:
    part = match.groupdict()
    if part["decimal"]:
        exponent = int((part["exp"] or part["power"] or "0").replace(" ", ""))
        return _exact(part["decimal"]) * Fraction(10) ** exponent
    if part["period"]:
        return _repeating(part["lead"], part["period"])
    top, bottom = (part["num"] or part["num1"] or part["top"], part["den"] or part["den1"] or part["bottom"])
    whole = part["mixed"] or part["whole"]
    if not top or not bottom or _exact(bottom) == 0:
        return None
    return (_exact(whole) if whole else Fraction(0)) + _exact(top) / _exact(bottom)


def _exact(digits: str) -> Fraction:
    return Fraction(Decimal(digits.replace(",", "").replace(" ", "").rstrip(".")))


def _repeating(lead: str, period: str) -> Fraction:
    """The value of "0.1" with the period "6": 1/10 + 6/90."""
    places = len(lead.partition(".")[2])
    head = _exact(lead) if any(c.isdigit() for c in lead) else Fraction(0)
    return head + _exact(period) / Fraction(10**places * (10 ** len(period) - 1))
