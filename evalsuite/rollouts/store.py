"""A run's folder: the folder is the state.

run.json           what was asked of which checkpoint, written once
items.jsonl        the questions and golds, so that grading needs no data
prompts.jsonl      each prompt exactly as the model received it
sessions.jsonl     where rollouts came from: each start of an engine, and each run whose rollouts were taken over
rollouts.jsonl     one line a rollout, appended as they finish
verdicts/HASH.jsonl one line a verdict, one file a grader: a re-grade adds a file
engine.log         what the engine printed
.lock              held by the process that writes
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from evalsuite.errors import RequestError
from evalsuite.rollouts import jsonl
from evalsuite.rollouts.record import FinishReason, Rollout

MANIFEST, ITEMS, PROMPTS, SESSIONS, ROLLOUTS, VERDICTS, ENGINE_LOG = (
    "run.json",
    "items.jsonl",
    "prompts.jsonl",
    "sessions.jsonl",
    "rollouts.jsonl",
    "verdicts",
    "engine.log",
)


def read_manifest(folder: Path) -> dict[str, Any]:
    """The content of run.json.

    Raises:
        RequestError: there is no run in this folder, or its run.json is damaged.
    """
    path = folder / MANIFEST
    if not path.is_file():
        raise RequestError(f"{folder}: no run here (no {MANIFEST}); `evalsuite eval` makes one under results/runs/")
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except json.JSONDecodeError as error:
        raise RequestError(f"{path}: line {error.lineno}: not valid JSON ({error.msg})") from None
    except UnicodeDecodeError:
        raise RequestError(f"{path}: not a text file") from None
    if not isinstance(manifest, dict) or "identity" not in manifest:
        raise RequestError(f"{path}: not written by evalsuite: this folder holds something else")
    return manifest


def write_manifest(folder: Path, manifest: dict[str, Any]) -> None:
    """Write run.json in one step."""
    jsonl.write_whole(folder / MANIFEST, json.dumps(manifest, indent=2, ensure_ascii=False) + "\n")


def rollouts(folder: Path) -> dict[tuple[str, str, int], Rollout]:
    """The run's rollouts by key. Where a failed request was tried again, the later record stands."""
    found: dict[tuple[str, str, int], Rollout] = {}
    for record in jsonl.read(folder / ROLLOUTS):
        rollout = _rollout(record, folder)
        found[rollout.key] = rollout
    return found


def as_record(rollout: Rollout) -> dict[str, Any]:
    """A rollout as one JSON object."""
    return asdict(rollout)


@contextmanager
def lock(folder: Path) -> Iterator[None]:
    """Keep every other process from writing this run.

    Raises:
        RequestError: another process is writing it.
    """
    held = FileLock(folder / ".lock", timeout=0)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        held.acquire()
    except Timeout:
        raise RequestError(
            f"{folder}: another process is writing this run: wait for it, or name another folder with --out"
        ) from None
    except OSError as error:
        raise RequestError(f"{folder}: {error.strerror}: name a writable folder with --out") from None
    try:
        yield
    finally:
        held.release()


def _rollout(record: dict[str, Any], folder: Path) -> Rollout:
    try:
        tokens = record["token_ids"]
        known = {"token_ids": None if tokens is None else tuple(tokens)}
        return Rollout(**record | known | {"finish_reason": FinishReason(record["finish_reason"])})
    except (KeyError, TypeError, ValueError) as error:
        raise RequestError(f"{folder / ROLLOUTS}: a record that is not a rollout ({error})") from None
