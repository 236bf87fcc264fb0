"""MLflow: a run's settings, numbers, data and files, logged once, and kept for later where MLflow is away."""

import json
import logging
import os
import re
import time
import uuid
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from hashlib import file_digest
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from evalsuite.errors import RunError
from evalsuite.protocol import Protocol, digest
from evalsuite.report.summary import Summary, TaskRow
from evalsuite.report.tables import markdown, summary_json
from evalsuite.rollouts import jsonl
from evalsuite.stats.intervals import Estimate

STATE_FILE = "tracking.json"
KEY_TAG = "evalsuite.key"
"""Finds the MLflow run again, even where its answer to the request that made it was lost."""


class TrackingAwayError(RunError):
    """MLflow did not take the run; what there is to log is kept."""


def log_run(
    folder: Path,
    results: Path,
    summary: Summary,
    protocols: Sequence[Protocol],
    *,
    experiment: str,
    tags: Mapping[str, str],
    params: Mapping[str, str],
    artifacts: Sequence[Path],
    datasets: Sequence[tuple[str, str, str]],
) -> str:
    """Log a run to `MLFLOW_TRACKING_URI`, or else to a SQLite store in `results`, and return the MLflow run's id.

    `tracking.json` in `folder` says whether that is still to be done. Logging the same content again does nothing;
    changed content goes to the same MLflow run.

    Args:
        folder: the run's folder; `artifacts` below it keep their relative paths.
        results: where the SQLite store and its artifacts live.
        summary: becomes the metrics (fractions, not per cent), table.json and table.md.
        protocols: become the parameters; a setting that all share is named once.
        experiment: the MLflow experiment, one a suite.
        tags: more tags.
        params: more parameters.
        artifacts: files to upload; none of a gated task may be among them.
        datasets: task, sha256 over its items, and where they come from.

    Raises:
        TrackingAwayError: MLflow cannot be reached or refuses.
    """
    uri = os.environ.get("MLFLOW_TRACKING_URI") or f"sqlite:///{results.resolve() / 'mlflow.db'}"
    content = {
        "experiment": experiment,
        "summary": summary_json(summary),
        "metrics": metrics(summary),
        "params": {_allowed(k): str(v)[:500] for k, v in (_settings(protocols) | dict(params)).items()},
        "tags": {_allowed(k): str(v)[:5000] for k, v in (_hashes(protocols) | dict(tags)).items()},
        "datasets": [list(dataset) for dataset in datasets],
        "artifacts": [[path.name, _place(path, folder), _sha256(path)] for path in artifacts],
    }
    shown = without_password(uri)
    state = _read_state(folder)
    if state.get("uri") != shown:
        state = {"uri": shown, "key": uuid.uuid4().hex}
    if state.get("state") == "logged" and state["content"] == digest(content):
        return str(state["mlflow_run_id"])
    _write_state(folder, state | {"state": "pending"})
    try:
        run_id = _send(uri, results, state["key"], content, artifacts, markdown(summary))
    except Exception as error:  # MLflow lets through what requests, SQLAlchemy, drivers and the file system raise
        reason = _reason(error).replace(uri, shown)
        raise TrackingAwayError(
            f"MLflow at {shown} did not take the run ({reason}); nothing is lost: "
            f"log it later with `evalsuite track {folder}`"
        ) from error
    _write_state(folder, state | {"state": "logged", "mlflow_run_id": run_id, "content": digest(content)})
    return run_id


def metrics(summary: Summary) -> dict[str, float]:
    """Every number of the summary under a name that MLflow accepts, such as `gsm8k.accuracy_low`."""
    names = _names([(row.task, row.prompt, row.cell) for row in summary.tasks])
    found: dict[str, float | None] = {}
    for name, row in zip(names, summary.tasks, strict=True):
        found |= {f"{name}.{what}": value for what, value in _row_metrics(row).items()}
    if summary.suite:
        suite = _allowed(summary.suite.suite)
        average = _ends("accuracy", summary.suite.mean) | {
            "format_tax": summary.suite.format_tax,
            "tasks": len(summary.suite.tasks),
        }
        found |= {f"{suite}.{what}": value for what, value in average.items()}
    return {name: float(value) for name, value in found.items() if value is not None}


def _row_metrics(row: TaskRow) -> dict[str, float | None]:
    estimates = _ends("accuracy", row.accuracy) | _ends("strict", row.strict) | _ends("f1", row.score)
    shares = {"format_tax": row.format_tax, "cut_off": row.cut_off, "no_answer": row.no_answer}
    amounts = {name: getattr(row, name) for name in ("items", "done", "failed", "too_long", "unscored")}
    return {**estimates, **shares, **amounts}


def _ends(name: str, estimate: Estimate | None) -> dict[str, float | None]:
    if estimate is None:
        return {}
    return {name: estimate.value, f"{name}_low": estimate.low, f"{name}_high": estimate.high}


def _settings(protocols: Sequence[Protocol]) -> dict[str, str]:
    """What the protocols fix: one parameter for what all share, one a protocol where they differ."""
    columns = [{"prompt": p.prompt, "shots": p.shots, "items": p.n_items, **asdict(p.sampling)} for p in protocols]
    names = _protocol_names(protocols)
    settings: dict[str, str] = {}
    for what in columns[0] if columns else ():
        values = [str(column[what]) for column in columns]
        same = len(set(values)) == 1
        settings |= {what: values[0]} if same else {f"{n}.{what}": v for n, v in zip(names, values, strict=True)}
    return settings


