"""The catalog: every task and suite file that is shipped or included, by name."""

import difflib
import logging
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from evalsuite.catalog.paths import shipped
from evalsuite.catalog.suites import Suite, refuse_double_counting, suite_from
from evalsuite.catalog.tasks import Task, task_from
from evalsuite.errors import RequestError

log = logging.getLogger(__name__)


class Catalog:
    """The shipped task and suite files and those of the user's own folders; a later folder overrides an earlier one."""

    def __init__(self, includes: Sequence[Path] = ()) -> None:
        self._folders = (shipped("tasks"), *includes)

    @cached_property
    def tasks(self) -> dict[str, Task]:
        """All tasks by name."""
        return {name: task_from(config, path) for name, (path, config) in self._files["task"].items()}

    @cached_property
    def suites(self) -> dict[str, Suite]:
        """All suites by name."""
        return {name: suite_from(config, path) for name, (path, config) in self._files["group"].items()}

    def task(self, name: str) -> Task:
        """The task called `name`."""
        if name not in self.tasks:
            raise RequestError(f"no task named '{name}'{_nearest(name, self.tasks)}; `evalsuite tasks` lists them")
        return self.tasks[name]

    def suite(self, name: str) -> Suite:
        """The suite called `name`, checked: its tasks exist and none is part of another."""
        if name not in self.suites:
            raise RequestError(f"no suite named '{name}'{_nearest(name, self.suites)}; `evalsuite tasks` lists them")
        suite = self.suites[name]
        for member in suite.tasks:
            if member not in self.tasks:
                raise RequestError(f"{suite.path}: no task named '{member}'{_nearest(member, self.tasks)}")
        refuse_double_counting({member: self.tasks[member] for member in suite.tasks}, str(suite.path))
        return suite

    def select(self, suite: str | None = None, tasks: str | None = None) -> tuple[Task, ...]:
        """The tasks of a suite, or those of a list such as `gsm8k,aime24`; all of them where neither is named."""
        if suite is not None and tasks is not None:
            raise RequestError("--suite and --tasks together: name one of them")
        if suite is not None:
            names: Iterable[str] = self.suite(suite).tasks
        else:
            names = self.tasks if tasks is None else [name.strip() for name in tasks.split(",") if name.strip()]
            if not names:
                raise RequestError(f"--tasks '{tasks}' names no task; `evalsuite tasks` lists them")
        return tuple(self.task(name) for name in dict.fromkeys(names))

    @cached_property
    def _files(self) -> dict[str, dict[str, tuple[Path, dict[str, Any]]]]:
        """Parsed files by what they describe (`task` or `group`) and by name."""
        files: dict[str, dict[str, tuple[Path, dict[str, Any]]]] = {"task": {}, "group": {}}
        for folder in self._folders:
            seen: dict[tuple[str, str], Path] = {}
            for path, what, config in _described(folder):
                name = str(config[what])
                if (what, name) in seen:
                    raise RequestError(f"{path}: {what} '{name}' is already described by {seen[what, name]}")
                if name in files[what]:
                    log.warning("%s '%s' of %s replaces that of %s", what, name, path, files[what][name][0])
                seen[what, name] = path
                files[what][name] = (path, config)
        return files


def _described(folder: Path) -> Iterator[tuple[Path, str, dict[str, Any]]]:
    """Each task or group file under `folder`. Any other YAML file there is not ours to read."""
    if not folder.is_dir():
        raise RequestError(f"{folder}: no such folder of task files")
    for path in sorted(folder.rglob("*.yaml")):
        config = parse(path)
        for what in ("group", "task"):
            if what in config:
                yield path, what, config
                break


def parse(path: Path, *, resolve_functions: bool = False) -> dict[str, Any]:
    """A task file with its includes merged in, read by lm-eval's own loader."""
    import yaml
    from lm_eval.tasks._yaml_loader import load_yaml

    try:
        config: dict[str, Any] = load_yaml(path, resolve_func=resolve_functions)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        where = f"{mark.name}, line {mark.line + 1}" if mark else str(path)
        raise RequestError(f"{where}: {error.problem or 'not valid YAML'}") from None
    except (ValueError, OSError, ImportError, AttributeError, yaml.YAMLError) as error:
        raise RequestError(f"{path}: {error}") from None
    return config


def _nearest(name: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(name, list(known), n=3, cutoff=0.5)
    return f" (near: {', '.join(close)})" if close else ""
