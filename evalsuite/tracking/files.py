"""The files of a stored run that go to MLflow: everything but the text of gated tasks."""

import json
from pathlib import Path

from evalsuite.evaluate.run import Run, verdict_file
from evalsuite.rollouts import jsonl, store
from evalsuite.tracking.record import Upload

OPEN_PART = "without-gated"


def uploads(run: Run) -> tuple[Upload, ...]:
    """The run's files, in the same folders as there; where tasks are gated, copies without their text."""
    files = [run.folder / name for name in (store.ITEMS, store.PROMPTS, store.ROLLOUTS)]
    if run.grader:
        files.append(verdict_file(run.folder, run.grader))
    gated = {task["name"] for task in run.manifest["tasks"] if task["gated"]}
    if gated:
        files = [_without_gated(run, file, gated) for file in files]
    return tuple(placed(file, run.folder) for file in (run.folder / store.MANIFEST, *files))


def placed(path: Path, folder: Path) -> Upload:
    """The file in the same folder among MLflow's artifacts as it has below `folder`."""
    place = path.parent.relative_to(folder)
    return Upload(path, str(place) if place.parts else "")


def _without_gated(run: Run, file: Path, gated: set[str]) -> Path:
    task_of = {protocol.cell: protocol.task for protocol in run.protocols}
    kept = [r for r in jsonl.read(file) if (r.get("task") or task_of[r["cell"]]) not in gated]
    copy = run.folder / OPEN_PART / file.relative_to(run.folder)
    jsonl.write_whole(copy, "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in kept))
    return copy
