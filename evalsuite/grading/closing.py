"""What the closing sentence of a text states as its result, though it announces no answer."""

import re

from evalsuite.catalog.items import AnswerKind
from evalsuite.grading import number, units
from evalsuite.grading.bare import formula

CONCLUDES = (
    r"(?:so|thus|hence|therefore|then|finally|in total|altogether|overall|in all|th(?:is|at) means"
    r"|that[’']s|this leaves)"
)
_COPULA = r"(?:=|\b(?:is|are|equals|[Ii]t[’']s)\b)"
# What such a sentence ends in is not its result: it asks, denies, supposes, compares, or goes on to explain.
NO_RESULT = re.compile(
    r"\?|n['’]t\b|:\W*\Z|\b(?:not?|none|neither|nor|nobody|unlikely|if|about|than|except)\b|\\neq?\b"
    r"|\b(?:now|(?:need|have|remains)s? to|step \d+:) (?:check|verify|find|calculate|compute|determine)\b"
    rf"|{_COPULA}.*\s(?:such that|where|because|since|when|for which)\b"
    rf"|\A\W*(?:where|let|suppose|consider|assume|recall)\b(?!.*\b{CONCLUDES}\b)",
    re.IGNORECASE,
)
# Behind a value, when or why it is so: "-1.25 m/s when x is 40".
_CONDITION = re.compile(
    rf"({_COPULA}[^A-Za-z]{{0,5}}\d\S*(?: [a-z/^]+){{0,3}}?),? (?:when|where|because|since|for which)\b.*"
)
# What a conclusion repeats of the question: "Therefore, if he works for 8 hours, he will make $100".
_PREMISE = re.compile(
    rf"\A(\W*{CONCLUDES}),? (?:if|when|since|because|after) (?:(?!\bwere\b|\bhad\b)[^,])*,(?![^.]*\bwould\b)"
    r"|\A\W*if [^,]*,(?= (?:this|that) means\b)",
    re.IGNORECASE,
)
_UNREAL = r"\b(?:would|could|might|were|had|only|even|not)\b"
_IF = re.compile(rf"\A((?:(?!{_UNREAL}|\bif\b).)*\d(?:(?!{_UNREAL}).)*?) if\b(?!.*{_UNREAL}).*", re.IGNORECASE)
LONGEST = 1_000


def concludes(clause: str) -> bool:
    """Whether a clause says that it concludes: "so", "therefore", "in total"."""
    return re.search(rf"\b{CONCLUDES}\b", clause, re.IGNORECASE) is not None


def result(sentence: str, before: str, kind: AnswerKind) -> str | None:
    """The result that a sentence states, behind the text before it."""
    if len(sentence) > LONGEST:
        return None
    sentence = _PREMISE.sub(r"\1", _IF.sub(r"\1.", _CONDITION.sub(r"\1.", sentence)))
    if NO_RESULT.search(sentence):
        return None
    found = _last_formula(sentence) if kind is AnswerKind.MATH else None
    return found or _last_number(sentence) or _only_number(sentence, before)


_CLOSING = re.compile(rf"{_COPULA}[\s:]*(?:(?:thus|then|hence|therefore) )?((?:(?!{_COPULA}).)*)\Z")
# The left side of an equation in an unknown, as far as no word interrupts it: "x^2 + 3x", but not "5 x 3" or "f(2)".
_UNKNOWN = re.compile(r"[a-z]\^|\d[a-z]\b|\b[a-wyz] ?[-+*/]|[-+*/] ?[a-wyz]\b|\bx ?[-+/^]|[-+/] ?x\b")
# A text that counts its own ways and steps tells no result.
_OF_THE_TEXT = re.compile(
    r"\W*(?:\d+|[a-z]+) (?:\w+ )?(?:steps?|cases?|methods?|equations?|approaches"
    r"|ways? (?:to|of) (?:check|verify|do|solve|see|prove|approach))",
    re.IGNORECASE,
)
MOST_UNIT_WORDS = 4


