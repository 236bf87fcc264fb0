import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from evalsuite.catalog import source
from evalsuite.catalog.index import Catalog
from evalsuite.catalog.load import LoadedTask, load
from evalsuite.catalog.tasks import Task

WriteTask = Callable[..., Task]
Loaded = Callable[[str], LoadedTask]


@pytest.fixture(scope="session")
def catalog() -> Catalog:
    return Catalog()


@pytest.fixture(scope="session")
def loaded(catalog: Catalog, mirror: Path) -> Loaded:
    """The shipped task of that name with its items from the mirror, each read once."""
    known: dict[str, LoadedTask] = {}

    def get(name: str) -> LoadedTask:
        if name not in known:
            task = catalog.task(name)
            if task.gated and not os.environ.get(source.GPQA_PASSWORD):
                pytest.skip(f"{name} is gated: set {source.GPQA_PASSWORD} to read it")
            known[name] = load(task, mirror)
        return known[name]

    return get


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "hub_answers", lambda: False)


@pytest.fixture
def write_task(tmp_path: Path) -> WriteTask:
    """Writes a task file of the user's own, with `metadata` merged in; returns the task."""

    def write(metadata: dict[str, Any] | None = None, **config: Any) -> Task:
        folder = tmp_path / "mine"
        folder.mkdir(exist_ok=True)
        whole = {
            "task": "own",
            "dataset_path": "nobody/such-a-dataset",
            "test_split": "test",
            "output_type": "generate_until",
            "doc_to_text": "{{question}}",
            "doc_to_target": "answer",
            **config,
            "metadata": {"kind": "number", "question": "question", **(metadata or {})},
        }
        (folder / f"{whole['task']}.yaml").write_text(yaml.safe_dump(whole))
        return Catalog([folder]).task(whole["task"])

    return write
