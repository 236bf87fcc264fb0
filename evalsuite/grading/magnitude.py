"""How long the numbers in an expression would become: towers of powers must not be worked out to find that they differ.

Sizes are bounds in decimal digits, found from the leaves upwards without evaluating anything.
"""

from math import inf, log10
from typing import Any

import sympy

MOST_DIGITS = 50_000
MOST_TERMS = 1_000
MOST_POWER = 100
_LARGE = sympy.Integer(30)
_NEVER = (sympy.Integral, sympy.Limit, sympy.Derivative)


def manageable(expression: Any) -> bool:
    """Whether an expression can be evaluated in a moment."""
    if isinstance(expression, sympy.MatrixBase):
        return all(map(manageable, expression))
    try:
        return _digits(expression) <= MOST_DIGITS
    except (RecursionError, TypeError, ValueError, OverflowError):
        return False


def _digits(node: Any) -> float:
    if isinstance(node, sympy.Rational):
        return max(_length(abs(node.p)), _length(node.q))
    if isinstance(node, sympy.Symbol):
        return _length(_LARGE)
    if isinstance(node, _NEVER):
        return inf
    if isinstance(node, sympy.Sum | sympy.Product):
        return _repeated(node)
    parts = [_digits(part) for part in node.args]
    if not parts:
        return 1.0
    if max(parts) > MOST_DIGITS:
        return inf
    match node:
        case sympy.Pow():
            return parts[0] * _size(node.exp, parts[1]) if node.base not in (-1, 1) else 1.0
        case sympy.exp():
            return _size(node.args[0], parts[0])
        case sympy.factorial() | sympy.factorial2() | sympy.gamma():
            return _size(node.args[0], parts[0]) * max(parts[0], 1.0)
        case sympy.binomial():
            return _size(node.args[0], parts[0])
        case sympy.Mul():
            return sum(parts)
    return max(parts)


def _size(node: Any, digits: float) -> float:
    """The absolute value at most, with every variable as large as the points at which it will be tried."""
    if digits > MOST_POWER:
        return inf
    at = {s: sympy.I if s.name == "i" else _LARGE for s in node.free_symbols}
    return float(abs(sympy.N(node.xreplace(at))))


def _length(integer: int) -> float:
    return log10(integer) if integer else 0.0


def _repeated(node: Any) -> float:
    """A sum or product over a range that is not too long."""
    terms = 1.0
    for _, low, high in node.limits:
        terms *= _size(high, _digits(high)) + _size(low, _digits(low)) + 1
    return _digits(node.function) * terms if terms <= MOST_TERMS else inf
