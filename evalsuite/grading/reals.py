r"""Sets of reals as far as they need no parser: intervals, unions of them, and chains of inequalities."""

import re
from dataclasses import dataclass
from math import inf

from evalsuite.grading.estimate import value
from evalsuite.grading.shapes import split


@dataclass(frozen=True, slots=True)
class Interval:
    """An interval as it is written: its brackets in one string, and its ends."""

    brackets: str
    ends: tuple[str, str]


def union(text: str) -> list[Interval]:
    r"""The intervals that a text joins by \cup; none if there is anything else in it."""
    found = []
    for piece in text.split("\\cup"):
        piece = piece.strip()
        ends = split(piece[1:-1])
        if piece[:1] not in ("(", "[") or piece[-1:] not in (")", "]") or len(ends) != 2:
            return []
        found.append(Interval(piece[0] + piece[-1], (ends[0], ends[1])))
    return found


def apart(one: list[Interval], other: list[Interval]) -> bool:
    """Whether one union certainly begins or ends elsewhere than the other."""
    hull, own = _hull(one), _hull(other)
    if hull is None or own is None:
        return False
    return not all(a == b or abs(a - b) <= 1e-6 * max(abs(a), abs(b)) < inf for a, b in zip(hull, own, strict=True))


def _hull(intervals: list[Interval]) -> tuple[float, float] | None:
    ends = [_end(end) for interval in intervals for end in interval.ends]
    known = [end for end in ends if end is not None]
    return (min(known), max(known)) if known and len(known) == len(ends) else None


def _end(text: str) -> float | None:
    infinite = re.fullmatch(r"([+-]?) ?\\infty ?", text)
    return float(f"{infinite[1]}inf") if infinite else value(text)


def chain(text: str) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """The members and the relations of a chain "a < b < c", from small to large; None if it is no chain."""
    pieces = re.split(r"(<|>|\\leq|\\geq)", text)
    members, relations = tuple(p.strip() for p in pieces[::2]), tuple(pieces[1::2])
    if len(relations) < 2:
        return None
    if set(relations) <= {">", "\\geq"}:
        return members[::-1], tuple({">": "<", "\\geq": "\\leq"}[r] for r in relations[::-1])
    return members, relations
