"""The rows of the demo tasks, which lie beside this file: `NAME.jsonl` to be asked, `NAME_dev.jsonl` for examples.

One row:

    {"question": "What is 7 + 5?", "answer": "12"}
"""

import json
from pathlib import Path
from typing import Any

import datasets

HERE = Path(__file__).parent


def splits(rows: str, **_: Any) -> datasets.DatasetDict:
    """Both splits of one demo task; `rows` is its NAME. lm-eval passes the task's metadata too."""
    return datasets.DatasetDict(
        {
            split: datasets.Dataset.from_list([json.loads(line) for line in file.read_text().splitlines()])
            for split, file in (("test", HERE / f"{rows}.jsonl"), ("dev", HERE / f"{rows}_dev.jsonl"))
        }
    )
