"""GPQA: four answers, the right one in a column of its own. The set is gated: its text is never to be shown.

One row:

    {"Question": "…", "Correct Answer": "…", "Incorrect Answer 1": "…", "Incorrect Answer 2": "…", …}
"""

import hashlib
from typing import Any

import datasets

ANSWERS = ("Correct Answer", "Incorrect Answer 1", "Incorrect Answer 2", "Incorrect Answer 3")


def process_docs(rows: datasets.Dataset) -> datasets.Dataset:
    """Leaves `question`, `options` and `letter`."""
    return rows.map(_choice, remove_columns=rows.column_names)


def _choice(row: dict[str, Any]) -> dict[str, Any]:
    question = row["Question"].strip()
    answers = [row[column].strip() for column in ANSWERS]
    # Ordered by a hash over question and answer: no position says which is right, and every run sees the same order.
    order = sorted(range(len(answers)), key=lambda i: _hash(question, answers[i]))
    return {"question": question, "options": [answers[i] for i in order], "letter": "ABCD"[order.index(0)]}


def _hash(*texts: str) -> str:
    return hashlib.sha256("\n".join(" ".join(text.split()) for text in texts).encode()).hexdigest()
