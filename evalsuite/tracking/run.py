"""What of a stored run goes to MLflow: everything but the text of gated tasks."""

import json
from pathlib import Path

from evalsuite.evaluate.run import Run, verdict_file
from evalsuite.report.summary import Summary
from evalsuite.rollouts import jsonl, store
from evalsuite.tracking.log import log_run

OPEN_PART = "without-gated"


def track_run(run: Run, summary: Summary, results: Path) -> str:
    """Log a run and return the MLflow run's id; logging it again does nothing, or updates what changed.

    Raises:
        TrackingAwayError: MLflow did not take it; `evalsuite track` does it later.
    """
    manifest = run.manifest
    checkpoint = manifest["checkpoint"]
    return log_run(
        run.folder,
        results,
        summary,
        run.protocols,
        experiment=manifest["suite"] or "tasks",
        tags={
            "checkpoint": checkpoint["name"],
            "checkpoint.sha256": checkpoint["sha256"],
            "run.identity": manifest["identity"],
            "evalsuite": manifest["versions"]["evalsuite"],
            "command": manifest["command"],
            "complete": str(summary.suite.complete if summary.suite else all(row.complete for row in summary.tasks)),
        },
        params={"checkpoint": checkpoint["name"], "suite": manifest["suite"] or ""},
        artifacts=_files(run),
        datasets=[(task["name"], task["sha256"], task["origin"]) for task in manifest["tasks"]],
    )


def _files(run: Run) -> list[Path]:
    """The run's files; where tasks are gated, copies without their text."""
    names = [store.ITEMS, store.PROMPTS, store.ROLLOUTS]
    files = [run.folder / name for name in names]
    if run.grader:
        files.append(verdict_file(run.folder, run.grader))
    gated = {task["name"] for task in run.manifest["tasks"] if task["gated"]}
    if gated:
        files = [_without_gated(run, file, gated) for file in files]
    return [run.folder / store.MANIFEST, *files]


def _without_gated(run: Run, file: Path, gated: set[str]) -> Path:
    task_of = {protocol.cell: protocol.task for protocol in run.protocols}
    kept = [r for r in jsonl.read(file) if (r.get("task") or task_of[r["cell"]]) not in gated]
    copy = run.folder / OPEN_PART / file.relative_to(run.folder)
    jsonl.write_whole(copy, "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in kept))
    return copy
