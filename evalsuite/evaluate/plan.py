"""What a run will ask: each task under each prompt format, with everything fixed before the engine starts."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evalsuite.catalog.checkpoint import Checkpoint
from evalsuite.catalog.index import Catalog
from evalsuite.catalog.items import Item
from evalsuite.catalog.load import LoadedTask, leave_out, load, load_dev
from evalsuite.catalog.prompts import PromptFormat, find_prompt, load_prompts, raw_text
from evalsuite.catalog.tasks import Task
from evalsuite.errors import RequestError, UnavailableError
from evalsuite.grading.grade import gold_problem, grader_hash
from evalsuite.protocol import Protocol, Sampling, digest

DEFAULT_SUITE = "avg8"

LONGEST_ANSWER = 16_384
"""Default token limit (the one of arXiv 2504.13837), or three quarters of the context where that is less."""
SAMPLING_TEMPERATURE = 0.6
"""Default temperature where several samples are drawn (arXiv 2504.13837)."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What the user asked for; None stands for the default."""

    suite: str | None
    tasks: str | None
    prompts: tuple[str, ...]
    temperature: float | None
    top_p: float
    samples: int
    max_tokens: int | None
    limit: int | None
    seed: int


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
            ids = tokenizer.apply_chat_template(turns, add_generation_prompt=True, tokenize=True, return_dict=False)
        except Exception as error:  # a chat template may raise whatever it likes
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise RequestError(
                f"the checkpoint's chat template refuses prompt format '{self.prompt.name}': {reason}"
            ) from None
        return tuple(ids)


@dataclass(frozen=True, slots=True)
class Plan:
    """A whole run before it starts. `left_out` holds pairs of a task that was asked for and why it cannot be run."""

    checkpoint: Checkpoint
    suite: str | None
    members: tuple[str, ...]
    planned: tuple[Planned, ...]
    left_out: tuple[tuple[str, str], ...]

    @property
    def total(self) -> int:
        """How many rollouts the finished run holds."""
        return sum(p.protocol.n_items * p.protocol.sampling.samples for p in self.planned)

    @property
    def identity(self) -> str:
        """Hash of the checkpoint and of what is asked of it."""
        return digest([self.checkpoint.sha256, sorted(p.protocol.asked for p in self.planned)])


def make_plan(checkpoint: Checkpoint, wish: Wish, includes: Sequence[Path], data_dir: Path | None) -> Plan:
    """Resolve a wish into protocols.

    Raises:
        RequestError: an unknown name, settings that contradict each other, or no task with data.
    """
    catalog = Catalog(includes)
    prompts = load_prompts(includes)
    chosen = [find_prompt(prompts, name) for name in dict.fromkeys(wish.prompts)]
    suite = DEFAULT_SUITE if wish.suite is None and wish.tasks is None else wish.suite
    tasks = catalog.select(suite, wish.tasks)
    sampling = _sampling(wish, checkpoint)
    left_out: dict[str, str] = {}
    loaded = _load_all(tasks, data_dir, left_out)
    scored = [item for one in loaded for item in one.items]
    planned: list[Planned] = []
    for one in loaded:
        try:
            for prompt in chosen or [find_prompt(prompts, one.task.default_prompt)]:
                examples = _examples(one.task, catalog, prompt, data_dir, scored)
                planned.append(_plan_one(checkpoint, one, prompt, examples, sampling, wish.limit))
        except UnavailableError as error:
            left_out[one.task.name] = str(error)
    if suite is None and left_out:
        raise UnavailableError(next(iter(left_out.values())))
    if not planned:
        raise RequestError(f"none of the tasks has data here: {next(iter(left_out.values()))}")
    return Plan(checkpoint, suite, tuple(task.name for task in tasks), tuple(planned), tuple(left_out.items()))


