"""A task: what one YAML file in `tasks/` says about a benchmark."""

from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from evalsuite.catalog.items import AnswerKind
from evalsuite.errors import RequestError

DEFAULT_PROMPTS = {
    AnswerKind.NUMBER: "boxed",
    AnswerKind.MATH: "boxed",
    AnswerKind.CHOICE: "choice_letter",
    AnswerKind.QA: "short_answer",
}


class DevSource(BaseModel):
    """Where items come from on which settings may be chosen: another split of the task, or another task."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    split: str | None = None
    task: str | None = None

    @model_validator(mode="after")
    def _one_of_both(self) -> "DevSource":
        if (self.split is None) == (self.task is None):
            raise ValueError("either `split` or `task`")
        return self


class Metadata(BaseModel):
    """evalsuite's own keys of a task file, under `metadata:`. docs/tasks.md explains each."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: AnswerKind
    title: str = ""
    about: str = ""
    version: float | str | None = None
    question: str | None = None
    options: str | None = None
    solution: str | None = None
    items: int | None = None
    sha256: str | None = Field(default=None, pattern="^[0-9a-f]{64}$")
    mirror: dict[str, str] = {}
    dev: DevSource | None = None
    guess_rate: float = Field(default=0.0, ge=0.0, le=1.0)
    licence: str | None = None
    gated: bool = False
    contains: tuple[str, ...] = ()
    part_of: tuple[str, ...] = ()
    prompt: str | None = None

    @model_validator(mode="after")
    def _options_with_choices_only(self) -> "Metadata":
        if (self.kind is AnswerKind.CHOICE) != (self.options is not None):
            raise ValueError("`options` names the column of the options: for `kind: choice`, and only there")
        return self


class Task(Metadata):
    """A benchmark, as its file describes it. Its items are read by `load.load`."""

    name: str = Field(pattern="^[A-Za-z0-9][A-Za-z0-9_.-]*$")
    path: Path
    split: str
    hub: str | None
    config: str | None
    revision: str | None

    @property
    def default_prompt(self) -> str:
        """The prompt format used where none is asked for."""
        return self.prompt or DEFAULT_PROMPTS[self.kind]

    @property
    def comes_with_its_file(self) -> bool:
        """Whether the rows lie beside the task file, so that neither hub nor mirror is needed."""
        return self.hub is None


def task_from(config: dict[str, Any], path: Path) -> Task:
    """The task that the parsed YAML file at `path` describes."""
    split = config.get("test_split") or config.get("validation_split")
    if split is None:
        raise RequestError(f"{path}: neither `test_split` nor `validation_split`: say which split is asked")
    if "metadata" not in config:
        raise RequestError(f"{path}: no `metadata:`; a task for evalsuite states at least `kind` there")
    fields = {
        "name": config["task"],
        "path": path,
        "split": split,
        "hub": config.get("dataset_path"),
        "config": config.get("dataset_name"),
        "revision": (config.get("dataset_kwargs") or {}).get("revision"),
    }
    try:
        Metadata.model_validate(config["metadata"])
        return Task(**config["metadata"], **fields)
    except ValidationError as error:
        raise RequestError(f"{path}: {_first_fault(error)}") from None


def _first_fault(error: ValidationError) -> str:
    fault = error.errors()[0]
    key = ".".join(str(part) for part in fault["loc"])
    if fault["type"] == "extra_forbidden":
        return f"unknown key `{key}` under `metadata:`; known are {', '.join(sorted(Metadata.model_fields))}"
    return f"`metadata: {key}`: {fault['msg']}" if key else f"`metadata:`: {fault['msg']}"