def _last_number(sentence: str) -> str | None:
    """The number, with at most a unit, that ends the sentence behind "=", "is", "are" or "equals".

    "So she makes 9 * 2 = 18 dollars."
    """
    closing = _CLOSING.search(sentence)
    if closing is None:
        return None
    left = re.split(r"(?<!\\)\b[A-Za-z]{2,}\b|\$|, ", sentence[: closing.start()])[-1]
    if closing[0].startswith("=") and _UNKNOWN.search(left):
        return None
    said = re.sub(r",? (?:altogether|in total|in all|overall)\b", "", trimmed(closing[1]))
    if said.count("$") == 1 and not said.startswith(("$", "\\$")):
        said = said.replace("$", "")
    brief = len(re.findall(r"[A-Za-z]+", said)) <= MOST_UNIT_WORDS or "\\" in said
    return said if brief and number.read(said) and not _OF_THE_TEXT.match(said) else None


_NUMBER = re.compile(r"(?<![\w.,^_\\/])[-−]?(?:\\?\$)?\d[\d,]*(?:\.\d+)?(?:/\d+)?%?(?![-\w/^_])")
# Around the only number of a sentence: plans and steps, a part of the number, a formula.
_NO_RESULT_AHEAD = re.compile(
    r"\b(?:we (?:will|can|must|should|have to|need to)|let|let's|use|using|step|part|case|method|equation|claim)\b"
    r"|\b(?:(?:half|third|quarter|out|part) of|twice|least|most)\s*\Z|[-+*/×÷]\s*\Z|[\\=<>^_$]|\A[^A-Za-z]*\Z",
    re.IGNORECASE,
)
_NO_RESULT_BEHIND = re.compile(
    r"\A\s*(?:[-+*/×÷]|times\b)|[\\=<>^_$]|\b(?:is|are|step|part|case|method|equation|claim)\b|(?:\s*\b[A-Za-z]+\b){12}"
)
_RESULT = re.compile(r"(?:=|\bgives?(?: us)?)\s*\\?\$?-?([\d,]*\d(?:\.\d+)?)")
# A calculation in front of its result: "43 - 23 = ", "16 + 16, or ", "5 times 96 books, which is ".
_CALCULATION = re.compile(
    r"\d[\d.,$\s]*(?: [a-z]+)?\s?(?:[-+*/×÷x]|times)[^A-Za-z=]*?(?: [a-z]+)?(?:\s?=|, or|, which is) ?"
    r"(?=\\?\$?\d)"
)
_WHEN = re.compile(r",? (?:when|after|once|before)\b.*")


def _only_number(sentence: str, before: str) -> str | None:
    """The only number of a complete clause that closes a calculation: "He saved $10."

    It is a result where the sentence concludes, or repeats the last result of the text; of several numbers, the one
    that does so.
    """
    plain = re.sub(r"\\[()]", "", sentence)
    results = _RESULT.findall(before + _CALCULATION.sub("= ", plain))
    *ahead, clause = re.split(rf"[,;] (?:and )?(?={CONCLUDES}\b)", _CALCULATION.sub("", plain))
    if not re.search(r"\d", before + "".join(ahead)) or not re.search(r"(?:[.!]|\*\*)[\s*]*\Z", clause):
        return None
    found = list(_NUMBER.finditer(clause))
    restating = [f for f in found if results and f[0].strip("$%-−,\\") == results[-1]]
    if len(restating) != 1 and len(found) != 1:
        return None
    place = restating[0] if restating else found[0]
    said, behind = place[0].rstrip(",").replace("\\$", "$"), _WHEN.sub("", clause[place.end() :])
    if said.startswith("$") and behind.startswith("$"):
        said, behind = said[1:], behind[1:]
    if _NO_RESULT_AHEAD.search(clause[: place.start()]) or _NO_RESULT_BEHIND.search(behind):
        return None
    concluding = ahead or concludes(clause) or _CONCLUDING.search(clause) or _HEADED.search(before)
    return said if (concluding or restating) and not _OF_THE_TEXT.match(said + behind) else None


_CONCLUDING = re.compile(r"\b(?:total|left|would|will|needs?)\b", re.IGNORECASE)
_HEADED = re.compile(r"\b(?:solution|conclusion|result)\W*\Z", re.IGNORECASE)


def one_value(said: str) -> str | None:
    """The last of two forms of one value: "3/5, or 0.6"."""
    *others, last = re.split(r",? or |\s\(", said.rstrip(" )"))
    value = number.read(last) if others else None
    same = value is not None and all((other := number.read(o)) and number.equal(value, other) for o in others)
    return last if same else None


