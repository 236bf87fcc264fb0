"""The SAT of May 2023: four options in one string, marked either "A)" or "A.".

One row:

    {"id": "0", "question": "…", "options": "A) 45 B) 55 C) 70 D) 79", "Answer": "A"}
"""

import re
from typing import Any

import datasets

OPTIONS = re.compile(r"A([).])\s*(.*?)\s+B\1\s*(.*?)\s+C\1\s*(.*?)\s+D\1\s*(.*)", re.DOTALL)


def process_docs(rows: datasets.Dataset) -> datasets.Dataset:
    """Leaves `question`, `options` and `letter`."""
    return rows.map(_split, remove_columns=rows.column_names)


def _split(row: dict[str, Any]) -> dict[str, Any]:
    found = OPTIONS.fullmatch(row["options"].strip())
    if found is None:
        raise ValueError(f"row {row['id']}: not four options: {row['options']!r}")
    return {"question": row["question"], "options": list(found.groups()[1:]), "letter": row["Answer"]}
