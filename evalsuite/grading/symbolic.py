"""What math-verify's parser makes of an answer, compared as a mathematical object.

math-verify's own `verify` takes 1/2004! for 1/2006!, one line for another, a pair for a set and 1e-7 for 2e-7: it
rounds absolutely and zips what it should match. Here numbers are compared by their ratio and to many digits, and
functions at points. It is imported only where sympy is needed: sympy is slow to load.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import accumulate
from typing import Any

import sympy
from latex2sympy2_extended import NormalizationConfig, latex2sympy, normalize_latex
from latex2sympy2_extended.latex2sympy2 import ConversionConfig
from math_verify.grader import should_treat_as_complex
from sympy.core.function import AppliedUndef
from sympy.core.relational import Relational

from evalsuite.grading import units
from evalsuite.grading.magnitude import manageable
from evalsuite.grading.points import AGREE, at_points, close, differ_at_once, to_digits
from evalsuite.grading.shapes import Form, shape, split

# Its own treatment of units drops a last "t", as if tonnes were meant: cos 2t would be cos 2.
_FORM = NormalizationConfig(basic_latex=True, units=False, malformed_operators=True, nits=True, boxed="all")
# In lower case R^2 - r^2 would be zero.
_CASE = ConversionConfig(lowercase_symbols=False)

NOTHING = sympy.Float(10) ** -100
LONGEST, DEEPEST = 1_500, 30
MOST_DEGREE = 20

_PROSE = re.compile(r"(?<![a-zA-Z\\])[a-zA-Z]{3,} [a-zA-Z]{2,}")
_LAST_WORD = re.compile(r"(?<=[\s\d})])\s*((?:square |cubic |sq )?([A-Za-z]{2,}))\.?(?:\^\{?[23]\}?)?\s*\Z")


@lru_cache(maxsize=10_000)
def parse(text: str) -> Any | None:
    """The sympy object that an expression in TeX means, or None if it cannot be read."""
    if len(text) > LONGEST or _depth(text) > DEEPEST:
        return None
    parsable = _parsable(text)
    if _PROSE.search(parsable):  # it would be a product of its letters
        return None
    normal = normalize_latex(parsable, _FORM)
    try:
        parsed = latex2sympy(
            normal, is_real=not should_treat_as_complex(normal), normalization_config=None, conversion_config=_CASE
        )
    except Exception:  # it raises whatever its parts raise
        return None
    if not isinstance(parsed, sympy.Basic | sympy.MatrixBase):
        return None
    if "!!" in text:  # n!! is no factorial of a factorial
        parsed = parsed.xreplace(
            {f: sympy.factorial2(f.args[0].args[0]) for f in filter(_is_double, parsed.atoms(sympy.factorial))}
        )
    parsed = parsed.xreplace({d: sympy.Symbol(str(d)) for d in parsed.atoms(sympy.Derivative) if _opaque(d)})
    return _exact(parsed) if manageable(parsed) else parsed


def _depth(text: str) -> int:
    return max(accumulate((char in "([{") - (char in ")]}") for char in text), default=0)


def readings(wanted: str, said: str) -> Iterator[tuple[str, str]]:
    r"""Two expressions in each sense that they may have together.

    A bare \log is natural or decimal, and 1/2x is a half of x or what x doubled divides.
    """
    yield wanted, said
    for pattern, sense in _SENSES:
        other = pattern.sub(sense, wanted), pattern.sub(sense, said)
        if other != (wanted, said):
            yield other


_SENSES = [
    (re.compile(r"\\log(?![a-zA-Z_ ]*_)"), r"\\ln "),
    (re.compile(r"(?<![\d.}])(\d+)/(\d+)(?=[a-zA-Z(\\])"), r"\\frac{\1}{\2}"),
]


def parse_reals(text: str) -> Any | None:
    r"""A set of reals: pieces joined by \cup, and without what stands behind each \setminus."""
    first, *taken = text.split("\\setminus")
    found = _united([_met(piece) for piece in first.split("\\cup")])
    for part in map(parse, taken):
        if found is None or not isinstance(part, sympy.Set):
            return None
        found = sympy.Complement(found, part)
    return found


def _met(text: str) -> Any | None:
    """What a list of conditions allows: all of them together or, where none could be, any: "x < -1, x > 1"."""
    pieces = split(text)
    if len(pieces) == 1 or all(shape(piece).form is not Form.REALS for piece in pieces):
        return parse(text)
    parsed = [parse(piece) for piece in pieces]
    if len({s.name for p in parsed if p is not None for s in p.free_symbols}) > 1:
        return None
    sets = [None if piece is None else _as_set(piece) for piece in parsed]
    if None in sets:
        return None
    met = sympy.Intersection(*sets)
    return _united(sets) if met.is_empty else met


def _united(pieces: list[Any | None]) -> Any | None:
    if len(pieces) == 1:
        return pieces[0]
    sets = [None if piece is None else _as_set(piece) for piece in pieces]
    return None if None in sets else sympy.Union(*sets)


def _parsable(text: str) -> str:
    """Without what math-verify's parser misreads: spaced thousands, and (1000)(26), which it takes for a sum.

    A unit behind the expression goes too; whether both sides name the same one is looked at before.
    """
    word = _LAST_WORD.search(text)
    if word and units.is_unit(word[1], glued=not word[0][0].isspace()):
        text = text[: word.start()]
    text = re.sub(r"(?<=\d) (?=\d{3}(?!\d))", "", text.rstrip("% "))
    text = re.sub(r"((?<![_^\d.])\d[\d.]*|\)) ?(?=\()", r"\1\\cdot ", text)
    return re.sub(r"(?<![\d,])(\d{1,3}(?:,\d{3})+)(?![\d,])", lambda m: m[1].replace(",", ""), text)


def _exact(parsed: Any) -> Any:
    """Decimals as the fractions that they are written as: 0.3333 is 3333/10000, not about a third."""
    if not isinstance(parsed, sympy.Basic):
        return parsed
    floats = {f: sympy.Rational(str(f)) for f in parsed.atoms(sympy.Float)}
    return parsed.xreplace(floats) if floats else parsed


def _opaque(derivative: Any) -> bool:
    """Whether nothing is known of what is derived: dy/dt, which would be zero."""
    return isinstance(derivative.expr, sympy.Symbol | AppliedUndef)


def _is_double(factorial: Any) -> bool:
    return isinstance(factorial.args[0], sympy.factorial)


def same_expression(gold: Any, answer: Any) -> bool:
    """Whether two expressions have the same free variables and the same value wherever they are tried."""
    if not (manageable(gold) and manageable(answer)):
        return bool(gold == answer)
    if isinstance(gold, sympy.Set) or isinstance(answer, sympy.Set):
        return same_reals(gold, answer)
    gold, answer = (x.doit() if isinstance(x, sympy.MatrixExpr) else x for x in (gold, answer))
    if isinstance(gold, sympy.MatrixBase) or isinstance(answer, sympy.MatrixBase):
        return _same_matrix(gold, answer)
    if isinstance(gold, Relational) or isinstance(answer, Relational):
        return same_equation(gold, answer)
    if not (isinstance(gold, sympy.Expr) and isinstance(answer, sympy.Expr)):
        return bool(gold == answer)
    gold, answer = _variables(gold, answer)
    if gold == answer:
        return True
    if differ_at_once(gold, answer):
        return False
    if not gold.free_symbols and not answer.free_symbols:
        return not (gold.is_Rational and answer.is_Rational) and _same_constant(gold, answer)
    values = at_points([gold, answer])
    return bool(values) and all(close(one, other) for one, other in values)


def _same_constant(gold: Any, answer: Any) -> bool:
    """Whether two constants differ by nothing, in proportion, to hundreds of digits: 10^50 is not 10^50 + 1."""
    one, other, difference = map(to_digits, (gold, answer, gold - answer))
    size = max(abs(one), abs(other))
    return bool(one.is_finite and other.is_finite and abs(difference) <= NOTHING * size)


def same_equation(gold: Any, answer: Any) -> bool:
    """Whether two equations say the same: equal up to a factor that is a number other than zero."""
    if not all(isinstance(x, sympy.Eq) and manageable(x) for x in (gold, answer)):
        return bool(gold == answer)
    differences = _variables(gold.lhs - gold.rhs, answer.lhs - answer.rhs)
    one, other = (sympy.fraction(sympy.together(difference))[0] for difference in differences)
    if one.free_symbols != other.free_symbols or not one.free_symbols:
        return False
    values = [(a, b) for a, b in at_points([one, other]) if abs(a) > AGREE and abs(b) > AGREE]
    return len(values) > 1 and all(close(a / b, values[0][0] / values[0][1]) for a, b in values[1:])


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
    if isinstance(reals, sympy.Expr):  # a variable among them, though sympy would take it for a condition
        return None if reals.free_symbols else sympy.FiniteSet(reals)
    if not manageable(reals) or any(p.exp.is_number and p.exp > MOST_DEGREE for p in reals.atoms(sympy.Pow)):
        return None
    if isinstance(reals, Relational | sympy.logic.boolalg.Boolean):
        symbols = {s: sympy.Symbol("x", real=True) for s in reals.free_symbols}
        return reals.xreplace(symbols).as_set()
    return None


def _same_relation(gold: Any, answer: Any) -> bool:
    """Inequalities in several variables: the same side of the same curve."""
    if not (isinstance(gold, Relational) and isinstance(answer, Relational)):
        return False
    gold, answer = gold.canonical, answer.canonical
    if gold.rel_op != answer.rel_op:
        answer = answer.reversed
    if gold.rel_op != answer.rel_op:
        return False
    values = at_points(_variables(gold.lhs - gold.rhs, answer.lhs - answer.rhs))
    ratios = [a / b for a, b in values if abs(b) > AGREE]
    return len(ratios) > 1 and all(close(r, ratios[0]) for r in ratios) and bool(sympy.re(ratios[0]) > 0)


def _same_matrix(gold: Any, answer: Any) -> bool:
    if not (isinstance(gold, sympy.MatrixBase) and isinstance(answer, sympy.MatrixBase)) or gold.shape != answer.shape:
        return False
    return all(same_expression(_exact(a), _exact(b)) for a, b in zip(gold, answer, strict=True))


def _variables(*expressions: Any) -> list[Any]:
    """Evaluated, with variables told apart by name alone, and a letter i or e as the constant that it is.

    Whether a name is in upper case counts only where one expression has the letter in both. A name before brackets is
    an unknown function where all have it, else a factor.
    """
    called = [e.atoms(AppliedUndef) for e in expressions]
    functions = set.intersection(*called)
    meanings = {f: sympy.Symbol(str(f)) for f in functions} | {
        f: sympy.Mul(sympy.Symbol(f.name), *f.args) for f in set.union(*called) - functions
    }
    plain = [e.xreplace(meanings) for e in expressions]
    cases = [{s.name for s in e.free_symbols} for e in plain]
    fold = all(len({name.lower() for name in names}) == len(names) for names in cases)
    return [_renamed(e, fold=fold) for e in plain]


def _renamed(expression: Any, *, fold: bool) -> Any:
    names = {s: s.name.lower() if fold else s.name for s in expression.free_symbols}
    return expression.xreplace({s: _CONSTANTS.get(name, sympy.Symbol(name)) for s, name in names.items()}).doit()


_CONSTANTS = {"i": sympy.I, "e": sympy.E}