def _hashes(protocols: Sequence[Protocol]) -> dict[str, str]:
    named = zip(_protocol_names(protocols), protocols, strict=True)
    return {
        f"{name}.{what}": value for name, p in named for what, value in (("protocol", p.hash), ("grader", p.grader))
    }


def _protocol_names(protocols: Sequence[Protocol]) -> list[str]:
    return _names([(p.task, p.prompt, p.cell) for p in protocols])


def _names(rows: Sequence[tuple[str, str, str]]) -> list[str]:
    """The shortest of task, task.prompt and task.prompt.cell that tells a row from the others."""
    tasks = Counter(task for task, _, _ in rows)
    prompts = Counter((task, prompt) for task, prompt, _ in rows)
    parts = [
        (task,) if tasks[task] == 1 else (task, prompt) if prompts[task, prompt] == 1 else (task, prompt, cell[:8])
        for task, prompt, cell in rows
    ]
    return [".".join(_allowed(part) for part in name) for name in parts]


def _allowed(name: str) -> str:
    """MLflow's names hold letters, digits, "_", "-", "." and little else; "@" and brackets are refused."""
    return re.sub(r"[^A-Za-z0-9_.-]", "_", name.replace("@", "_at_"))[:250]


def _send(uri: str, results: Path, key: str, content: dict[str, Any], artifacts: Sequence[Path], table: str) -> str:
    """Bring the MLflow run up to `content`. MLflow's parameters are write-once: a changed one becomes a tag."""
    _quiet()
    from mlflow import MlflowClient
    from mlflow.entities import Dataset, DatasetInput, InputTag, Metric, Param, RunTag

    client = MlflowClient(tracking_uri=uri)
    run = _find_or_make(client, results, key, content["experiment"], content["summary"]["run"])
    run_id: str = run.info.run_id
    now = int(time.time() * 1000)
    changed = {f"changed.{k}": v for k, v in content["params"].items() if run.data.params.get(k, v) != v}
    tags = {**content["tags"], **changed, "mlflow.note.content": table[:5000]}
    entries = {
        "params": [Param(k, v) for k, v in content["params"].items() if k not in run.data.params],
        "metrics": [Metric(k, v, now, 0) for k, v in content["metrics"].items()],
        "tags": [RunTag(k, v) for k, v in tags.items()],
    }
    for kind, listed in entries.items():
        for start in range(0, len(listed), 100):  # MLflow takes no more parameters or tags at once
            client.log_batch(run_id, **{kind: listed[start : start + 100]})
    inputs = [
        DatasetInput(
            # A digest has at most 36 characters there.
            Dataset(name=task, digest=sha256[:32], source_type="evalsuite", source=json.dumps({"source": source})),
            [InputTag("sha256", sha256)],
        )
        for task, sha256, source in content["datasets"]
    ]
    client.log_inputs(run_id, inputs)
    client.log_dict(run_id, content["summary"], "table.json")
    client.log_text(run_id, table, "table.md")
    for path, (_, place, _) in zip(artifacts, content["artifacts"], strict=True):
        client.log_artifact(run_id, str(path), place)
    client.set_terminated(run_id, "FINISHED")
    return run_id


def _find_or_make(client: Any, results: Path, key: str, experiment: str, name: str) -> Any:
    known = client.get_experiment_by_name(experiment)
    if known is None:
        # Left to itself, MLflow would put a local store's artifacts into the working directory.
        place = None if os.environ.get("MLFLOW_TRACKING_URI") else (results.resolve() / "mlartifacts").as_uri()
        experiment_id = client.create_experiment(experiment, artifact_location=place)
    else:
        experiment_id = known.experiment_id
    runs = client.search_runs([experiment_id], f"tags.`{KEY_TAG}` = '{key}'", max_results=1)
    return runs[0] if runs else client.create_run(experiment_id, run_name=name, tags={KEY_TAG: key})


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


def _place(path: Path, folder: Path) -> str | None:
    """The folder among MLflow's artifacts; None is the top."""
    parent = path.parent.relative_to(folder) if path.is_relative_to(folder) else Path()
    return str(parent) if parent.parts else None


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


def _reason(error: BaseException) -> str:
    """One line; where the network or the disk is at fault, theirs, as MLflow's own repeats it at length."""
    below = error
    while deeper := below.__cause__ or below.__context__:
        below = deeper
    return str(below if isinstance(below, OSError) else error).strip().split("\n")[0][:160]


def without_password(uri: str) -> str:
    """A tracking URI that can be shown."""
    return uri.replace(f"{user}@", "") if (user := urlsplit(uri).netloc.rpartition("@")[0]) else uri


def _read_state(folder: Path) -> dict[str, Any]:
    file = folder / STATE_FILE
    state: dict[str, Any] = json.loads(file.read_text()) if file.exists() else {}
    return state


def _write_state(folder: Path, state: dict[str, Any]) -> None:
    jsonl.write_whole(folder / STATE_FILE, json.dumps(state, indent=2) + "\n")
