"""How mathematical answers are written: one spelling for each, without what may be left out."""

import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache

from evalsuite.grading.number import ORDINAL, ROMAN, plain_signs, read, roman
from evalsuite.grading.shapes import split

# What marks a name belongs to it, as a part of its subscript: f', x^*, I_{\\max}.
_MARKS: list[tuple[str, str | Callable[[re.Match[str]], str]]] = [
    (r"\^\s*\{?\s*((?:\\prime\s*)+)\}?", lambda m: "'" * m[1].count("prime")),
    (r"(?<=[a-zA-Z}])('+)(?!(?:s|t|re|ve|ll)\b)", lambda m: f"_{{{'prime' * len(m[1])}}}"),
    (r"(?<=[a-zA-Z\d})])_\s*\{?\s*\\(max|min|lim|sup|inf|odot|oplus|perp|parallel|infty)(?![a-zA-Z])\s*\}?", r"_{\1}"),
    (r"(?:(?<=[a-zA-Z}])|(?<=_\d))[_^]\s*\{?\s*(?:\*|\\(?:ast|star)(?![a-zA-Z]))\s*\}?", "_{star}"),
    (r"_\{?(\w+)\}?_\{(star|(?:prime)+)\}", r"_{\1\2}"),
    (r"_\{(star|(?:prime)+)\}_\{?(\w+)\}?", r"_{\2\1}"),
]

# Functions that are also written without a backslash.
_FUNCTION = r"arc(?:sin|cos|tan)|(?:sin|cos|tan|cot|sec|csc)h?|ln|log|exp|(?:max|min|gcd|lcm|det)(?=\()"


def _greek(match: re.Match[str]) -> str:
    size, _, name = unicodedata.name(match[0]).replace("LAMDA", "LAMBDA").split()[1:4]
    return f"\\{name.lower() if size == 'SMALL' else name.capitalize()} "


def _function(match: re.Match[str]) -> str:
    return rf"\{'arc' if match[0] != match[1] else ''}{match[1]} "


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
    (r"[α-ωΔΘΛΦΨΩ]", _greek),
    *_MARKS,
    (r"\\dot(?![a-zA-Z])\s*\{?([a-zA-Z]|\\[a-z]+)\}?", r"\\frac{d\1}{dt}"),
    (r"(?<![a-zA-Z])(?:np|math|sympy)\.(?=[a-z])", ""),
    (rf"(?<![a-zA-Z\\])(?<!_)(?<!_\{{)a?((?:{_FUNCTION})(?=\s*[\^(\\_\d]|\s+[a-z](?![a-z])|x(?![a-zA-Z])))", _function),
    (r"\\var(?=epsilon|phi|theta)", r"\\"),
    (r"×", r"\\times "),
    (r"·", r"\\cdot "),
    (r"\\(?:mathbf|Bbb)\s*\{?([RZNQ])\}?(?![a-zA-Z])", r"\\mathbb{\1}"),
    (r"\\(?:overrightarrow|vec)\s*\{\s*([A-Z]{2})\s*\}", r"v_{\1}"),
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
    (r"(?<!\d) (?![a-zA-Z\d])|(?<=\d) (?![a-zA-Z\d\\.])|(?<![a-zA-Z\d\\}]) (?!\d)|(?<=[-+=<>(]) ", ""),
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


# "The largest value is 7", with its words in roman type or not.
_INTRODUCED = re.compile(
    r"(?:\\(?:text|textrm|mathrm|mbox)\s*\{(?P<roman>[^{}]*)\}|(?P<plain>[A-Za-z$][^{}=<>]*?\b(?:is|are|equals))\s)"
    r"\s*(?P<value>[-\d$\\(\[.√π].*)",
    re.DOTALL,
)
_INTRODUCING = re.compile(r"(?:(?<![a-z])(?:is|are|equals)(?: equal to)?|[:=])\s*\Z")
_SUPPOSING = re.compile(r"(?i)\b(?:not|no|never|if|when|where|unless|least|most|about|than)\b|n't")
_DOUBLED = r"(?<!\\)\\\\(?=(?:[dt]?frac|sqrt|pi|text|mu|Omega|mathrm|circ|cdot|times|theta)(?![a-zA-Z]))"


@lru_cache(maxsize=20_000)
def normalise(text: str) -> str:
    r"""One spelling for what TeX and Unicode can spell in several ways; "and" and "or" between answers are commas."""
    text = re.sub(r"\A\s*\$*\\boxed\s*\{(.*)\}\$*\s*\Z", r"\1", text)
    text = plain_signs(_introduced(text.strip()))
    text = _DEGREES.sub(r"\\frac{\1 \\pi}{180}" if _ANGULAR.search(text) else r"\1", text)
    if r"\begin" not in text:
        text = re.sub(r"\\\\(?![a-zA-Z]{2})", ", ", text)
    text = re.sub(_DOUBLED, r"\\", text)
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


def _introduced(text: str) -> str:
    """What stands behind words that only introduce it."""
    match = _INTRODUCED.fullmatch(text)
    words = (match["roman"] or match["plain"] or "") if match else ""
    return match["value"] if match and _INTRODUCING.search(words) and not _SUPPOSING.search(words) else text


def without_clause(text: str) -> tuple[str, str]:
    """What an answer says before it declares its variables, and the name of a variable that it declares an integer."""
    clause = _CLAUSE.fullmatch(text)
    if clause is None:
        return text, ""
    integer = "Z" in (clause["set"] or "") or (clause["kind"] or "").startswith("integer")
    return clause["all"] or clause["from"] or clause["said"], clause["name"] if integer else ""


