r"""A quick look at two expressions in TeX: floating-point values that tell most wrong answers from right ones.

A parser that understands all of TeX takes milliseconds. This one knows only what is in most answers and gives up on
anything else, or where a reader could group the text in another way. Every value carries a bound on its error, so that
"clearly different" is certain; "not clearly different" says nothing.
"""

import cmath
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from zlib import crc32

from evalsuite.grading import units

_TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+(?:\.\d+)?|\.\d+)|(?P<name>(?:[a-zA-Z]|\\(?:alpha|beta|gamma|delta|theta|lambda|mu|phi|omega))"
    r"(?:_(?:\w(?!\d)|\{\w+\}))?(?!_))|(?P<command>\\(?:frac|sqrt|pi|cdot|times|sin|cos|tan|ln|log)(?![a-zA-Z]))|(?P<sign>[-+*/^(){}\[\]_]))"
)
_EPSILON = 1e-14
LONGEST = 300


class _UnsureError(Exception):
    """A reader could take the text in another way, or its value is not certain enough."""


@dataclass(frozen=True, slots=True)
class _Value:
    """A complex number and how far it may be off."""

    at: complex
    off: float

    def __add__(self, other: "_Value") -> "_Value":
        return _rounded(self.at + other.at, self.off + other.off)

    def __mul__(self, other: "_Value") -> "_Value":
        off = abs(self.at) * other.off + abs(other.at) * self.off + self.off * other.off
        return _rounded(self.at * other.at, off)

    def inverse(self) -> "_Value":
        size = abs(self.at)
        if size <= 2 * self.off:
            raise _UnsureError
        return _rounded(1 / self.at, 2 * self.off / size**2)

    def power(self, exponent: "_Value") -> "_Value":
        real = exponent.at.real
        if exponent.at == real and exponent.off == 0 and real == int(real) and abs(real) <= 1000:
            base = self if real >= 0 else self.inverse()
            size = abs(base.at) + base.off
            return _rounded(base.at ** abs(int(real)), abs(real) * size ** max(abs(real) - 1, 0) * base.off)
        if self.at.imag or self.at.real <= 2 * self.off or exponent.off > 1e-3:
            raise _UnsureError
        value = cmath.exp(exponent.at * math.log(self.at.real))
        off = 2 * abs(exponent.at) * self.off / self.at.real + 2 * abs(math.log(self.at.real)) * exponent.off
        return _rounded(value, abs(value) * (off + abs(exponent.at) * _EPSILON))


def _rounded(at: complex, off: float) -> _Value:
    exact = off == 0 and at.imag == 0 and abs(at.real) < 2**53 and at.real == int(at.real)
    return _Value(at, 0 if exact else off + abs(at) * _EPSILON)


def clearly_differ(one: str, other: str) -> bool:
    """Whether two expressions certainly have different values where all variables are positive."""
    first, second = _estimate(one), _estimate(other)
    if first is None or second is None:
        return False
    return abs(first.at - second.at) > 2 * (first.off + second.off) + 1e-9 * max(abs(first.at), abs(second.at))


def value(text: str) -> float | None:
    """The value of a real constant, in about ten digits; None if it is anything else or cannot be told."""
    found = None if re.search(r"(?<![a-zA-Z\\])(?!e(?![a-zA-Z]))[a-zA-Z]", text) else _estimate(text)
    return found.at.real if found and found.at.imag == 0 and found.off <= 1e-9 * abs(found.at) else None


@lru_cache(maxsize=20_000)
def _estimate(text: str) -> _Value | None:
    """The value of an expression where each variable has a value of its own between 1 and 2."""
    if len(text) > LONGEST:
        return None
    tokens, place = [], 0
    while token := _TOKEN.match(text, place):
        tokens.append(token[0].strip())
        place = token.end()
    words = re.findall(r"(?<![a-zA-Z\\])[a-zA-Z]{2,}", text)
    if text[place:].strip() or any(len(w) > 2 or units.is_measure(units.name_of(w)) for w in words):
        return None
    try:
        reader = _Reader(tokens)
        value = reader.sum()
    except (_UnsureError, ArithmeticError, ValueError, RecursionError):
        return None
    return value if not reader.tokens and math.isfinite(value.off) else None


