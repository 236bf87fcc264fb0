"""Mathematical answers, compared by what they are: numbers, lists, tuples, sets of reals, equations, expressions.

The cheap and certain comes first: equal strings, equal numbers. Then the outer form is compared, since a tuple is not
a set and a set is not an interval, and its elements one by one. Only what is left goes to math-verify's parser and is
compared by `symbolic`.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from evalsuite.grading import number
from evalsuite.grading.notation import Form, Shape, is_word, normalise, shape, without_name


def equivalent(gold: str, answer: str) -> bool:
    """Whether a careful reader would take `answer` for `gold`.

    May raise or run long on hostile input, as sympy does.
    """
    if len(answer) > number.LONGEST:
        return gold.strip() == answer.strip()
    if not number.same_unit(_unit(gold), _unit(answer)):
        return False
    wanted, said = normalise(gold), normalise(answer)
    if not said:
        return False
    if wanted == said:
        return True
    named, rest = without_name(wanted)
    said_name, said_rest = without_name(said)
    if named and said_name and named != said_name and not _functions(named, said_name):
        return _equations(wanted, said)
    return _equivalent(rest, said_rest) or (bool(named) != bool(said_name) and _equations(wanted, said))


@lru_cache(maxsize=10_000)
def readable(gold: str) -> bool:
    """Whether a gold can be compared by more than its spelling: as words, as a number, or as an expression."""
    from evalsuite.grading import symbolic

    plain = without_name(normalise(gold))[1]
    if not plain:
        return False
    if is_word(plain) or number.read(plain) or _base(plain) or symbolic.parse(plain) is not None:
        return True
    if plain == r"\ldots":
        return True
    outer = shape(plain)
    return outer.parts != (plain,) and bool(outer.parts) and all(readable(part) for part in outer.parts)


def _equivalent(wanted: str, said: str) -> bool:
    if wanted == said:
        return True
    one, other = number.read(wanted), number.read(said)
    if one is not None and other is not None:
        return number.equal(one, other)
    if _base(wanted) or _base(said):
        return _base(wanted) == _base(said)
    if (residue := _residue(wanted, said)) is not None:
        return residue
    if lettered := re.fullmatch(r"\(([A-Z])\)", wanted):
        return bool(re.match(rf"\({lettered[1]}\)|{lettered[1]}\Z", said))
    said = re.sub(r"\A(?:an?|the) (?=[a-z]{3})", "", said, flags=re.IGNORECASE)
    if is_word(wanted) or is_word(said):
        return is_word(wanted) and is_word(said) and wanted.casefold() == said.casefold()
    outer, said_outer = shape(wanted), shape(said)
    if Form.REALS in (outer.form, said_outer.form):
        return _sets_of_reals(outer.parts[0] if len(outer.parts) == 1 else wanted, said_outer.parts[0] if len(said_outer.parts) == 1 else said)
    if Form.SINGLE not in (outer.form, said_outer.form):
        return _same_shape(outer, said_outer)
    if outer.form is not said_outer.form:
        return _lone_element(outer, said_outer)
    if "=" in wanted or "=" in said:
        return _equations(wanted, said)
    return _expressions(wanted, said)


def _functions(one: str, other: str) -> bool:
    """Whether both names are of a function of the same argument: "y" may be f(x)."""
    return "y" in (one, other) and bool(re.fullmatch(r"[a-z]\(x\)", other if one == "y" else one))


def _same_shape(wanted: Shape, said: Shape) -> bool:
    """Element by element: tuples, matrices and ratios in order, sets and lists in any order.

    A list without brackets may stand for a tuple, in order, or for a set, and a tuple for a row or a column.
    """
    forms = {wanted.form, said.form}
    if len(wanted.parts) != len(said.parts):
        return False
    if forms == {Form.MATRIX, Form.TUPLE}:
        if not {wanted.rows, said.rows} & {len(wanted.parts)} and wanted.rows != said.rows:
            return False
    elif wanted.rows != said.rows or (len(forms) > 1 and Form.LIST not in forms):
        return False
    if forms <= {Form.LIST, Form.SET}:
        return _any_order(wanted.parts, said.parts)
    if forms == {Form.RATIO}:
        return _same_ratio(wanted.parts, said.parts)
    return all(equivalent(g, a) for g, a in zip(wanted.parts, said.parts, strict=True))


def _same_ratio(wanted: tuple[str, ...], said: tuple[str, ...]) -> bool:
    """Equal part by part, or after a common factor; a time of the day has none."""
    if all(equivalent(g, a) for g, a in zip(wanted, said, strict=True)):
        return True
    if any(re.fullmatch(r"[0-5]\d", parts[1]) for parts in (wanted, said)):
        return False
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


def _lone_element(wanted: Shape, said: Shape) -> bool:
    """A set of one element may be given without its braces, and a ratio of two as its quotient."""
    forms = {wanted.form, said.form}
    if forms == {Form.RATIO, Form.SINGLE} and {len(wanted.parts), len(said.parts)} == {1, 2}:
        return _expressions(*(rf"\frac{{{p[0]}}}{{{p[1]}}}" if len(p) == 2 else p[0] for p in (wanted.parts, said.parts)))
    both = forms == {Form.SET, Form.SINGLE}
    return both and len(wanted.parts) == len(said.parts) == 1 and equivalent(wanted.parts[0], said.parts[0])


def _base(text: str) -> tuple[str, str] | None:
    r"""The digits and the base of "52_8" or "52_{\text{eight}}"; 52_8 is neither 52 nor 42."""
    match = re.fullmatch(r"([0-9A-F]+)_\{?(\d+|[a-z]+)\}?", text.replace(" ", ""))
    return (match[1], _BASES.get(match[2], match[2])) if match else None


_BASES = {"two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9"}


def _unit(text: str) -> str:
    r"""The unit of measure that `\text{…}` names at the end of an answer."""
    named = re.search(r"\\(?:text|mathrm|mbox|textrm)\{([A-Za-z. ~/]+)\}(\^\{?[23]\}?)?[\s.$]*\Z", text)
    unit = number.unit_name(named[1].replace("~", " ") + (named[2] or "")) if named else ""
    return unit if number.known_unit(re.split(r"[ ^]", unit)[0]) else ""


def _chain(text: str) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """The members and the relations of a chain "a < b < c", from small to large; None if it is no chain."""
    pieces = re.split(r"(<|>|\\leq|\\geq)", text)
    members, relations = tuple(p.strip() for p in pieces[::2]), tuple(pieces[1::2])
    if len(relations) < 2:
        return None
    if set(relations) <= {">", "\\geq"}:
        return members[::-1], tuple({">": "<", "\\geq": "\\leq"}[r] for r in relations[::-1])
    return members, relations


def _same_chain(wanted: str, said: str) -> bool:
    one, other = _chain(wanted), _chain(said)
    if one is None or other is None or one[1] != other[1] or len(one[0]) != len(other[0]):
        return False
    return all(equivalent(g, a) for g, a in zip(one[0], other[0], strict=True))


def _equations(wanted: str, said: str) -> bool:
    from evalsuite.grading import symbolic

    return _parsed_agree(wanted, said, symbolic.same_equation)


def _sets_of_reals(wanted: str, said: str) -> bool:
    if _same_chain(wanted, said):
        return True
    from evalsuite.grading import symbolic

    one, other = symbolic.parse_reals(wanted), symbolic.parse_reals(said)
    return one is not None and other is not None and symbolic.same_reals(one, other)


def _expressions(wanted: str, said: str) -> bool:
    from evalsuite.grading import symbolic

    return _parsed_agree(wanted, said, symbolic.same_expression)


def _parsed_agree(wanted: str, said: str, same: Callable[[Any, Any], bool]) -> bool:
    from evalsuite.grading import symbolic

    for pair in symbolic.readings(wanted, said):
        one, other = map(symbolic.parse, pair)
        if one is not None and other is not None and same(one, other):
            return True
    return False
