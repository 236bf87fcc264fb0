"""SAT-Math of AGIEval, in either of the two forms in which it is passed on.

AGIEval's own files:

    {"question": "…", "options": ["(A)2", "(B)4", …], "label": "D", …}

and the hub's copy, which puts the whole prompt into one column:

    {"query": "Q: … Answer Choices: (A)2 (B)4 …\\nA: Among A through D, the answer is",
     "choices": ["(A)2", "(B)4", …], "gold": [3]}
"""

import re
from typing import Any

import datasets


def process_docs(rows: datasets.Dataset) -> datasets.Dataset:
    """Leaves `question`, `options` and `letter`, the same from both forms."""
    columns = rows.column_names
    return rows.map(_from_query if "query" in columns else _from_agieval, remove_columns=columns)


def _from_agieval(row: dict[str, Any]) -> dict[str, Any]:
    return {"question": row["question"], "options": _bare(row["options"]), "letter": row["label"]}


def _from_query(row: dict[str, Any]) -> dict[str, Any]:
    question = row["query"].removeprefix("Q: ").rpartition(" Answer Choices:")[0]
    return {"question": question, "options": _bare(row["choices"]), "letter": "ABCD"[row["gold"][0]]}


def _bare(options: list[str]) -> list[str]:
    return [re.sub(r"^\([A-D]\)\s*", "", option) for option in options]
