"""A task of the user's own, with its rows in a local mirror."""

import json
from pathlib import Path
from typing import Any

import yaml

Rows = list[dict[str, Any]]


def sums(*numbers: int) -> Rows:
    return [{"question": f"What is {n} plus one?", "answer": str(n + 1)} for n in numbers]


def write_task(folder: Path, name: str, rows: Rows, dev_rows: Rows | None = None, **metadata: Any) -> None:
    """The task file in `folder`, its rows in `folder/data`."""
    config = {
        "task": name,
        "dataset_path": f"nobody/{name}",
        "test_split": "test",
        "output_type": "generate_until",
        "doc_to_text": "{{question}}",
        "doc_to_target": "answer",
        "metadata": {"kind": "number", "question": "question", "dev": {"split": "train"}} | metadata,
    }
    data = folder / "data" / name
    data.mkdir(parents=True)
    (folder / f"{name}.yaml").write_text(yaml.safe_dump(config))
    for split, content in (("test", rows), ("train", dev_rows or [])):
        (data / f"{split}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in content))
