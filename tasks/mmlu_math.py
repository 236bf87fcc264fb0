"""MMLU-math: five subjects of MMLU as one task.

One row:

    {"question": "…", "subject": "abstract_algebra", "choices": ["0", "4", "2", "6"], "answer": 1}
"""

from typing import Any

import datasets

SUBJECTS = (
    "abstract_algebra",
    "college_mathematics",
    "elementary_mathematics",
    "high_school_mathematics",
    "high_school_statistics",
)


def subjects(revision: str, **_: Any) -> datasets.DatasetDict:
    """The subjects from the hub, one after the other. lm-eval passes the task's metadata too."""
    parts = [datasets.load_dataset("cais/mmlu", subject, revision=revision) for subject in SUBJECTS]
    return datasets.DatasetDict(
        {
            split: datasets.concatenate_datasets([part[split] for part in parts])
            for split in ("test", "validation", "dev")
        }
    )


def process_docs(rows: datasets.Dataset) -> datasets.Dataset:
    """Adds `options` and `letter`."""
    return rows.map(lambda row: {"options": row["choices"], "letter": "ABCD"[row["answer"]]})
