"""Mathematical answers, compared by what they are: numbers, lists, tuples, sets of reals, equations, expressions.

The cheap and certain comes first: equal strings, equal numbers. Then the outer form is compared, since a tuple is not
a set and a set is not an interval, and its elements one by one. Only what is left goes to math-verify's parser and is
compared by `symbolic`.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from evalsuite.grading import number, reals, units
from evalsuite.grading.estimate import clearly_differ
from evalsuite.grading.notation import (
    is_word,
    normalise,
    renamed,
    value_of,
    without_clause,
    without_condition,
    without_name,
)
from evalsuite.grading.shapes import Form, Shape, shape, split


def equivalent(gold: str, answer: str) -> bool:
    """Whether a careful reader would take `answer` for `gold`.

    May raise or run long on hostile input, as sympy does.
    """
    if len(answer) > number.LONGEST:
        return gold.strip() == answer.strip()
    one, other = number.read(gold, variables=True), number.read(answer, variables=True)
    if one is not None and other is not None and "=" not in gold + answer:
        return number.equal(one, other)
    (gold, unit), (answer, said_unit) = _measured(gold), _measured(answer)
    if not units.same(unit, said_unit):
        return False
    (wanted, integer), (said, said_integer) = without_clause(normalise(gold)), without_clause(normalise(answer))
    if integer or said_integer:
        said = renamed(said, said_integer or _counter(said), integer or _counter(wanted))
    if not said:
        return False
    if wanted == said:
        return True
    if len(split(wanted)) == len(split(said)) == 1:  # one value, exactly and rounded
        values, said_values = (re.split(r"\\approx(?![a-zA-Z])|≈", text) for text in (wanted, said))
        if len(values) + len(said_values) > 2:
            return any(equivalent(g, a) for g in values for a in said_values if g.strip() and a.strip())
    condition, said_condition = without_condition(wanted), without_condition(said)
    if (condition is None) is not (said_condition is None):
        return equivalent(condition or wanted, said_condition or said)
    named, rest = without_name(wanted)
    said_name, said_rest = without_name(said)
    if named and said_name and named != said_name:
        term = _as_function(said_name, said_rest, named)
        return _equations(wanted, said) if term is None else _equivalent(rest, term)
    if ("=" in rest) is not ("=" in said_rest):
        value, said_value = value_of(rest, asked=True), value_of(said_rest, asked=False)
        if value is not None or said_value is not None:
            return equivalent(value or rest, said_value or said_rest)
    return _equivalent(rest, said_rest) or (bool(named) != bool(said_name) and _equations(wanted, said))


@lru_cache(maxsize=10_000)
def readable(gold: str) -> bool:
    """Whether a gold can be compared by more than its spelling: as words, as a number, or as an expression."""
    from evalsuite.grading import symbolic

    plain = without_name(without_clause(normalise(gold))[0])[1]
    if not plain:
        return False
    if is_word(plain) or number.read(plain) or _base(plain) or symbolic.parse(plain) is not None:
        return True
    if plain == r"\ldots":
        return True
    outer = shape(plain)
    if outer.form is Form.REALS:
        return symbolic.parse_reals(outer.parts[0]) is not None
    return outer.parts != (plain,) and bool(outer.parts) and all(readable(part) for part in outer.parts)


def _equivalent(wanted: str, said: str) -> bool:
    if wanted == said:
        return True
    value, said_value = number.read(wanted, variables=True), number.read(said, variables=True)
    if value is not None and said_value is not None:
        return number.equal(value, said_value)
    if (hour := _clock(wanted)) and (said_hour := _clock(said)):
        return hour[:2] == said_hour[:2] and (hour[2] == said_hour[2] or not (hour[2] and said_hour[2]))
    if _base(wanted) or _base(said):
        return _base(wanted) == _base(said)
    if (residue := _residue(wanted, said)) is not None:
        return residue
    if lettered := re.fullmatch(r"\(([A-Z])\)", wanted):
        return bool(re.match(rf"\({lettered[1]}\)|{lettered[1]}\Z", said))
    wanted, said = (re.sub(r"\A(?:an?|the|all|on|in) (?=[a-z]{3})", "", t, flags=re.IGNORECASE) for t in (wanted, said))
    if is_word(wanted) or is_word(said):
        return is_word(wanted) and is_word(said) and wanted.casefold() == said.casefold()
    outer, said_outer = shape(wanted), shape(said)
    if outer.form is Form.SET and len(outer.parts) == 1:  # a set of one may be given without its braces
        return equivalent(outer.parts[0], said)
    if said_outer.form is Form.SET and len(said_outer.parts) == 1:
        return equivalent(wanted, said_outer.parts[0])
    if Form.REALS in (outer.form, said_outer.form):
        if not (_may_be_reals(outer) and _may_be_reals(said_outer)):
            return False
        one, other = (s.parts[0] if s.form is Form.REALS else t for s, t in ((outer, wanted), (said_outer, said)))
        return _sets_of_reals(one, other)
    if {outer.form, said_outer.form} == {Form.MATRIX, Form.SINGLE}:
        return _expressions(wanted, said)
    if Form.SINGLE not in (outer.form, said_outer.form):
        return _same_shape(outer, said_outer)
    if said_outer.form is Form.LIST:  # one value in several forms: "3/5 or 0.6"
        return all(equivalent(wanted, part) for part in said_outer.parts)
    if outer.form is not said_outer.form:
        return _same_quotient(outer, said_outer)
    if len(split(wanted, "=")) > 1 or len(split(said, "=")) > 1:
        return _equations(wanted, said)
    return _expressions(wanted, said)


def _counter(text: str) -> str:
    """The letter that must be the integer in an answer which does not declare it."""
    letters = {*re.findall(r"(?<![a-zA-Z\\])[kmn](?![a-zA-Z])", text)}
    return letters.pop() if len(letters) == 1 else ""


def _as_function(name: str, term: str, wanted: str) -> str | None:
    """The term of a function under its wanted name: f(n) with x for n, or y for f(x); None if it has none."""
    said, other = (re.fullmatch(r"([a-zA-Z]+)\(([a-z])\)", n) for n in (name, wanted))
    if said and other:
        return renamed(term, said[2], other[2]) if said[1] == other[1] else None
    return term if (said or other) and "y" in (name, wanted) else None


def _same_shape(wanted: Shape, said: Shape) -> bool:
    """Element by element: tuples, matrices and ratios in order, sets and lists in any order.

    A list without brackets may stand for a tuple, in order, or for a set, and a tuple for a row or a column.
    """
    forms = {wanted.form, said.form}
    if len(wanted.parts) != len(said.parts):
        return False
    if forms == {Form.MATRIX, Form.TUPLE}:
        if not {wanted.rows, said.rows} <= {1, len(wanted.parts)}:
            return False
    elif wanted.rows != said.rows or (len(forms) > 1 and Form.LIST not in forms):
        return False
    if forms <= {Form.LIST, Form.SET}:
        return _any_order(wanted.parts, said.parts)
    if forms == {Form.RATIO}:
        return _same_ratio(wanted.parts, said.parts)
    return all(equivalent(g, a) for g, a in zip(wanted.parts, said.parts, strict=True))


def _same_ratio(wanted: tuple[str, ...], said: tuple[str, ...]) -> bool:
    """Equal part by part, or after a common factor."""
    if all(equivalent(g, a) for g, a in zip(wanted, said, strict=True)):
        return True
    first, own = wanted[0], said[0]
    return all(_expressions(rf"({g})\cdot({own})", rf"({a})\cdot({first})") for g, a in zip(wanted, said, strict=True))


def _residue(wanted: str, said: str) -> bool | None:
    """Whether two residue classes are the same, as "3 \\pmod 7" and "x \\equiv 10 \\pmod 7"; None if neither is one."""
    one, other = _RESIDUE.fullmatch(wanted), _RESIDUE.fullmatch(said)
    if one is None and other is None:
        return None
    value, own = (one["value"] if one else wanted), (other["value"] if other else said)
    if one is None or other is None:
        return equivalent(value, own)
    first, second = number.read(value), number.read(own)
    if one["modulus"] != other["modulus"] or first is None or second is None:
        return one["modulus"] == other["modulus"] and equivalent(value, own)
    return (first.value - second.value) % int(one["modulus"]) == 0


_RESIDUE = re.compile(
    r"(?:[a-zA-Z] ?(?:\\equiv|≡) ?)?(?P<value>[^=]+?) ?\(? ?(?:\\[pb]?mod|mod) ?\{?(?P<modulus>[1-9]\d*)\}?\)?"
)


def _any_order(wanted: tuple[str, ...], said: tuple[str, ...]) -> bool:
    left = list(said)
    for gold in wanted:
        match = next((a for a in left if equivalent(gold, a)), None)
        if match is None:
            return False
        left.remove(match)
    return True


def _same_quotient(wanted: Shape, said: Shape) -> bool:
    """A ratio of two may be given as its quotient."""
    if {wanted.form, said.form} != {Form.RATIO, Form.SINGLE} or {len(wanted.parts), len(said.parts)} != {1, 2}:
        return False
    one, other = (rf"\frac{{{p[0]}}}{{{p[1]}}}" if len(p) == 2 else p[0] for p in (wanted.parts, said.parts))
    return _expressions(one, other)


def _clock(text: str) -> tuple[str, str, str] | None:
    """The hour, the minutes and the half of the day, which may be missing, of "3:30 pm"."""
    match = re.fullmatch(r"0?(\d{1,2}):([0-5]\d)(?: ([ap]m))?", text)
    return (match[1], match[2], match[3] or "") if match else None


def _base(text: str) -> tuple[str, str] | None:
    r"""The digits and the base of "52_8" or "52_{\text{eight}}"; 52_8 is neither 52 nor 42."""
    match = re.fullmatch(r"([0-9A-F]+)_\{?(\d+|[a-z]+)\}?", text.replace(" ", ""))
    return (match[1], _BASES.get(match[2], match[2])) if match else None


_BASES = {"two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9"}


def _measured(text: str) -> tuple[str, str]:
    r"""An answer without the unit of measure that `\text{…}` names at its end, and this unit."""
    named = _ROMAN_UNIT.search(text)
    unit = units.name_of(re.sub(r"~|\\(?:text|mathrm|mbox|textrm)", " ", named[0])) if named else ""
    if named and named.start() and units.is_measure(unit):
        return text[: named.start()], unit
    return text, ""


_ROMAN_UNIT = re.compile(
    r"\\(?:text|mathrm|mbox|textrm)\{[A-Za-z. ~/]+\}(?:\s*/\s*\\(?:text|mathrm)\{[A-Za-z~ ]+\})?"
    r"(?:\^\{?[23]\}?)?[\s.$]*\Z"
)


def _same_chain(wanted: str, said: str) -> bool:
    one, other = reals.chain(wanted), reals.chain(said)
    if one is None or other is None or one[1] != other[1] or len(one[0]) != len(other[0]):
        return False
    return all(equivalent(g, a) for g, a in zip(one[0], other[0], strict=True))


def _equations(wanted: str, said: str) -> bool:
    if "=" not in wanted or "=" not in said:
        return False
    from evalsuite.grading import symbolic

    return _parsed_agree(wanted, said, symbolic.same_equation)


def _may_be_reals(outer: Shape) -> bool:
    r"""Whether a form may be a set of reals: \mathbb{R} and a pair may, 2\pi, a list and a matrix may not."""
    named = outer.form is Form.SINGLE and re.search(r"\\mathbb|\\emptyset|\\{|\A[A-Z]\Z", outer.parts[0])
    return outer.form in (Form.REALS, Form.TUPLE, Form.SET) or bool(named)


def _sets_of_reals(wanted: str, said: str) -> bool:
    if _same_chain(wanted, said):
        return True
    unions = reals.union(wanted), reals.union(said)
    if len(unions[0]) == len(unions[1]) > 0:
        alike = all(
            one.brackets == other.brackets and all(map(equivalent, one.ends, other.ends))
            for one, other in zip(*unions, strict=True)
        )
        if alike or len(unions[0]) == 1:
            return alike
    if all(unions) and reals.apart(*unions):
        return False
    from evalsuite.grading import symbolic

    parsed, own = symbolic.parse_reals(wanted), symbolic.parse_reals(said)
    return parsed is not None and own is not None and symbolic.same_reals(parsed, own)


def _expressions(wanted: str, said: str) -> bool:
    from evalsuite.grading import symbolic

    return not clearly_differ(wanted, said) and _parsed_agree(wanted, said, symbolic.same_expression)


def _parsed_agree(wanted: str, said: str, same: Callable[[Any, Any], bool]) -> bool:
    from evalsuite.grading import symbolic

    for pair in symbolic.readings(wanted, said):
        one, other = map(symbolic.parse, pair)
        if one is not None and other is not None and same(one, other):
            return True
    return False