def without_condition(text: str) -> str | None:
    """An answer before a last condition on one of its own variables ("b - e^{-at}, t > 0"), or None if it has none."""
    match = _CONDITION.fullmatch(text)
    if match is None or not re.search(rf"(?<![a-zA-Z\\]){re.escape(match['name'])}(?![a-zA-Z])", match["said"]):
        return None
    return match["said"]


_LESS = r"(?:[<>]|\\[lg]eq|\\neq)"
_CONDITION = re.compile(
    r"(?P<said>(?:(?!\\[lg]eq|\\neq|\\in(?![a-z]))[^<>])*?[^,;( ])\s*[,;]\s*"
    rf"(?:[^<>=,\\]+{_LESS} ?)?(?P<name>[a-zA-Z]|\\[a-z]+) ?{_LESS}(?:(?!\\[lg]eq|\\neq)[^<>=,])+"
)


def renamed(text: str, name: str, other: str) -> str:
    """The same with another letter for a variable."""
    return re.sub(rf"(?<![a-zA-Z\\]){name}(?![a-zA-Z])", other, text) if name and other else text


_ARGUMENT = r"(?:\\?[a-zA-Z]+(?:\((?:\\?[a-zA-Z]+)\))?)"
_OPERATION = re.compile(r"\\(?:int|lim|sum|prod|max|min)(?![a-zA-Z])|\\frac\{d\}\{d[a-z]\}")
NAME = re.compile(
    r"\s*((?:\\?[a-zA-Z]+|\\angle ?[A-Z]+|\|?[A-Z]+\|?|[a-zA-Z ]+|\\frac\{d(?:[a-z]|\\[a-z]+)?\}\{d[a-z]\}"
    r"|\([a-z] ?\\circ ?[a-z]\))"
    rf"(?:_(?:\w+|\{{\w+\}}))?(?:\^\{{-1\}})?(?:\({_ARGUMENT}(?:, ?{_ARGUMENT})*\))?"
    r"|\([a-zA-Z], ?[a-zA-Z](?:, ?[a-zA-Z])*\))\s*"
    r"(?:=|\\in\b|\\approx\b|:(?!\s*\d+\s*$))\s*(.+)",
    re.DOTALL,
)


def without_name(text: str) -> tuple[str, str]:
    r"""The name in front of an answer and the rest: "x = 5", "f(x) = 2x", "x \in [1, 2]"; the name is empty if none.

    A calculation in front ("80 + 150 = 230") is left out as well, but is no name.
    """
    match = NAME.fullmatch(text)
    if match and not re.search(r"[<>=]|\\[lg]eq|\\neq", match[2]) and not _SUPPOSING.search(match[1]):
        return re.sub("[ |]", "", match[1]), match[2].strip()
    if point := re.fullmatch(r"([ABD-Z])(\([^()]*,.*\))", text):
        return point[1], point[2]
    *left, right = split(text, "=")
    if len(left) == 1 and _OPERATION.match(left[0]):
        return left[0], right
    calculation = bool(left) and not has_letters("".join(left)) and not re.search(r"[,<>]", "".join(left))
    return "", right if calculation else text


def has_letters(text: str) -> bool:
    r"""Whether there is a variable in it: a letter other than e and i, Greek or Latin; \\pi is none."""
    return bool(re.search(r"[a-zA-Z]", _CONSTANT.sub("", text)))


_CONSTANT = re.compile(
    r"(?<![a-zA-Z\\])[ei](?![a-zA-Z])|\\(?:frac|sqrt|pi|times|cdot|div|ln|log|exp|arc(?:sin|cos|tan)|(?:sin|cos|tan|cot|sec|csc)h?|infty|cup|cap|setminus"
    r"|emptyset|overline|binom|pm|mp|ldots|circ|(?:begin|end)\{[bpvBV]?matrix\}|mathbb\{[RZQNC]\})(?![a-zA-Z])"
)


def value_of(text: str, *, asked: bool) -> str | None:
    r"""What an equation says that a quantity is: 7 in "m + n = 7", 3/4 in "\\tan A = \\frac34"; None if it says none.

    "2x = 3", "x^2 = 4" and "3x - y + 13 = 0" are equations, as is every sum or product where one was `asked` for.
    """
    members = split(text, "=")
    if len(members) < 2 or len(split(text)) > 1:
        return None
    left, right = members[0], members[-1]
    outside = re.sub(r"\([^()]*\)", "", left)
    if _SUPPOSING.search(left) or re.search(_LESS, outside + right):
        return None
    if has_letters(right) and read(right, variables=True) is None:
        return None
    plain = re.sub(r"\\(?:frac|cdot|times)(?![a-zA-Z])", " ", left)
    if not re.fullmatch(r"[\w\s.+*/^(){}-]+", plain) or re.search(r"[a-zA-Z}]\([^a-zA-Z()]*\)", plain):
        return right
    names = re.findall(r"(?![ei](?![a-zA-Z]))[a-zA-Z](?:_\{?\w+\}?)?", plain)
    quotient = len(names) > 1 and re.search(r"/|\\frac", left)
    equation = asked or (right == "0" and re.search(r"(?<![\^_{\d])\d", plain))
    return None if equation or (len(set(names)) < 2 and not quotient) else right


def is_word(text: str) -> bool:
    """Whether an answer is a word or a name ("Evelyn", "even") and not an expression in several letters."""
    return bool(re.fullmatch(r"[^\W\d_]{3,}(?:[\s'-][^\W\d_]+)*", text.strip())) and not text.startswith("\\")