def _plan_one(
    checkpoint: Checkpoint,
    loaded: LoadedTask,
    prompt: PromptFormat,
    examples: tuple[Item, ...],
    sampling: Sampling,
    limit: int | None,
) -> Planned:
    task = loaded.task
    if task.kind not in prompt.head.kinds:
        kinds = ", ".join(prompt.head.kinds)
        raise RequestError(f"prompt format '{prompt.name}' is for {kinds} answers; {task.name} asks for {task.kind}")
    items = loaded.items[:limit]
    template = _template(checkpoint, prompt)
    protocol = Protocol(
        task=task.name,
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
        template_sha256=template,
        sampling=sampling,
        grader=grader_hash(),
    )
    return Planned(protocol, loaded, items, prompt, examples)


def unreadable_golds(planned: Planned) -> list[tuple[str, str]]:
    """Items whose gold no grader can read, with the reason: they are left unscored, never counted wrong."""
    kind = planned.protocol.kind
    found = ((item.id, gold_problem(kind, item.gold, item.options)) for item in planned.items)
    gated = planned.loaded.task.gated  # the reason quotes the gold
    return [(item, f"cannot be read as {kind}" if gated else problem) for item, problem in found if problem]


def _load_all(tasks: Sequence[Task], data_dir: Path | None, left_out: dict[str, str]) -> list[LoadedTask]:
    """The tasks whose data is here; the others go to `left_out`."""
    loaded = []
    for task in tasks:
        try:
            loaded.append(load(task, data_dir))
        except UnavailableError as error:
            left_out[task.name] = str(error)
    return loaded


def _examples(
    task: Task, catalog: Catalog, prompt: PromptFormat, data_dir: Path | None, scored: Sequence[Item]
) -> tuple[Item, ...]:
    """The first dev items by id, with a worked solution where the source has them.

    None of them is `scored` anywhere in the run: one task's dev items may be another's test items.
    """
    if not prompt.head.shots:
        return ()
    if task.dev and task.dev.task and catalog.task(task.dev.task).gated and not task.gated:
        raise RequestError(
            f"{task.name}: its examples would come from {task.dev.task}, which is gated: "
            "say `gated: true` in its task file, or choose a prompt format without examples"
        )
    dev = leave_out(load_dev(task, catalog, data_dir).items, scored).items
    worked = [item for item in dev if item.solution] or list(dev)
    if len(worked) < prompt.head.shots:
        raise UnavailableError(
            f"{task.name}: prompt format '{prompt.name}' needs {prompt.head.shots} examples and its dev source "
            f"has {len(worked)}: choose a prompt format without examples"
        )
    return tuple(worked[: prompt.head.shots])


def _template(checkpoint: Checkpoint, prompt: PromptFormat) -> str | None:
    if prompt.head.chat_template == "never":
        return None
    if prompt.head.chat_template == "required" and checkpoint.template_sha256 is None:
        raise RequestError(
            f"prompt format '{prompt.name}' needs a chat template and {checkpoint.path} has none: "
            "choose one that is raw text, such as few_shot"
        )
    return checkpoint.template_sha256


def _sampling(wish: Wish, checkpoint: Checkpoint) -> Sampling:
    temperature = wish.temperature
    if temperature is None:
        temperature = SAMPLING_TEMPERATURE if wish.samples > 1 else 0.0
    if temperature == 0 and wish.samples > 1:
        raise RequestError(
            f"--temperature 0 with --samples {wish.samples}: greedy answers are all the same; "
            "ask for one sample, or for a temperature above 0"
        )
    limit = wish.max_tokens or min(LONGEST_ANSWER, checkpoint.context * 3 // 4)
    if limit >= checkpoint.context:
        raise RequestError(
            f"--max-tokens {limit} leaves no room for a prompt: the context of {checkpoint.name} is "
            f"{checkpoint.context} tokens, so ask for less than that"
        )
    return Sampling(temperature, wish.top_p if temperature else 1.0, wish.samples, limit, wish.seed)
