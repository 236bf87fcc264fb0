"""An eval's run in MLflow: its settings, numbers, data and files."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from evalsuite.evaluate.run import Run
from evalsuite.protocol import Protocol
from evalsuite.report.summary import Summary
from evalsuite.report.tables import markdown, summary_json
from evalsuite.tracking.files import uploads
from evalsuite.tracking.log import log
from evalsuite.tracking.numbers import hashes, settings, summary_metrics
from evalsuite.tracking.record import Dataset, Record, Upload, params, tags


def track_run(run: Run, summary: Summary, results: Path) -> str:
    """Log a run and return the MLflow run's id; logging it again does nothing, or updates what changed.

    Raises:
        TrackingAwayError: MLflow did not take it; `evalsuite track` does it later.
    """
    manifest = run.manifest
    complete = summary.suite.complete if summary.suite else all(row.complete for row in summary.tasks)
    record = run_record(
        summary,
        run.protocols,
        experiment=experiment(manifest["suite"]),
        more_tags=origin(manifest) | {"complete": complete},
        more_params={"checkpoint": manifest["checkpoint"]["name"], "suite": manifest["suite"] or ""},
        artifacts=uploads(run),
        datasets=datasets(manifest),
    )
    return log(record, run.folder, results)


def run_record(
    summary: Summary,
    protocols: Sequence[Protocol],
    *,
    experiment: str,
    more_tags: Mapping[str, Any],
    more_params: Mapping[str, Any],
    artifacts: Sequence[Upload],
    datasets: Sequence[Dataset],
) -> Record:
    """The summary becomes metrics and tables, the protocols become parameters; what all share is named once."""
    return Record(
        experiment=experiment,
        name=summary.run,
        params=params(settings(protocols) | dict(more_params)),
        metrics=summary_metrics(summary),
        tags=tags(hashes(protocols) | dict(more_tags)),
        table=markdown(summary),
        data={"table.json": summary_json(summary)},
        datasets=tuple(datasets),
        artifacts=tuple(artifacts),
    )


def experiment(suite: str | None, kind: str = "") -> str:
    """One experiment a suite and kind: scores of sweeps and gains stand in none of the columns of scored runs."""
    return "-".join(part for part in (suite or "tasks", kind) if part)


def origin(manifest: Mapping[str, Any]) -> dict[str, str]:
    """Tags that say which weights gave the answers, and what asked for them."""
    checkpoint = manifest["checkpoint"]
    return {
        "checkpoint": checkpoint["name"],
        "checkpoint.sha256": checkpoint["sha256"],
        "run.identity": manifest["identity"],
        "evalsuite": manifest["versions"]["evalsuite"],
        "command": manifest["command"],
    }


def datasets(manifest: Mapping[str, Any]) -> tuple[Dataset, ...]:
    """The tasks' data, by hash."""
    return tuple(Dataset(task["name"], task["sha256"], task["origin"]) for task in manifest["tasks"])
