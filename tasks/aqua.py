"""AQuA: options carry their letters in the source, and evalsuite keeps options bare.

One row:

    {"question": "…", "options": ["A)21", "B)21.5", …], "rationale": "…", "correct": "A"}
"""

import re
from typing import Any

import datasets


def process_docs(rows: datasets.Dataset) -> datasets.Dataset:
    """Adds `letter` and takes the letters off the options."""
    return rows.map(_bare)


def _bare(row: dict[str, Any]) -> dict[str, Any]:
    options = [re.sub(r"^[A-E]\)\s*", "", option) for option in row["options"]]
    return {"options": options, "letter": row["correct"]}
