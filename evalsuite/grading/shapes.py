"""The outer form of an answer, and the parts in it."""

import re
from dataclasses import dataclass
from enum import Enum, auto


class Form(Enum):
    """The outer form of an answer; REALS are intervals, unions and inequalities."""

    SINGLE = auto()
    LIST = auto()
    TUPLE = auto()
    SET = auto()
    RATIO = auto()
    MATRIX = auto()
    REALS = auto()


@dataclass(frozen=True, slots=True)
class Shape:
    """The outer form of an answer and the parts in it; `rows` is the number of rows of a matrix."""

    form: Form
    parts: tuple[str, ...]
    rows: int = 1


def shape(text: str) -> Shape:
    """The outer form of a normalised answer, and its parts."""
    text = text.strip()
    if matrix := re.fullmatch(r"\\begin\{([bpvBV]?matrix)\}(.*)\\end\{\1\}", text, re.DOTALL):
        rows = [row for row in re.split(r"\\\\", matrix[2]) if row.strip()]
        return Shape(Form.MATRIX, tuple(cell.strip() for row in rows for cell in row.split("&")), len(rows))
    if builder := re.fullmatch(r"\\\{ ?[a-z](?: ?\\in ?\\mathbb ?\{R\})? ?(?:\\mid|[|:])(.*)\\\}", text):
        return shape(builder[1])
    if re.search(r"\\cup|\\cap|\\setminus|\\leq|\\geq|\\neq|[<>]|\\infty\s*[)\]]", text):
        return Shape(Form.REALS, (text,))
    parts = tuple(signed for part in split(text) for signed in _with_each_sign(part))
    if len(parts) > 1:
        return Shape(Form.LIST, parts)
    ratio = split(re.sub(r"\A(\S+) to (\S+)\Z", r"\1:\2", text), ":")
    if len(ratio) > 1:
        return Shape(Form.RATIO, ratio)
    return _bracketed(text)


def _with_each_sign(text: str) -> tuple[str, ...]:
    r"""The values that \\pm stands for; where there is a \\mp the signs belong together."""
    if r"\mp" in text:
        return tuple(text.replace(r"\pm", one).replace(r"\mp", other) for one, other in ("+-", "-+"))
    before, sign, behind = text.partition(r"\pm")
    if not sign:
        return (text,)
    return tuple(f"{before}{one}{rest}" for one in "+-" for rest in _with_each_sign(behind))


def _bracketed(text: str) -> Shape:
    if text.startswith("\\{") and text.endswith("\\}"):
        return Shape(Form.SET, split(text[2:-2]))
    if not (text[:1] in ("(", "[") and text[-1:] in (")", "]")) or _closes(text) != len(text) - 1:
        return Shape(Form.SINGLE, (text,))
    parts = split(text[1:-1])
    if len(parts) == 1:
        return Shape(Form.SINGLE, (text,))
    if text[0] == "(" and text[-1] == ")":
        return Shape(Form.TUPLE, parts)
    rows = [split(part[1:-1]) for part in parts if part[0] == "[" and part[-1] == "]"]
    if len(rows) == len(parts) and len({len(row) for row in rows}) == 1:
        return Shape(Form.MATRIX, tuple(cell for row in rows for cell in row), len(rows))
    return Shape(Form.REALS, (text,)) if len(parts) == 2 else Shape(Form.LIST, parts)


def _closes(text: str) -> int:
    """Where the bracket that opens `text` is closed; brackets of either kind close each other, as in [1, 2)."""
    depth = 0
    for position, char in enumerate(text):
        depth += (char in "([") - (char in ")]")
        if depth == 0:
            return position
    return -1


def split(text: str, separators: str = ",;") -> tuple[str, ...]:
    """The parts between separators outside of all brackets; commas within numbers ("1,234") do not separate."""
    text = re.sub(r"(?<![\d,])(\d{1,3}(?:,\d{3})+)(?!,?\d)", lambda m: m[1].replace(",", ""), text)
    parts, depth, start = [], 0, 0
    for position, char in enumerate(text):
        depth += (char in "([{") - (char in ")]}")
        if char in separators and depth == 0:
            parts.append(text[start:position].strip())
            start = position + 1
    parts.append(text[start:].strip())
    return tuple(part for part in parts if part)