class _Reader:
    """Reads a list of tokens from its beginning, and takes away what it has read."""

    def __init__(self, tokens: list[str]) -> None:
        self.tokens = tokens[::-1]

    def next(self) -> str:
        return self.tokens[-1] if self.tokens else ""

    def take(self, *expected: str) -> str:
        if not self.tokens or (expected and self.tokens[-1] not in expected):
            raise _UnsureError
        return self.tokens.pop()

    def sum(self) -> _Value:
        total = _Value(0, 0)
        while True:
            sign = self.take() if self.next() in ("+", "-") else "+"
            total += self.product() * _Value(-1 if sign == "-" else 1, 0)
            if self.next() not in ("+", "-"):
                return total

    def product(self) -> _Value:
        value, before = self.power(), ""
        while self.next() and self.next() not in ("+", "-", ")", "}", "]"):
            sign = self.take() if self.next() in ("*", "/", "\\cdot", "\\times") else ""
            if sign == "" and (before == "/" or self.next()[0].isdigit()):  # 1/2x is a half of x, or what 2x divides
                raise _UnsureError
            factor = self.power()
            value, before = value * (factor.inverse() if sign == "/" else factor), sign
        return value

    def power(self) -> _Value:
        base = self.atom()
        if self.next() != "^":
            return base
        self.take()
        exponent = self.group("{", "}") if self.next() == "{" else self.atom()
        if self.next() == "^":
            raise _UnsureError
        return base.power(exponent)

    def group(self, left: str, right: str) -> _Value:
        self.take(left)
        value = self.sum()
        self.take(right)
        return value

    def atom(self) -> _Value:
        token = self.next()
        if token in ("(", "{"):
            return self.group(token, ")" if token == "(" else "}")
        self.take()
        if token[:1].isdigit() or token[:1] == ".":
            if self.next() == "\\frac":  # a mixed number
                raise _UnsureError
            return _Value(float(token), 0 if "." not in token and len(token) < 16 else float(token) * _EPSILON)
        if token == "\\frac":
            top = self.group("{", "}")
            return top * self.group("{", "}").inverse()
        if token == "\\sqrt":
            return self.root()
        if token in _FUNCTIONS:
            return self.function(token)
        return _constant(token)

    def root(self) -> _Value:
        degree = self.group("[", "]") if self.next() == "[" else _Value(2, 0)
        return self.group("{", "}").power(degree.inverse())

    def function(self, name: str) -> _Value:
        """A function of what stands in brackets, or of one thing with nothing behind it that might belong to it."""
        base, power = None, None
        if name == "\\log":
            self.take("_")
            base = self.group("{", "}") if self.next() == "{" else self.atom()
        elif self.next() == "^":
            self.take()
            power = self.group("{", "}") if self.next() == "{" else self.atom()
            if power.at not in (2, 3, 4):
                raise _UnsureError
        bracketed = self.next() in ("(", "{")
        result = _FUNCTIONS[name](self.atom())
        if self.next() == "^" or not (bracketed or self.next() in ("", "+", "-", ")", "}", "]")):
            raise _UnsureError
        if base:
            return result * _logarithm(base).inverse()
        return result.power(power) if power else result


def _wave(function: Callable[[float], float]) -> Callable[[_Value], _Value]:
    """Sine or cosine of a real number."""

    def of(angle: _Value) -> _Value:
        if angle.at.imag:
            raise _UnsureError
        return _Value(function(angle.at.real), angle.off + _EPSILON * (1 + abs(angle.at)))

    return of


_SINE, _COSINE = _wave(math.sin), _wave(math.cos)


def _logarithm(of: _Value) -> _Value:
    if of.at.imag or of.at.real <= 2 * of.off:
        raise _UnsureError
    return _Value(math.log(of.at.real), 2 * of.off / of.at.real + _EPSILON)


_FUNCTIONS: dict[str, Callable[[_Value], _Value]] = {
    "\\sin": _SINE,
    "\\cos": _COSINE,
    "\\tan": lambda angle: _SINE(angle) * _COSINE(angle).inverse(),
    "\\ln": _logarithm,
    "\\log": _logarithm,
}


def _constant(name: str) -> _Value:
    match name:
        case "\\pi":
            return _Value(math.pi, _EPSILON)
        case "e":
            return _Value(math.e, _EPSILON)
        case "i":
            return _Value(1j, 0)
    if name in ("I", "E") or not re.match(r"\\?[a-zA-Z]", name):
        raise _UnsureError
    plain = re.sub(r"[{}]", "", name).lower()
    return _Value(1 + crc32(plain.encode()) % 9973 / 10_000, 1e-15)
