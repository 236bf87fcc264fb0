"""Where a task's rows come from: its own folder, the local mirror, or the hub; always read through lm-eval."""

import csv
import functools
import gzip
import io
import json
import logging
import os
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from evalsuite.catalog.index import parse
from evalsuite.catalog.tasks import Task
from evalsuite.errors import RequestError, UnavailableError

Row = dict[str, Any]

GPQA_PASSWORD = "GPQA_ZIP_PASSWORD"
NOISY = ("lm_eval", "datasets", "huggingface_hub")
# The hub answers within a second or not at all; without this probe, libraries retry for half a minute.
PROBE_SECONDS = 5


def mirror_file(task: Task, split: str, data_dir: Path | None) -> str | None:
    """The file of the local mirror that holds a split, if it is there.

    `<task>/<split>.jsonl` or `.jsonl.gz` comes first, then the path that the task file names under `mirror:`. A path
    `archive.zip::member.csv` is a table inside an archive, which is read in memory.
    """
    if data_dir is None:
        return None
    if not data_dir.is_dir():
        raise RequestError(f"{data_dir}: no such folder: --data-dir or EVALSUITE_DATA names the local mirror")
    names = [f"{task.name}/{split}.jsonl", f"{task.name}/{split}.jsonl.gz"]
    names += [task.mirror[split]] if split in task.mirror else []
    return next((str(data_dir / name) for name in names if (data_dir / name.split("::")[0]).is_file()), None)


def origin(task: Task, split: str, data_dir: Path | None) -> str:
    """Where a split is read from: `shipped`, `mirror` or `hub`."""
    if task.comes_with_its_file:
        return "shipped"
    return "mirror" if mirror_file(task, split, data_dir) else "hub"


def open_split(task: Task, split: str, data_dir: Path | None) -> Any:
    """lm-eval's own task object over one split, so that its fields mean exactly what they mean to lm-eval.

    Its `dataset[split]` holds the raw rows, its `task_docs` those after `process_docs`.
    """
    config = parse(task.path, resolve_functions=True)
    # Of all the splits only this one is read: few-shot examples are drawn elsewhere, from the dev items.
    for key in ("training_split", "validation_split", "fewshot_split", "fewshot_config", "num_fewshot"):
        config.pop(key, None)
    config["test_split"] = split
    if file := mirror_file(task, split, data_dir):
        config["custom_dataset"] = lambda **_: _dataset(split, read_rows(file))
    with _quiet(), _offline_if_unreachable(origin(task, split, data_dir) == "hub"):
        return _build(task, split, config)


def _build(task: Task, split: str, config: dict[str, Any]) -> Any:
    from lm_eval.tasks import TaskManager

    try:
        return TaskManager(include_defaults=False).load([config])["tasks"][task.name]
    except RequestError:
        raise
    except OSError as error:
        token = ", with your own hub token, since it is gated," if task.gated else ""
        raise UnavailableError(
            f"{task.name}: its split '{split}' is not in the data folder and {task.hub} cannot be read "
            f"({_one_line(error)}); where there is network{token} `evalsuite data fetch --tasks {task.name} "
            f"--data-dir DIR` fetches it; then name that folder by --data-dir or EVALSUITE_DATA"
        ) from None
    except Exception as error:  # whatever a template or a function of the task file may raise
        raise RequestError(f"{task.path}: split '{split}': {fault(task, error)}") from None


def fault(task: Task, error: Exception) -> str:
    """What went wrong, in one line; only its type where the message might quote the text of a gated task."""
    return type(error).__name__ if task.gated else f"{type(error).__name__}: {_one_line(error)}"


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())[:160]


def _dataset(split: str, rows: list[Row]) -> Any:
    from datasets import Dataset, DatasetDict

    return DatasetDict({split: Dataset.from_list(rows)})


def read_rows(file: str) -> list[Row]:
    """The rows of a mirror file: JSONL, JSONL.gz, or `archive.zip::member.csv`."""
    path, _, member = file.partition("::")
    if member:
        return _rows_of_archive(Path(path), member)
    opener = gzip.open if path.endswith(".gz") else open
    rows = []
    with opener(path, "rt", encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if line.strip():
                try:
                    rows.append(json.loads(line))
                except ValueError as error:
                    raise RequestError(f"{path}, line {number}: not a JSON object: {error}") from None
    if not rows:
        raise RequestError(f"{path}: no rows")
    return rows


def _rows_of_archive(archive: Path, member: str) -> list[Row]:
    password = os.environ.get(GPQA_PASSWORD)
    if not password:
        raise UnavailableError(
            f"{archive}: set {GPQA_PASSWORD} to the password that its publishers print in their README"
        )
    try:
        with zipfile.ZipFile(archive) as opened:
            text = opened.read(member, pwd=password.encode()).decode("utf-8")
    except (RuntimeError, KeyError, zipfile.BadZipFile) as error:
        raise RequestError(f"{archive}: cannot read {member}: {_one_line(error)}; is {GPQA_PASSWORD} right?") from None
    return list(csv.DictReader(io.StringIO(text, newline="")))


@contextmanager
def _quiet() -> Iterator[None]:
    """lm-eval and datasets warn about settings that do not apply here."""
    import datasets

    levels = {name: logging.getLogger(name).level for name in NOISY}
    bars = datasets.are_progress_bars_disabled()
    for name in NOISY:
        logging.getLogger(name).setLevel(logging.ERROR)
    datasets.disable_progress_bars()
    try:
        yield
    finally:
        for name, level in levels.items():
            logging.getLogger(name).setLevel(level)
        if not bars:
            datasets.enable_progress_bars()


@contextmanager
def _offline_if_unreachable(needs_hub: bool) -> Iterator[None]:
    """Without network, let `datasets` look into its cache only, instead of retrying for half a minute."""
    if not needs_hub or hub_answers():
        yield
        return
    import datasets
    import huggingface_hub

    before = datasets.config.HF_HUB_OFFLINE, huggingface_hub.constants.HF_HUB_OFFLINE
    datasets.config.HF_HUB_OFFLINE = huggingface_hub.constants.HF_HUB_OFFLINE = True
    try:
        yield
    finally:
        datasets.config.HF_HUB_OFFLINE, huggingface_hub.constants.HF_HUB_OFFLINE = before


@functools.cache
def hub_answers() -> bool:
    """Whether the hub can be reached; asked once."""
    import huggingface_hub

    if huggingface_hub.constants.HF_HUB_OFFLINE:
        return False
    try:
        huggingface_hub.get_session().head(huggingface_hub.constants.ENDPOINT, timeout=PROBE_SECONDS)
    except Exception:  # of whichever HTTP client it uses
        return False
    return True


def in_hub_cache(task: Task) -> bool:
    """Whether the hub's own cache on this machine knows the task's data set."""
    import huggingface_hub

    folder = f"datasets--{str(task.hub).replace('/', '--')}"
    return (Path(huggingface_hub.constants.HF_HUB_CACHE) / folder / "snapshots").is_dir()
