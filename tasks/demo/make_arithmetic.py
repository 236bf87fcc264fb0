"""Write the rows of `demo_arithmetic`: generated sums of graded difficulty, which no model can have memorised.

    python tasks/demo/make_arithmetic.py

The same seed writes the same files. Level L has operands of up to L digits, and 1 to L steps.
"""

import json
import random
from pathlib import Path

SEED = 20260101
LEVELS = (1, 2, 3, 4)
TEST_ROWS = 40
DEV_ROWS = 8


def expression(level: int, steps: int, draw: random.Random) -> str:
    """An expression of `steps` operations on numbers of up to `level` digits; a factor has one digit."""
    largest = 10**level - 1
    text = str(draw.randint(2, largest))
    for _ in range(steps):
        operator = draw.choice("+-*")
        text += f" {operator} {draw.randint(2, 9 if operator == '*' else largest)}"
    return text


def value(text: str) -> int:
    """The value of a flat expression of +, - and *: products first, then sums from left to right."""
    total = 0
    for term in text.replace("- ", "+ -").split("+ "):
        product = 1
        for factor in term.split("*"):
            product *= int(factor)
        total += product
    return total


def rows(count: int, draw: random.Random, taken: set[str]) -> list[dict[str, str | int]]:
    """`count` different rows, the levels in turn; `taken` grows by their expressions."""
    made: list[dict[str, str | int]] = []
    while len(made) < count:
        level = LEVELS[len(made) % len(LEVELS)]
        text = expression(level, 1 + len(made) // len(LEVELS) % level, draw)
        if text not in taken:
            taken.add(text)
            made.append({"question": f"What is {text}?", "answer": str(value(text)), "level": level})
    return made


def write(path: Path, made: list[dict[str, str | int]]) -> None:
    """One JSON object a line."""
    path.write_text("".join(json.dumps(row) + "\n" for row in made))


if __name__ == "__main__":
    here, draw, taken = Path(__file__).parent, random.Random(SEED), set[str]()
    write(here / "arithmetic.jsonl", rows(TEST_ROWS, draw, taken))
    write(here / "arithmetic_dev.jsonl", rows(DEV_ROWS, draw, taken))
