"""Logging a record once: what is to be done, and what is done, is in a note on disk."""

import json
import os
import uuid
from dataclasses import asdict
from hashlib import file_digest
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from evalsuite.errors import RunError
from evalsuite.protocol import digest
from evalsuite.rollouts import jsonl
from evalsuite.tracking.record import Record
from evalsuite.tracking.send import send

STATE_FILE = "tracking.json"


class TrackingAwayError(RunError):
    """MLflow did not take the record; what there is to log is kept."""


def log(record: Record, subject: Path, results: Path) -> str:
    """Log a record to `MLFLOW_TRACKING_URI`, or else to a SQLite store in `results`, and return the MLflow run's id.

    Logging the same content again does nothing; changed content goes to the same MLflow run.

    Args:
        record: what to log.
        subject: the folder or file that it is of, which `evalsuite track` logs later. `tracking.json` in the folder
            says whether that is still to be done; that of a file is in `.tracking` beside it, under the file's name.
        results: where the SQLite store and its artifacts live.

    Raises:
        TrackingAwayError: MLflow cannot be reached or refuses.
    """
    uri = os.environ.get("MLFLOW_TRACKING_URI") or f"sqlite:///{results.resolve() / 'mlflow.db'}"
    local_artifacts = None if os.environ.get("MLFLOW_TRACKING_URI") else results.resolve() / "mlartifacts"
    content = _content_hash(record)
    shown = without_password(uri)
    note = _note(subject)
    state = _read(note)
    if state.get("uri") != shown:
        state = {"uri": shown, "key": uuid.uuid4().hex}
    if state.get("state") == "logged" and state["content"] == content:
        return str(state["mlflow_run_id"])
    _write(note, state | {"state": "pending"})
    try:
        run_id = send(record, state["key"], uri, local_artifacts)
    except Exception as error:  # MLflow lets through what requests, SQLAlchemy, drivers and the file system raise
        reason = _reason(error).replace(uri, shown)
        raise TrackingAwayError(
            f"MLflow at {shown} did not take the run ({reason}); nothing is lost: "
            f"log it later with `evalsuite track {subject}`"
        ) from error
    _write(note, state | {"state": "logged", "mlflow_run_id": run_id, "content": content})
    return run_id


def without_password(uri: str) -> str:
    """A tracking URI that can be shown."""
    return uri.replace(f"{user}@", "") if (user := urlsplit(uri).netloc.rpartition("@")[0]) else uri


def _content_hash(record: Record) -> str:
    files = [[upload.path.name, upload.place, _sha256(upload.path)] for upload in record.artifacts]
    return digest(asdict(record) | {"artifacts": files})


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


def _reason(error: BaseException) -> str:
    """One line; where the network or the disk is at fault, theirs, as MLflow's own repeats it at length."""
    below = error
    while deeper := below.__cause__ or below.__context__:
        below = deeper
    return str(below if isinstance(below, OSError) else error).strip().split("\n")[0][:160]


def _note(subject: Path) -> Path:
    return subject / STATE_FILE if subject.is_dir() else subject.parent / ".tracking" / subject.name


def _read(note: Path) -> dict[str, Any]:
    state: dict[str, Any] = json.loads(note.read_text()) if note.exists() else {}
    return state


def _write(note: Path, state: dict[str, Any]) -> None:
    jsonl.write_whole(note, json.dumps(state, indent=2) + "\n")
