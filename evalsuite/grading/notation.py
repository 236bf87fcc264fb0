"""How mathematical answers are written: one spelling for each, and the outer form of an answer."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto
from functools import lru_cache

from evalsuite.grading.number import ORDINAL, ROMAN, plain_signs, roman


class Form(Enum):
    """The outer form of an answer; REALS are intervals, unions and inequalities."""

    SINGLE = auto()
    LIST = auto()
    TUPLE = auto()
    SET = auto()
    RATIO = auto()
    MATRIX = auto()
    REALS = auto()


@dataclass(frozen=True, slots=True)
class Shape:
    """The outer form of an answer and the parts in it; `rows` is the number of rows of a matrix."""

    form: Form
    parts: tuple[str, ...]
    rows: int = 1


_SPELLINGS: list[tuple[str, str | Callable[[re.Match[str]], str]]] = [
    (r"\\(?:dfrac|tfrac|cfrac)", r"\\frac"),
    (r"\\(?:left|right|big|Big|bigg|Bigg)(?![a-zA-Z])\s*\.?", ""),
    (r"\\(?:displaystyle|textstyle|limits|!|phantom(?![a-zA-Z])\s*(?:\{[^{}]*\}|-)?)", ""),
    (r"\\langle(?![a-zA-Z])|⟨", "("),
    (r"\\rangle(?![a-zA-Z])|⟩", ")"),
    (r"\\(?:quad|qquad)(?![a-zA-Z])|(?<!\\)\\[,;:> ]|~|\u00a0|\u2009|\u202f", " "),
    (r"\{,\}", ","),
    (r"\\lbrace(?![a-zA-Z])", r"\\{"),
    (r"\\rbrace(?![a-zA-Z])", r"\\}"),
    (r"\\(?:le|leqslant)(?![a-zA-Z])|≤|<=", r"\\leq "),
    (r"\\(?:ge|geqslant)(?![a-zA-Z])|≥|>=", r"\\geq "),
    (r"\\ne(?![a-zA-Z])|≠|!=", r"\\neq "),
    (r"\\lt(?![a-zA-Z])", "<"),
    (r"\\gt(?![a-zA-Z])", ">"),
    (r"∪|\\bigcup(?![a-zA-Z])", r"\\cup "),
    (r"\\(?:backslash|smallsetminus)(?![a-zA-Z])", r"\\setminus "),
    (r"∞|\\infinity|\binfinity\b|\binf\b", r"\\infty "),
    (r"π|(?<![a-zA-Z\\])pi(?![a-zA-Z])", r"\\pi "),
    (r"(?<![a-zA-Z])Fraction\((-?\d+), ?(\d+)\)", r"\\frac{\1}{\2}"),
    (r"√\s*(\d+|[a-z])", r"\\sqrt{\1}"),
    (r"√\s*(?=\()|(?<![a-zA-Z\\])sqrt\s*(?=\()", r"\\sqrt"),
    (r"\\sqrt\s*\(([^()]*)\)", r"\\sqrt{\1}"),
    (r"\\sqrt\s*(\d+)(?!\d)", r"\\sqrt{\1}"),
    (r"\*\*", "^"),
    (r"×", r"\\times "),
    (r"·", r"\\cdot "),
    (r"\\(?:mathbf|Bbb)\s*\{?([RZNQ])\}?(?![a-zA-Z])", r"\\mathbb{\1}"),
    (ROMAN, roman),
    (r"(?<=\d)_\{?(?:10|ten)\}?\s*\Z", ""),
    (r"\\?(?<![a-zA-Z])(arc)?(c?)tg(?![a-zA-Z])", lambda m: rf"\{m[1] or ''}{'cot' if m[2] else 'tan'} "),
    (ORDINAL, ""),
    (
        r"\\begin\s*\{(?:cases|aligned|gathered)\}(.*)\\end\s*\{(?:cases|aligned|gathered)\}",
        lambda m: m[1].replace("&", "").replace(r"\\", ","),
    ),
    (r"\\begin\s*\{array\}\s*\{[^{}]*\}(.*)\\end\s*\{array\}", r"\\begin{matrix}\1\\end{matrix}"),
    (r"[(\[]\s*\\begin\{matrix\}(.*)\\end\{matrix\}\s*[)\]]", r"\\begin{pmatrix}\1\\end{pmatrix}"),
    (r"\\(?:overline|overrightarrow)\s*\{\s*([A-Z]{1,2})\s*\}", r"\1"),
    (r"(?<![a-zA-Z\\])(?:and|or)(?![a-zA-Z])|(?<=[\s\d}])\\(?:land|lor|vee|wedge)(?![a-zA-Z])", ","),
    (r"\\log_\{?e\}?(?![a-zA-Z])", r"\\ln "),
    (r"\\?\blg(?![a-zA-Z])", r"\\log_{10} "),
    (r"\{([^{}]*)\\choose(?![a-zA-Z])([^{}]*)\}", r"\\binom{\1}{\2}"),
    (r"(?<![a-zA-Z])C ?_\{?(\d+|n)\}?\^\{?(\d+|[km])\}?", r"\\binom{\1}{\2}"),
    (r"(?<![a-zA-Z])A ?_\{?(\d+)\}?\^\{?(\d+)\}?", r"\\frac{\1!}{(\1-\2)!}"),
    (r"(?<![a-zA-Z])C\(([\da-z+-]+), ?([\da-z+-]+)\)", r"\\binom{\1}{\2}"),
    (r"(?<![a-zA-Z\\])cis\s*(\([^()]*\)|\\frac\{[^{}]*\}\{[^{}]*\}|[^\s()+]+)", r"e^{i\1}"),
    (r"\\\[|\\\]|\\\(|\\\)|(?<!\\)\$", ""),
    (r"\\frac\s*(\\pi) ?(\d)", r"\\frac{\1}{\2}"),
    (r"\\[$]", "$"),
    (r"\\%", "%"),
    (r"(?<=[\d}])([ap])\.?m\b\.?|(?<=[\d}])\s+([aApP])\.?[mM]\b\.?", lambda m: f" {(m[1] or m[2]).lower()}m"),
    (r"\\(?:dots|cdots|dotsc)(?![a-zA-Z])|\.\.\.|…", r"\\ldots "),
    (r"(?<=\d) ?\\ldots\s*\Z", ""),
    (r"\s+", " "),
    (r"(?<![a-zA-Z])([(\[]\d{1,3}),(\d{3}[)\]])", r"\1, \2"),  # a pair or an interval, not a number in brackets
    (r"(?<!\d) (?![a-zA-Z\d])|(?<=\d) (?![a-zA-Z\d\\.])|(?<![a-zA-Z\d\\}]) (?!\d)", ""),
]
_SPELLINGS_COMPILED = [(re.compile(pattern), replacement) for pattern, replacement in _SPELLINGS]


# What says how degrees are meant: as a measure inside these functions, else as a unit that may be left out.
_ANGULAR = re.compile(r"(?<![a-zA-Z])(?:sin|cos|tan|cot|sec|csc|cis)(?![a-zA-Z])")
_DEGREES = re.compile(
    r"(\\frac\s*\{[^{}]*\}\s*\{[^{}]*\}|(?<![\d.])[\d.]+)?\s*(?:\^\s*\{?\s*\\circ\s*\}?|°|\\degree(?![a-zA-Z]))"
)
_RELATION = re.compile(r"[<>≤≥≠]|\\(?:l|g)(?:e|t|eq|eqslant)(?![a-zA-Z])|\\ne(?:q)?(?![a-zA-Z])")
_OR = re.compile(r"\\(?:text|textrm|mbox|mathrm)\s*\{\s*or\s*\}|(?<![a-zA-Z\\])or(?![a-zA-Z])|\\lor(?![a-zA-Z])")

# Phrases that stand for a sign.
_MEANINGS = [
    (r"(?:the )?(?:set of )?(?:all|any) (?:the )?reals?(?: numbers?)?(?: [a-z])?|ℝ", r"\mathbb{R}"),
    (r"[a-z] can be any real(?: number)?", r"\mathbb{R}"),
    (r"(?:there (?:is|are|exists?) )?no(?: [a-z]+){0,2} (?:solutions?|roots?|values?)(?: exists?)?", r"\emptyset"),
    (r"none|∅|\\\{ ?\\\}|\\varnothing|(?:the )?empty set", r"\emptyset"),
    (r"(?:(?:the )?limit )?(?:does not|doesn't) exist|dne", "undefined"),
    (r"(?:an )?infinite(?:ly many)?(?: [a-z]+)*", r"\infty"),
    (r"diverge(?:s|nt)", "diverges"),
    (r"true", "yes"),
    (r"false", "no"),
]
_MEANINGS_COMPILED = [(re.compile(pattern, re.IGNORECASE), meaning) for pattern, meaning in _MEANINGS]

# A last clause that only says what a variable may be: "k \\in \\mathbb{Z}", "where n is any integer", "for all x > 0".
_DOMAIN = r"\\in\s*(?P<set>\\mathbb\s*\{?[ZNRQ]\}?|[ZNRQ])(?:[\^_]\{?[+*\d]\}?|\^\{\+\})?"
_KIND = (
    r"(?:is|are) (?:an?|any)?\s*(?:arbitrary |any |positive |non-?negative )*"
    r"(?P<kind>integers?|real|constants?)(?: numbers?| constants?)?"
)
_CLAUSE = re.compile(
    r"(?P<said>.*?[^,;( ])(?:\s*[,;(]\s*|\s+(?=for |where |with |\\forall))"
    r"(?:(?:where|for|with|all|any|some|every|each|\\forall)\s*)*"
    rf"(?P<name>[a-zA-Z])(?:\s*,\s*[a-z])*\s*(?:{_DOMAIN}|{_KIND})\)?"
    r"|(?P<all>.*?[^,;( ])(?:,\s*|\s+)(?:for (?:all|any|every|each|some)|\\forall)(?![a-z]).*"
    r"|(?P<from>(?:(?!\\[lg]eq|\\neq)[^<>])*?[^,;( ])\s*(?:\(|,?\s*(?:for|where) |,(?=.*\\neq))\s*"
    r"[a-z]\s*(?:[<>]|\\[lg]eq|\\neq)\s*-?\d+\)?"
)


@lru_cache(maxsize=10_000)
def normalise(text: str) -> str:
    r"""One spelling for what TeX and Unicode can spell in several ways; "and" and "or" between answers are commas."""
    text = plain_signs(re.sub(r"\\\\(?=[dt]?frac|sqrt|pi\b|text)", r"\\", text.strip()))
    text = _DEGREES.sub(r"\\frac{\1 \\pi}{180}" if _ANGULAR.search(text) else r"\1", text)
    if r"\begin" not in text:
        text = text.replace("\\\\", ", ")
    if _RELATION.search(text):
        text = _OR.sub(r"\\cup ", text)
    for pattern, replacement in _SPELLINGS_COMPILED:
        text = pattern.sub(replacement, text)
    text = text.strip().rstrip(".,").strip()
    text = re.sub(r"\A\{([^{}]*)\}\Z", r"\1", text)
    text = re.sub(r"\s*,(?:\s*,)+\s*", ", ", text)
    for phrase, meaning in _MEANINGS_COMPILED:
        if phrase.fullmatch(text):
            return meaning
    return text


def without_clause(text: str) -> tuple[str, str]:
    """What an answer says before it declares its variables, and the name of a variable that it declares an integer."""
    clause = _CLAUSE.fullmatch(text)
    if clause is None:
        return text, ""
    integer = "Z" in (clause["set"] or "") or (clause["kind"] or "").startswith("integer")
    return clause["all"] or clause["from"] or clause["said"], clause["name"] if integer else ""


def renamed(text: str, name: str, other: str) -> str:
    """The same with another letter for a variable."""
    return re.sub(rf"(?<![a-zA-Z\\]){name}(?![a-zA-Z])", other, text) if name and other else text


NAME = re.compile(
    r"\s*((?:\\?[a-zA-Z]+'?|\\angle ?[A-Z]+|\|?[A-Z]+\|?|[a-zA-Z ]+|\\frac\{d[a-z]?\}\{d[a-z]\})"
    r"(?:_(?:\w+|\{\w+\}))?(?:\^\{-1\})?(?:\([a-zA-Z, ]+\))?|\([a-zA-Z], ?[a-zA-Z](?:, ?[a-zA-Z])*\))\s*"
    r"(?:=|\\in\b|\\approx\b|:(?!\s*\d+\s*$))\s*(.+)",
    re.DOTALL,
)


def without_name(text: str) -> tuple[str, str]:
    r"""The name in front of an answer and the rest: "x = 5", "f(x) = 2x", "x \in [1, 2]"; the name is empty if none.

    A calculation in front ("80 + 150 = 230") is left out as well, but is no name.
    """
    match = NAME.fullmatch(text)
    if match and not re.search(r"[<>=]|\\[lg]eq|\\neq", match[2]):
        return re.sub("[ |]", "", match[1]), match[2].strip()
    if point := re.fullmatch(r"([ABD-Z])(\([^()]*,.*\))", text):
        return point[1], point[2]
    *left, right = split(text, "=")
    if left and not re.search(
        r"[a-zA-Z,<>]", re.sub(r"\\(?:frac|sqrt|times|cdot|pi|div)(?![a-zA-Z])", "", "".join(left))
    ):
        return "", right
    return "", text


def is_word(text: str) -> bool:
    """Whether an answer is a word or a name ("Evelyn", "even") and not an expression in several letters."""
    return bool(re.fullmatch(r"[^\W\d_]{3,}(?:[\s'-][^\W\d_]+)*", text.strip())) and not text.startswith("\\")


def shape(text: str) -> Shape:
    """The outer form of a normalised answer, and its parts."""
    text = text.strip()
    if matrix := re.fullmatch(r"\\begin\{([bpvBV]?matrix)\}(.*)\\end\{\1\}", text, re.DOTALL):
        rows = [row for row in re.split(r"\\\\", matrix[2]) if row.strip()]
        return Shape(Form.MATRIX, tuple(cell.strip() for row in rows for cell in row.split("&")), len(rows))
    if builder := re.fullmatch(r"\\\{ ?[a-z](?: ?\\in ?\\mathbb ?\{R\})? ?(?:\\mid|[|:])(.*)\\\}", text):
        return shape(builder[1])
    if re.search(r"\\cup|\\cap|\\setminus|\\leq|\\geq|\\neq|[<>]|\\infty\s*[)\]]", text):
        return Shape(Form.REALS, (text,))
    parts = tuple(signed for part in split(text) for signed in _with_each_sign(part))
    if len(parts) > 1:
        return Shape(Form.LIST, parts)
    ratio = split(re.sub(r"\A(\S+) to (\S+)\Z", r"\1:\2", text), ":")
    if len(ratio) > 1:
        return Shape(Form.RATIO, ratio)
    return _bracketed(text)


def _with_each_sign(text: str) -> tuple[str, ...]:
    r"""The values that \\pm stands for; where there is a \\mp the signs belong together."""
    if r"\mp" in text:
        return tuple(text.replace(r"\pm", one).replace(r"\mp", other) for one, other in ("+-", "-+"))
    before, sign, behind = text.partition(r"\pm")
    if not sign:
        return (text,)
    return tuple(f"{before}{one}{rest}" for one in "+-" for rest in _with_each_sign(behind))


def _bracketed(text: str) -> Shape:
    if text.startswith("\\{") and text.endswith("\\}"):
        return Shape(Form.SET, split(text[2:-2]))
    if not (text[:1] in ("(", "[") and text[-1:] in (")", "]")) or _closes(text) != len(text) - 1:
        return Shape(Form.SINGLE, (text,))
    parts = split(text[1:-1])
    if len(parts) == 1:
        return Shape(Form.SINGLE, (text,))
    if text[0] == "(" and text[-1] == ")":
        return Shape(Form.TUPLE, parts)
    rows = [split(part[1:-1]) for part in parts if part[0] == "[" and part[-1] == "]"]
    if len(rows) == len(parts) and len({len(row) for row in rows}) == 1:
        return Shape(Form.MATRIX, tuple(cell for row in rows for cell in row), len(rows))
    return Shape(Form.REALS, (text,)) if len(parts) == 2 else Shape(Form.LIST, parts)


def _closes(text: str) -> int:
    """Where the bracket that opens `text` is closed; brackets of either kind close each other, as in [1, 2)."""
    depth = 0
    for position, char in enumerate(text):
        depth += (char in "([") - (char in ")]")
        if depth == 0:
            return position
    return -1


def split(text: str, separators: str = ",;") -> tuple[str, ...]:
    """The parts between separators outside of all brackets; commas within numbers ("1,234") do not separate."""
    text = re.sub(r"(?<![\d,])(\d{1,3}(?:,\d{3})+)(?!,?\d)", lambda m: m[1].replace(",", ""), text)
    parts, depth, start = [], 0, 0
    for position, char in enumerate(text):
        depth += (char in "([{") - (char in ")]}")
        if char in separators and depth == 0:
            parts.append(text[start:position].strip())
            start = position + 1
    parts.append(text[start:].strip())
    return tuple(part for part in parts if part)