_SETTING = re.compile(r"\$[^$]*\$|\\\[.*?\\\]|\\\(.*?\\\)|\\text\{[^{}]*\}")
_CALLS = (
    r"(?:is|are|equals?(?: to)?|be|becomes|(?:simplifies|reduces|evaluates) to|gives?|yields?|obtain|gets?|find"
    r"|it[’']s)"
)
_LEADS = re.compile(
    rf".*\b(?:(?P<called>{_CALLS}(?: {CONCLUDES})?)|have|that|(?<!\bis )(?<!\bare ){CONCLUDES})\b[\s,:]*", re.IGNORECASE
)
_BEHIND = re.compile(r",? (?:as (?:desired|required|needed|claimed)|which is [a-z ]*)\Z")
_UNIT = re.compile(r"(?<=[$)]) ((?:(?:square|cubic) )?([a-z]+))\Z")
_FINISHED = re.compile(r"(?:[.!$]|\\[\])]|\\end\{align\*?\})[\s*]*\Z")
_SUBJECT = re.compile(
    rf"(?:{CONCLUDES},? )?(\$[^$]{{1,80}}\$|[a-z] ?= ?[-\d.]+|[-\d.,]+)"
    r" is (?:the|our) (?:smallest|largest|only|least|greatest|minimum|maximum|required|desired|wanted)\b",
    re.IGNORECASE,
)


def _last_formula(sentence: str) -> str | None:
    """The formula that a sentence ends in, or that its end calls the wanted one."""
    if subject := _SUBJECT.match(sentence.strip()):
        return subject[1]
    if not _FINISHED.search(sentence):
        return None
    sentence = _BEHIND.sub("", trimmed(sentence))
    unit = _UNIT.search(sentence)
    sentence = sentence[: unit.start()] if unit and units.is_measure(units.name_of(unit[2])) else sentence
    prose = _SETTING.sub(lambda inside: "\0" * len(inside[0]), sentence)
    leads = _LEADS.match(prose)
    said = sentence[leads.end() :] if leads else sentence
    if not formula(said) or not _complete(said) or re.search(r"[<>]|\\[lg]eq?\b", said):
        return None
    value = right_side(said, (leads["called"] or "") if leads else "", "equation" in prose)
    if unit is None or value is None:
        return value
    name, power, exponent = units.name_of(unit[1]).partition("^")
    return None if number.read(value) else value.strip("$") + rf"\text{{ {name}}}{power}{exponent}"


_MEMBER = re.compile(r"(?<![<>!=])=(?!=)")
_NAME = re.compile(r"\s*\\?[A-Za-z]+'?(?:\{[A-Za-z]\})?(?:_\{?\w+\}?)?(?:\^?\{?-1\}?)?(?:\([^()=]*\))?\s*")


def right_side(said: str, called: str, equation: bool) -> str | None:
    """What a formula gives: all of a list, an expression or a definition, else what stands behind the last "="."""
    plain = re.sub(r"\$|\\[\[\]()]|\\(?:begin|end)\{align\*?\}", "", said).replace("&=", "=")
    plain = re.split(r"\\(?:Rightarrow|implies)\b", trimmed(plain))[-1].strip()
    parts = re.split(r",? (?:and|or) |, (?=[a-z] ?=)", plain)
    if len(parts) > 1:
        values = {str(number.read(part)) for part in parts}
        if len(values) == 1 and "None" not in values:
            return parts[-1]
        names = {part.partition("=")[0].strip() if "=" in part else "" for part in parts}
        if len(names) == 1:
            return said if called or names != {""} else None
        plain = parts[-1]
    members = _MEMBER.split(plain)
    if len(members) == 1:
        return said if called else None
    defined = len(members) == 2 and _NAME.fullmatch(members[0]) and not number.read(members[1])
    if equation or defined:
        return plain
    unknown = (_UNKNOWN.search(members[-2]) and not re.match("is|are|eq", called, re.I)) or _UNKNOWN.search(members[-1])
    return None if unknown else members[-1].strip()


def _complete(said: str) -> bool:
    """Whether a formula is closed and does not stop in the middle."""
    balanced = said.count("{") == said.count("}") and said.count("$") % 2 == 0
    return balanced and not re.search(
        r"(?:[-+*/=(,\\]|\\(?:cdot|times|div|pm|frac|sqrt|left|[lg]eq?)\s*|\.\.\.)\Z", said.rstrip()
    )


def trimmed(said: str) -> str:
    """Without the stop, and the end of a display, behind a sentence."""
    return re.sub(r"(?:\\[\])]|[\s.*!])+\Z", "", said)
