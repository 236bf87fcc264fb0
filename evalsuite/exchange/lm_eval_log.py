"""lm-eval's sample logs: one file a task, one row for each document and filter, and the results beside them."""

import json
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evalsuite.errors import RequestError
from evalsuite.rollouts import jsonl

SAMPLES = re.compile(r"samples_(?P<task>.+)_(?P<time>\d{4}-\d\d-\d\dT[\d.-]+)\.jsonl")


@dataclass(frozen=True, slots=True)
class LoggedDoc:
    """One document of a task: the log's own fields, what the model was sent with which settings, all it answered."""

    doc: dict[str, Any]
    target: str
    prompt: str
    settings: dict[str, Any]
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LoggedTask:
    """One task's log. `config` is the task's configuration and `results` the whole results file, as far as logged."""

    name: str
    docs: tuple[LoggedDoc, ...]
    config: dict[str, Any]
    results: dict[str, Any]


def read_log(folder: Path) -> list[LoggedTask]:
    """The tasks of one model's log, by name; where a task was logged several times, the latest.

    Raises:
        RequestError: no log there, logs of several models, or a damaged one.
    """
    if not folder.is_dir():
        raise RequestError(f"{folder}: no such folder")
    files = {path: match for path in folder.rglob("samples_*.jsonl") if (match := SAMPLES.fullmatch(path.name))}
    if not files:
        raise RequestError(f"{folder}: no samples_TASK_TIME.jsonl there: lm-eval writes them with --log_samples")
    folders = sorted({path.parent for path in files})
    if len(folders) > 1:
        raise RequestError(f"{folder}: logs of several models ({folders[0].name}, {folders[1].name}, …): name one")
    latest = {match["task"]: path for path, match in sorted(files.items(), key=lambda file: file[1]["time"])}
    return [_task(name, path, files[path]["time"]) for name, path in sorted(latest.items())]


def _task(name: str, path: Path, time: str) -> LoggedTask:
    results = _results(path.with_name(f"results_{time}.json"))
    config = results.get("configs", {}).get(name, {})
    return LoggedTask(name, tuple(_docs(path)), config, results)


def _results(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    try:
        results = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise RequestError(f"{path}: not valid JSON ({error})") from None
    if not isinstance(results, dict):
        raise RequestError(f"{path}: not the results of lm-eval")
    return results


def _docs(path: Path) -> list[LoggedDoc]:
    """Each document once: its answers are repeated for each filter. Equal documents stay as many as they are."""
    docs: dict[tuple[str, int], LoggedDoc] = {}
    seen: Counter[tuple[str, str]] = Counter()
    for number, row in enumerate(jsonl.read(path), start=1):
        try:
            key = (str(row["filter"]), str(row["doc_hash"]))
            doc = _doc(_printable(row))
        except (KeyError, TypeError, AttributeError, IndexError) as error:
            raise RequestError(f"{path}: row {number} is no sample of lm-eval ({error})") from None
        if not all(isinstance(text, str) for text in doc.texts):
            raise RequestError(f"{path}: row {number}: likelihoods, not texts: there is no answer to grade")
        seen[key] += 1
        docs.setdefault((key[1], seen[key]), doc)
    if not docs:
        raise RequestError(f"{path}: no samples")
    return list(docs.values())


def _doc(row: dict[str, Any]) -> LoggedDoc:
    sent = row["arguments"]["gen_args_0"]
    settings = sent.get("arg_1")
    return LoggedDoc(
        doc=dict(row["doc"]),
        target=str(row["target"]),
        prompt=str(sent["arg_0"]),
        settings=settings if isinstance(settings, dict) else {},
        texts=tuple(text for request in row["resps"] for text in request),
    )


def _printable(row: dict[str, Any]) -> Any:
    """The row with each lone surrogate, which could not be written down again, as a question mark."""
    return json.loads(json.dumps(row, ensure_ascii=False).encode("utf-8", "replace"))
