"""MATH, training split: the answer is the last box of the worked solution.

One row:

    {"problem": "…", "level": "Level 5", "type": "Algebra", "solution": "… the answer is $\\boxed{0}$."}
"""

import datasets

BOX = "\\boxed"


def process_docs(rows: datasets.Dataset) -> datasets.Dataset:
    """Adds `answer`. Two rows, whose authors left the box empty, are no use as examples: they are left out."""
    return rows.map(lambda row: {"answer": last_box(row["solution"])}).filter(lambda row: row["answer"] != "")


def last_box(solution: str) -> str:
    """What stands in the last `\\boxed{…}`, braces balanced, or behind a `\\boxed ` without braces."""
    start = solution.rindex(BOX) + len(BOX)
    if solution[start] != "{":
        return solution[start:].split("$")[0].strip()
    depth = 0
    for end in range(start, len(solution)):
        depth += {"{": 1, "}": -1}.get(solution[end], 0)
        if depth == 0:
            return solution[start + 1 : end]
    raise ValueError(f"unbalanced box: {solution[start : start + 80]!r}")
