"""A folder in which the commands are given: two tasks of the user's own, a few checkpoints, and who plays them."""

import json
import shutil
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
import yaml

from evalsuite.grading.pool import GraderPool
from tests.support.command import Output, run_cli
from tests.support.known_model import KnownModel, Zoo
from tests.support.own_task import sums, write_task
from tests.support.tiny import CHAT_TEMPLATE, make_checkpoint

SCORED, DEV, PLAIN = range(100, 130), range(300, 330), range(500, 530)
"""Numbers of the scored items of `sums`, of its dev items, and of the items of `plain`, which has no dev source."""

BOTH = "sums,plain"

MODELS = {
    "start": KnownModel({"boxed": 0.6}, otherwise=0.2, obedient=False),
    "trained": KnownModel({"boxed": 0.6}, otherwise=0.2),
    "liner": KnownModel({"answer_line": 0.8}, otherwise=0.2),
    "base": KnownModel({"boxed": 0.6}, otherwise=0.2, obedient=False),
    "themed": KnownModel({"boxed": 0.6}, otherwise=0.2),
    "warm": KnownModel({"boxed": 0.3}, heat=-0.5),
    "moody": KnownModel(otherwise=0.5, moody=True),
}
POOLED = ("evaluate.loop", "cli.sweeping", "cli.sealing", "cli.verifying", "cli.comparing")
"""The modules whose commands grade."""

GRID = ("--prompts", "answer_line,boxed", "--temperatures", "0", "--max-tokens", "64,12")


class Lab:
    """`run` gives a command in the folder `here`, over the models above; `zoo` counts what is asked of them.

    All commands share one pool: starting the grading processes takes longer than all else.
    """

    def __init__(self, here: Path, home: Path, pool: GraderPool) -> None:
        self.here, self.home = here, home
        self._pool = pool
        self.zoo = Zoo(MODELS)

    def checkpoint(self, name: str) -> Path:
        """The folder of one of the models."""
        return self.home / "checkpoints" / name

    def run(self, *arguments: object, dies_after: int | None = None) -> Output:
        """Give a command; the engines it starts die after some answers if told so."""
        self.zoo.dies_after = dies_after
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(self.here)
            patch.setattr("evalsuite.engines.vllm.VllmEngine", self.zoo)
            for module in POOLED:
                patch.setattr(f"evalsuite.{module}.make_pool", lambda **_: nullcontext(self._pool))
            return run_cli(*arguments)

    def done(self, *arguments: object) -> Output:
        """A command that must end well."""
        ended = self.run(*arguments)
        assert ended.code == 0, ended.err
        return ended

    def json(self, *arguments: object) -> Any:
        """What a command says with --json."""
        return json.loads(self.done(*arguments, "--json").out)

    def refused(self, said: str, *arguments: object) -> str:
        """A command that must be refused with one line that says so, and asks nothing of a model; returns the line."""
        before = len(self.zoo.requests)
        ended = self.run(*arguments)
        (line,) = (line for line in ended.err.splitlines() if line.startswith("evalsuite: "))
        assert ended.code == 2
        assert said in line
        assert len(self.zoo.requests) == before
        return line

    def sweep(self, name: str, *options: object, tasks: str = BOTH) -> tuple[object, ...]:
        """The command that sweeps a model."""
        return ("sweep", self.checkpoint(name), "--tasks", tasks, *options, *self._files, "--no-mlflow")

    def baseline(self, *names: str, options: Sequence[object] = GRID, tasks: str | None = BOTH) -> tuple[object, ...]:
        """The command that seals models."""
        named = ("--tasks", tasks) if tasks else ()
        return ("baseline", *map(self.checkpoint, names), *named, *options, *self._files, "--no-mlflow")

    def compare(self, *arguments: object) -> tuple[object, ...]:
        """The command that compares what lies in these places."""
        return ("compare", *arguments, *self._files, "--no-mlflow")

    def eval(self, name: str, *options: object, tasks: str | None = BOTH) -> tuple[object, ...]:
        """The command that evaluates a model."""
        named = ("--tasks", tasks) if tasks else ()
        return ("eval", self.checkpoint(name), *named, *options, *self._files, "--no-mlflow")

    @property
    def _files(self) -> tuple[object, ...]:
        return ("--include", self.home / "tasks", "--data-dir", self.home / "tasks" / "data")

    def runs(self, pattern: str = "*") -> list[Path]:
        """The run folders here, by name."""
        return sorted((self.here / "results" / "runs").glob(pattern))

    def copy(self, here: Path) -> "Lab":
        """The same, to be spoiled: another folder with the same results and the same checkpoints."""
        shutil.copytree(self.here / "results", here / "results")
        return self.empty(here)

    def empty(self, here: Path) -> "Lab":
        """The same checkpoints and tasks in another folder, where nothing was made yet."""
        return Lab(here, self.home, self._pool)


def make_lab(home: Path, pool: GraderPool) -> Lab:
    """Write tasks and checkpoints; nothing is run yet."""
    tasks = home / "tasks"
    write_task(tasks, "sums", sums(*SCORED), sums(*DEV))
    write_task(tasks, "plain", sums(*PLAIN), dev=None)
    (tasks / "mine.yaml").write_text(yaml.safe_dump({"group": "mine", "task": ["sums", "plain"]}))
    for name in MODELS:
        template = {"base": None, "themed": f"Be brief. {CHAT_TEMPLATE}"}.get(name, CHAT_TEMPLATE)
        make_checkpoint(home / "checkpoints" / name, chat_template=template, weights=name.encode())
    here = home / "here"
    here.mkdir()
    return Lab(here, home, pool)


def records(file: Path) -> list[Any]:
    """The lines of a jsonl file."""
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
