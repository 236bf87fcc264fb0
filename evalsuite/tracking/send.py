"""The only part that speaks to MLflow: it brings a run and its children up to a record."""

import json
import logging
import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from evalsuite.tracking.record import Child, Record

KEY_TAG = "evalsuite.key"
"""Finds an MLflow run again, even where its answer to the request that made it was lost."""
PARENT_TAG = "mlflow.parentRunId"
AT_ONCE = 100
"""MLflow takes no more parameters or tags in one request."""


def send(record: Record, key: str, uri: str, local_artifacts: Path | None) -> str:
    """Bring the MLflow run with this key up to the record, or make it; returns its id. Only differences are sent.

    Args:
        record: what the run is to hold.
        key: of the run; its children's keys begin with it.
        uri: of the tracking server or store.
        local_artifacts: where a local store is to keep artifacts; None leaves that to the server.

    Raises:
        Exception: whatever MLflow and what is below it raise.
    """
    _quiet()
    from mlflow import MlflowClient

    client = MlflowClient(tracking_uri=uri)
    experiment = _experiment(client, record.experiment, local_artifacts)
    held = _search(client, experiment, KEY_TAG, key)
    run = held[0] if held else client.create_run(experiment, run_name=record.name, tags={KEY_TAG: key})
    run_id: str = run.info.run_id
    about = {"mlflow.runName": record.name, "mlflow.note.content": record.table[:5000]}
    _update(client, run, record.params, record.metrics, record.tags | about)
    _send_children(client, experiment, run_id, key, record.children)
    client.log_inputs(run_id, _inputs(record))
    for name, data in record.data.items():
        client.log_dict(run_id, data, name)
    client.log_text(run_id, record.table, "table.md")
    for upload in record.artifacts:
        client.log_artifact(run_id, str(upload.path), upload.place or None)
    client.set_terminated(run_id, "FINISHED")
    return run_id


def _send_children(client: Any, experiment: str, parent: str, key: str, children: tuple[Child, ...]) -> None:
    """All that are there are found by one search; those that changed cost one request, new ones three."""
    found = _search(client, experiment, PARENT_TAG, parent) if children else []
    held = {run.data.tags.get(KEY_TAG): run for run in found}
    for child in children:
        own_key = f"{key}.{child.key}"
        run = held.get(own_key) or client.create_run(
            experiment, run_name=child.name, tags={PARENT_TAG: parent, KEY_TAG: own_key, **child.tags}
        )
        _update(client, run, child.params, child.metrics, child.tags)
        if run.info.status != "FINISHED":
            client.set_terminated(run.info.run_id, "FINISHED")


def _update(
    client: Any, run: Any, params: Mapping[str, str], metrics: Mapping[str, float], tags: Mapping[str, str]
) -> None:
    """Log what the run does not say already. MLflow's parameters are write-once: a changed one becomes a tag."""
    from mlflow.entities import Metric, Param, RunTag

    now = int(time.time() * 1000)
    held = run.data
    changed = {f"changed.{name}": value for name, value in params.items() if held.params.get(name, value) != value}
    new_params = [Param(name, value) for name, value in params.items() if name not in held.params]
    new_tags = [RunTag(name, value) for name, value in {**tags, **changed}.items() if held.tags.get(name) != value]
    new_metrics = [Metric(name, value, now, 0) for name, value in metrics.items() if held.metrics.get(name) != value]
    for start in range(0, max(len(new_params), len(new_metrics), len(new_tags)), AT_ONCE):
        part = slice(start, start + AT_ONCE)
        client.log_batch(run.info.run_id, new_metrics[part], new_params[part], new_tags[part])


def _inputs(record: Record) -> list[Any]:
    from mlflow.entities import Dataset, DatasetInput, InputTag

    return [
        DatasetInput(
            # A digest has at most 36 characters there.
            Dataset(name=task, digest=sha256[:32], source_type="evalsuite", source=json.dumps({"source": source})),
            [InputTag("sha256", sha256)],
        )
        for task, sha256, source in record.datasets
    ]


def _experiment(client: Any, name: str, local_artifacts: Path | None) -> str:
    known = client.get_experiment_by_name(name)
    if known is not None:
        return str(known.experiment_id)
    # Left to itself, MLflow would put a local store's artifacts into the working directory.
    place = local_artifacts.as_uri() if local_artifacts else None
    return str(client.create_experiment(name, artifact_location=place))


def _search(client: Any, experiment: str, tag: str, value: str) -> list[Any]:
    found, page = [], None
    while page is None or page.token:
        page = client.search_runs(
            [experiment], f"tags.`{tag}` = '{value}'", max_results=1000, page_token=page.token if page else None
        )
        found += page
    return found


def _quiet() -> None:
    """No waiting for minutes, no telemetry, nothing printed; what the user has set stays."""
    for name, value in {
        "MLFLOW_HTTP_REQUEST_MAX_RETRIES": "1",
        "MLFLOW_HTTP_REQUEST_TIMEOUT": "10",
        "MLFLOW_DISABLE_TELEMETRY": "true",
        "MLFLOW_ENABLE_ARTIFACTS_PROGRESS_BAR": "false",
        "MLFLOW_SUPPRESS_PRINTING_URL_TO_STDOUT": "true",
    }.items():
        os.environ.setdefault(name, value)
    import mlflow  # noqa: F401  (sets up the loggers that are silenced here)

    for logger in ("mlflow", "alembic", "urllib3.connectionpool"):
        logging.getLogger(logger).setLevel(logging.ERROR)
