"""GSM8K: the source keeps the worked solution and the answer in one column.

One row:

    {"question": "…", "answer": "He pays 2*$3=$<<2*3=6>>6.\\n#### 6"}
"""

import re
from typing import Any

import datasets


def process_docs(rows: datasets.Dataset) -> datasets.Dataset:
    """Leaves `question`, `solution` without the calculator's marks, and `number` without thousands separators."""
    return rows.map(_split, remove_columns=["answer"])


def _split(row: dict[str, Any]) -> dict[str, Any]:
    solution, _, number = row["answer"].rpartition("####")
    return {"solution": re.sub(r"<<.*?>>", "", solution).strip(), "number": number.strip().replace(",", "")}
