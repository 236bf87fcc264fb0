"""One task under one combination of settings: everything fixed before the engine starts."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from evalsuite.catalog.checkpoint import Checkpoint
from evalsuite.catalog.index import Catalog
from evalsuite.catalog.items import Item
from evalsuite.catalog.load import LoadedTask, leave_out, load, load_dev
from evalsuite.catalog.prompts import PromptFormat, find_prompt, load_prompts, raw_text
from evalsuite.catalog.tasks import Task
from evalsuite.errors import RequestError, UnavailableError
from evalsuite.grading.grade import grader_hash
from evalsuite.protocol import Protocol, Sampling, digest

DATE_SHOWN = date(2026, 1, 1)
"""The day that a chat template is told if it writes the date: the same protocol asks the same on every day."""


@dataclass(frozen=True, slots=True)
class Cell:
    """What an answer is generated with beside its question and the token limit.

    `chat` and `shots` are the prompt format's own where they are None. One checkpoint without a chat template cannot be
    asked with it.
    """

    prompt: str
    chat: bool | None = None
    shots: int | None = None
    temperature: float = 0.0
    top_p: float = 1.0

    def __str__(self) -> str:
        chat = {None: "", True: ", chat template on", False: ", chat template off"}[self.chat]
        shots = "" if self.shots is None else f", {self.shots} shots"
        top_p = "" if self.top_p == 1 else f", top-p {self.top_p:g}"
        return f"{self.prompt}{chat}{shots}, temperature {self.temperature:g}{top_p}"


@dataclass(frozen=True, slots=True)
class Planned:
    """One protocol, with the items it asks and what it takes to put them to the model."""

    protocol: Protocol
    loaded: LoadedTask
    items: tuple[Item, ...]
    prompt: PromptFormat
    examples: tuple[Item, ...]

    def encode(self, item: Item, tokenizer: Any) -> tuple[int, ...]:
        """The token ids that the model receives: chat turns through its template, or plain text with its own BOS."""
        turns = self.prompt.turns(item, self.examples)
        if self.protocol.template_sha256 is None:
            return tuple(tokenizer(raw_text(turns))["input_ids"])
        try:
            ids = tokenizer.apply_chat_template(
                turns, add_generation_prompt=True, tokenize=True, return_dict=False, strftime_now=DATE_SHOWN.strftime
            )
        except Exception as error:  # a chat template may raise whatever it likes
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise RequestError(
                f"the checkpoint's chat template refuses prompt format '{self.prompt.name}': {reason}"
            ) from None
        return tuple(ids)


class Sources:
    """Where tasks, prompt formats and items come from; each is read once."""

    def __init__(self, includes: Sequence[Path], data_dir: Path | None) -> None:
        self.catalog = Catalog(includes)
        self.prompts = load_prompts(includes)
        self._data_dir = data_dir
        self._loaded: dict[str, LoadedTask] = {}
        self._dev: dict[str, tuple[Item, ...]] = {}

    def load_all(self, tasks: Iterable[Task], left_out: dict[str, str]) -> list[LoadedTask]:
        """The tasks whose data is here; the others go to `left_out`, with the reason."""
        loaded = []
        for task in tasks:
            try:
                if task.name not in self._loaded:
                    self._loaded[task.name] = load(task, self._data_dir)
                loaded.append(self._loaded[task.name])
            except UnavailableError as error:
                left_out[task.name] = str(error)
        return loaded

    def dev(self, task: Task, scored: Iterable[Item]) -> tuple[Item, ...]:
        """The task's dev items without those that are `scored` anywhere in the run.

        One task's dev items may be another's test items. Empty where the task names no dev source.
        """
        if task.name not in self._dev:
            self._dev[task.name] = load_dev(task, self.catalog, self._data_dir).items
        return leave_out(self._dev[task.name], scored).items

    def examples(self, task: Task, prompt: PromptFormat, shots: int, scored: Sequence[Item]) -> tuple[Item, ...]:
        """The examples of a prompt.

        Raises:
            RequestError: they would bring the text of a gated task into one that is not.
            UnavailableError: there are too few.
        """
        if not shots:
            return ()
        self.refuse_gated(task, "examples")
        shown = self.shown(task, shots, scored)
        if len(shown) < shots:
            raise UnavailableError(
                f"{task.name}: prompt format '{prompt.name}' needs {shots} examples and its dev source "
                f"has {len(shown)}: choose a prompt format without examples"
            )
        return shown

    def refuse_gated(self, task: Task, what: str) -> None:
        """Keep the text of a gated task out of one that is not.

        Raises:
            RequestError: the dev source is gated and the task is not.
        """
        if task.dev and task.dev.task and self.catalog.task(task.dev.task).gated and not task.gated:
            raise RequestError(
                f"{task.name}: its {what} would come from {task.dev.task}, which is gated: "
                "say `gated: true` in its task file, or leave the task out"
            )

    def shown(self, task: Task, shots: int, scored: Sequence[Item]) -> tuple[Item, ...]:
        """The first dev items by id, as many as there are shots: those with a worked solution where there are any."""
        dev = self.dev(task, scored)
        return tuple(([item for item in dev if item.solution] or list(dev))[:shots])


def plan_cell(
    checkpoint: Checkpoint,
    sources: Sources,
    loaded: LoadedTask,
    cell: Cell,
    sampling: Sampling,
    scored: Sequence[Item],
    items: tuple[Item, ...],
    split: str | None = None,
) -> Planned:
    """One task under one cell. `split` names where `items` come from, if not from the task's own split.

    Raises:
        RequestError: the cell makes no sense for this task or this checkpoint.
        UnavailableError: there are not enough examples.
    """
    task = loaded.task
    prompt = find_prompt(sources.prompts, cell.prompt)
    if why := misfit(prompt, task, cell):
        raise RequestError(why)
    examples = sources.examples(task, prompt, prompt.head.shots if cell.shots is None else cell.shots, scored)
    protocol = Protocol(
        task=task.name,
        split=split or task.split,
        kind=task.kind,
        task_sha256=loaded.sha256,
        items_sha256=digest([item.id for item in items]),
        n_items=len(items),
        prompt=prompt.name,
        prompt_sha256=prompt.sha256,
        answer_format=str(prompt.head.answer),
        stop=prompt.head.stop,
        shots=len(examples),
        examples=digest([example.id for example in examples]) if examples else None,
        template_sha256=_template(checkpoint, prompt, cell.chat),
        sampling=sampling,
        grader=grader_hash(),
    )
    return Planned(protocol, loaded, items, prompt, examples)


def misfit(prompt: PromptFormat, task: Task, cell: Cell) -> str:
    """Why this prompt format cannot be put so to any model, in words; empty where it can."""
    name, head = prompt.name, prompt.head
    if task.kind not in head.kinds:
        return f"prompt format '{name}' is for {', '.join(head.kinds)} answers; {task.name} asks for {task.kind}"
    if cell.chat and head.chat_template == "never":
        return f"prompt format '{name}' is raw text: it cannot go through a chat template"
    if cell.chat is False and head.chat_template == "required":
        return f"prompt format '{name}' needs a chat template: it cannot be asked without one"
    if cell.shots and not head.shots:
        return f"prompt format '{name}' shows no examples: choose one that does, such as few_shot"
    return ""


def _template(checkpoint: Checkpoint, prompt: PromptFormat, chat: bool | None) -> str | None:
    if prompt.head.chat_template == "never" or chat is False:
        return None
    if checkpoint.template_sha256 is None and (chat or prompt.head.chat_template == "required"):
        raise RequestError(
            f"prompt format '{prompt.name}' needs a chat template and {checkpoint.path} has none: "
            "choose one that is raw text, such as few_shot"
        )
    return checkpoint.template_sha256
