"""What math-verify's parser makes of an answer, compared as a mathematical object.

math-verify's own `verify` takes 1/2004! for 1/2006!, one line for another, a pair for a set and 1e-7 for 2e-7: it
rounds absolutely and zips what it should match. Here numbers are compared by their ratio and to many digits, and
functions at points. It is imported only where sympy is needed: sympy is slow to load.
"""

import logging
import re
from functools import lru_cache
from itertools import count, islice
from typing import Any

import sympy
from latex2sympy2_extended.latex2sympy2 import NormalizationConfig
from math_verify import LatexExtractionConfig
from math_verify import parse as mv_parse
from sympy.core.relational import Relational

from evalsuite.grading import number

# It warns at every parse that no alarm is armed: the deadline is enforced from outside.
logging.getLogger("math_verify").setLevel(logging.CRITICAL)

DIGITS = 50
AGREE = sympy.Float(10) ** -35
POINTS = 4

_LAST_WORD = re.compile(r"(?<=[\s\d})])\s*((?:square |cubic |sq )?([A-Za-z]{2,}))\.?(?:\^\{?[23]\}?)?\s*\Z")


@lru_cache(maxsize=10_000)
def parse(text: str) -> Any | None:
    """The sympy object that an expression in TeX means, or None if it cannot be read."""
    # Its own treatment of units drops a last "t", as if tonnes were meant: cos 2t would be cos 2.
    form = NormalizationConfig(basic_latex=True, units=False, malformed_operators=True, nits=True, boxed="all")
    config = LatexExtractionConfig(normalization_config=form)
    parsed = mv_parse(f"${_parsable(text)}$", [config], fallback_mode="no_fallback", parsing_timeout=None)
    return _exact(parsed[0]) if parsed and not isinstance(parsed[0], str) else None


def parse_reals(text: str) -> Any | None:
    r"""A set of reals; what stands behind each `\setminus` is taken away from it."""
    first, *taken = [parse(part) for part in text.split("\\setminus")]
    if any(not isinstance(part, sympy.Set) for part in (taken and [first, *taken])):
        return None
    for part in taken:
        first = sympy.Complement(first, part)
    return first


def _parsable(text: str) -> str:
    """Without what math-verify's parser misreads: spaced thousands, and (1000)(26), which it takes for a sum.

    A unit behind the expression goes too; whether both sides name the same one is looked at before.
    """
    word = _LAST_WORD.search(text)
    if word and (word[2] in ("unit", "units") or number.known_unit(number.unit_name(word[1]))):
        text = text[: word.start()]
    text = re.sub(r"(?<=\d) (?=\d{3}(?!\d))", "", text.replace("%", r"\%"))
    text = re.sub(r"((?<![_^\d.])\d[\d.]*|\)) ?(?=\()", r"\1\\cdot ", text)
    return re.sub(r"(?<![\d,])(\d{1,3}(?:,\d{3})+)(?![\d,])", lambda m: m[1].replace(",", ""), text)


def _exact(parsed: Any) -> Any:
    """Decimals as the fractions that they are written as: 0.3333 is 3333/10000, not about a third."""
    if not isinstance(parsed, sympy.Basic):
        return parsed
    floats = {f: sympy.Rational(str(f)) for f in parsed.atoms(sympy.Float)}
    return parsed.xreplace(floats) if floats else parsed


def same_expression(gold: Any, answer: Any) -> bool:
    """Whether two expressions have the same free variables and the same value wherever they are tried."""
    if isinstance(gold, sympy.Set) or isinstance(answer, sympy.Set):
        return same_reals(gold, answer)
    if isinstance(gold, sympy.MatrixBase) or isinstance(answer, sympy.MatrixBase):
        return _same_matrix(gold, answer)
    if isinstance(gold, Relational) or isinstance(answer, Relational):
        return same_equation(gold, answer)
    if not (isinstance(gold, sympy.Expr) and isinstance(answer, sympy.Expr)):
        return bool(gold == answer)
    gold, answer = _variables(gold), _variables(answer)
    if gold == answer:
        return True
    if gold.free_symbols != answer.free_symbols:
        return bool(sympy.simplify(gold - answer) == 0) if gold.free_symbols ^ answer.free_symbols else False
    values = _values([gold, answer])
    return bool(values) and all(_close(one, other) for one, other in values)


