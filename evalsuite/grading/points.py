"""The values of expressions at a few points, to many digits: how two functions are told apart."""

from collections.abc import Callable
from itertools import count, islice
from typing import Any

import sympy

DIGITS, FEW = 50, 15
AGREE = sympy.Float(10) ** -35
POINTS = 4


def at_points(expressions: list[Any]) -> list[tuple[Any, ...]]:
    """The values of expressions in the same variables at the same points, where all are finite.

    Points are fixed and of both signs, so that |x| is not x and a verdict never changes. Where something is counted
    the variables are positive integers.
    """
    symbols, coordinate = _axes(expressions)
    found = []
    for point in islice(count(), POINTS * 3 if symbols else 1):
        at = {s: coordinate(point, axis) for axis, s in enumerate(symbols)}
        values = tuple(to_digits(e.subs(at)) for e in expressions)
        if all(v.is_number and v.is_finite for v in values):
            found.append(values)
        if len(found) == POINTS:
            break
    real = [values for values in found if any(v.is_real for v in values)]
    return real or found


def differ_at_once(one: Any, other: Any) -> bool:
    """Whether two expressions are real and differ clearly at the first of the points, to a few digits."""
    symbols, coordinate = _axes([one, other])
    at = {s: coordinate(0, axis) for axis, s in enumerate(symbols)}
    values = [to_digits(e.subs(at), FEW) for e in (one, other)]
    if not all(v.is_Float or v.is_Rational for v in values):
        return False
    return bool(abs(values[0] - values[1]) > max(map(abs, values)) / 10**6)


def _axes(expressions: list[Any]) -> tuple[list[Any], Callable[[int, int], Any]]:
    """The variables of expressions, and what values they take."""
    symbols = sorted(set().union(*(e.free_symbols for e in expressions)), key=str)
    return symbols, _count if any(_counts(e) for e in expressions) else _coordinate


_COUNTING = (sympy.factorial, sympy.factorial2, sympy.binomial, sympy.Sum, sympy.Product)
_ROUNDING = (sympy.floor, sympy.ceiling)


def _counts(expression: Any) -> bool:
    """Whether its variables are integers: it has a factorial, a sign like (-1)^n, or rounds something like n/2."""
    if expression.has(*_COUNTING) or any(p.base == -1 and p.exp.free_symbols for p in expression.atoms(sympy.Pow)):
        return True
    return expression.has(*_ROUNDING) and {s.name for s in expression.free_symbols} <= set("nkmNM")


def to_digits(expression: Any, digits: int = DIGITS) -> Any:
    """The value to many digits. What cancels to less than one certain digit is zero."""
    expression = expression.doit()
    if any(map(_odd_root, expression.atoms(sympy.Pow))):
        expression = expression.replace(_odd_root, _real_root)
    value = sympy.N(expression, digits, maxn=400)
    return sympy.Integer(0) if isinstance(value, sympy.Float) and value._prec == 1 else value


def _odd_root(expression: Any) -> bool:
    """Whether it is a root like the cube root of -8, which is -2 for everyone but a computer algebra system."""
    return bool(
        isinstance(expression, sympy.Pow)
        and isinstance(expression.exp, sympy.Rational)
        and expression.exp.q > 1
        and expression.exp.q % 2 == 1
        and expression.base.is_negative
    )


def _real_root(power: Any) -> Any:
    return (-1) ** power.exp.p * (-power.base) ** power.exp


def _coordinate(point: int, axis: int) -> Any:
    sign = -1 if (point >> (axis % 3)) & 1 else 1
    return sign * sympy.Rational(137 * (point + 2) + 89 * (axis + 1) ** 2, 101 + 3 * axis)


def _count(point: int, axis: int) -> Any:
    return sympy.Integer(9 + 2 * point + point // 2 - (3 + point) * (axis % 3) + axis // 3)


def close(one: Any, other: Any) -> bool:
    """Equal to many digits in proportion to their size, so that 1e-7 is not 2e-7."""
    size = max(abs(one), abs(other))
    return bool(size == 0) or bool(abs(one - other) <= AGREE * size)
