"""Fill a local mirror: a task's splits from the hub, at the pinned revision, as JSONL in the hub's own columns."""

import json
import os
from pathlib import Path

from evalsuite.catalog import source
from evalsuite.catalog.tasks import Task
from evalsuite.errors import RequestError


def fetch(task: Task, data_dir: Path) -> tuple[Path, ...]:
    """Fetch what the mirror lacks of a task: the split that is asked, and its dev split. Returns the new files."""
    if task.comes_with_its_file:
        return ()
    splits = [task.split] + ([task.dev.split] if task.dev and task.dev.split else [])
    missing = [split for split in splits if _lacks(task, split, data_dir)]
    if missing and not source.hub_answers():
        raise RequestError(
            f"{task.name}: no connection to the hub; run this where there is network, then copy {data_dir} here"
        )
    return tuple(_fetch_split(task, split, data_dir) for split in missing)


def _lacks(task: Task, split: str, data_dir: Path) -> bool:
    file = source.mirror_file(task, split, data_dir)
    # A file under another name than `SPLIT.jsonl` may be a sample of the split; a pin would tell.
    return file is None or (task.sha256 is None and not Path(file).name.startswith(f"{split}.jsonl"))


def _fetch_split(task: Task, split: str, data_dir: Path) -> Path:
    rows = source.open_split(task, split, None).dataset[split]
    target = data_dir / task.name / f"{split}.jsonl"
    target.parent.mkdir(parents=True, exist_ok=True)
    unfinished = target.with_name(f".{target.name}.{os.getpid()}")
    with unfinished.open("w", encoding="utf-8") as lines:
        for row in rows:
            lines.write(json.dumps(row, ensure_ascii=False) + "\n")
        lines.flush()
        os.fsync(lines.fileno())
    unfinished.replace(target)
    return target