def same_equation(gold: Any, answer: Any) -> bool:
    """Whether two equations say the same: equal up to a factor that is a number other than zero."""
    if not (isinstance(gold, sympy.Eq) and isinstance(answer, sympy.Eq)):
        return bool(gold == answer) or (not isinstance(gold, sympy.Eq) and same_reals(gold, answer))
    one, other = _variables(gold.lhs - gold.rhs), _variables(answer.lhs - answer.rhs)
    if one.free_symbols != other.free_symbols or not one.free_symbols:
        return False
    values = [(a, b) for a, b in _values([one, other]) if abs(a) > AGREE and abs(b) > AGREE]
    return len(values) > 1 and all(_close(a / b, values[0][0] / values[0][1]) for a, b in values[1:])


def same_reals(gold: Any, answer: Any) -> bool:
    """Whether two intervals, unions or inequalities are the same set of real numbers, end points included."""
    variables = {str(s) for x in (gold, answer) if not isinstance(x, sympy.Set) for s in x.free_symbols}
    if len(variables) > 1:
        return bool(gold == answer) or _same_relation(gold, answer)
    one, other = _as_set(gold), _as_set(answer)
    if one is None or other is None:
        return False
    return bool(one == other) or bool(one.symmetric_difference(other).is_empty)


def _as_set(reals: Any) -> Any | None:
    if isinstance(reals, sympy.Set):
        return reals.doit()
    if isinstance(reals, Relational | sympy.logic.boolalg.Boolean):
        symbols = {s: sympy.Symbol("x", real=True) for s in reals.free_symbols}
        return reals.xreplace(symbols).as_set()
    return sympy.FiniteSet(reals)


def _same_relation(gold: Any, answer: Any) -> bool:
    """Inequalities in several variables: the same side of the same curve."""
    if not (isinstance(gold, Relational) and isinstance(answer, Relational)):
        return False
    gold, answer = gold.canonical, answer.canonical
    if gold.rel_op != answer.rel_op:
        answer = answer.reversed
    if gold.rel_op != answer.rel_op:
        return False
    values = _values([_variables(gold.lhs - gold.rhs), _variables(answer.lhs - answer.rhs)])
    ratios = [a / b for a, b in values if abs(b) > AGREE]
    return len(ratios) > 1 and all(_close(r, ratios[0]) for r in ratios) and bool(sympy.re(ratios[0]) > 0)


def _same_matrix(gold: Any, answer: Any) -> bool:
    if not (isinstance(gold, sympy.MatrixBase) and isinstance(answer, sympy.MatrixBase)) or gold.shape != answer.shape:
        return False
    return all(same_expression(_exact(a), _exact(b)) for a, b in zip(gold, answer, strict=True))


def _variables(expression: Any) -> Any:
    """Evaluated, with variables told apart by name alone, and a letter i or e as the constant that it is."""
    names = {s: _CONSTANTS.get(s.name, sympy.Symbol(s.name)) for s in expression.free_symbols}
    return expression.xreplace(names).doit()


_CONSTANTS = {"i": sympy.I, "e": sympy.E}


def _values(expressions: list[Any]) -> list[tuple[Any, ...]]:
    """The values of expressions in the same variables at the same points, where all are finite.

    Points are fixed and of both signs, so that |x| is not x and a verdict never changes.
    """
    symbols = sorted(set().union(*(e.free_symbols for e in expressions)), key=str)
    found = []
    for point in islice(count(), POINTS * 3 if symbols else 1):
        at = {s: _coordinate(point, axis) for axis, s in enumerate(symbols)}
        values = tuple(_number(e.subs(at)) for e in expressions)
        if all(v.is_number and v.is_finite for v in values):
            found.append(values)
        if len(found) == POINTS:
            break
    return found


def _number(expression: Any) -> Any:
    """The value to many digits. What cancels to less than one certain digit is zero."""
    value = sympy.N(expression, DIGITS, maxn=400)
    return sympy.Integer(0) if isinstance(value, sympy.Float) and value._prec == 1 else value


def _coordinate(point: int, axis: int) -> Any:
    sign = -1 if (point >> (axis % 3)) & 1 else 1
    return sign * sympy.Rational(137 * (point + 2) + 89 * (axis + 1) ** 2, 101 + 3 * axis)


def _close(one: Any, other: Any) -> bool:
    """Equal to many digits in proportion to their size, so that 1e-7 is not 2e-7."""
    size = max(abs(one), abs(other))
    return bool(size == 0) or bool(abs(one - other) <= AGREE * size)
