"""What a run will ask: each task under each of its cells, with everything fixed before the engine starts."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evalsuite.catalog.checkpoint import Checkpoint
from evalsuite.catalog.items import Item
from evalsuite.catalog.prompts import find_prompt
from evalsuite.catalog.tasks import Task
from evalsuite.errors import RequestError, UnavailableError
from evalsuite.evaluate.cells import Cell, Planned, Sources, plan_cell
from evalsuite.grading.grade import gold_problem
from evalsuite.protocol import Sampling, digest

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
    chat: bool | None = None
    shots: int | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """A whole run before it starts. `left_out` holds pairs of a task that was asked for and why it cannot be run.

    `sweep` is what a sweep of settings adds to its run: the grid and how it chooses; empty for any other run.
    """

    checkpoint: Checkpoint
    suite: str | None
    members: tuple[str, ...]
    planned: tuple[Planned, ...]
    left_out: tuple[tuple[str, str], ...]
    sweep: dict[str, Any] = field(default_factory=dict)

    @property
    def total(self) -> int:
        """How many rollouts the finished run holds; of a sweep, at most."""
        return sum(p.protocol.n_items * p.protocol.sampling.samples for p in self.planned)

    @property
    def identity(self) -> str:
        """Hash of the checkpoint and of what is asked of it."""
        asked: list[Any] = [self.checkpoint.sha256, sorted(p.protocol.asked for p in self.planned)]
        return digest([*asked, self.sweep] if self.sweep else asked)


def make_plan(checkpoint: Checkpoint, wish: Wish, includes: Sequence[Path], data_dir: Path | None) -> Plan:
    """Resolve a wish into protocols.

    Raises:
        RequestError: an unknown name, settings that contradict each other, or no task with data.
    """
    sources = Sources(includes, data_dir)
    for name in wish.prompts:
        find_prompt(sources.prompts, name)
    suite = DEFAULT_SUITE if wish.suite is None and wish.tasks is None else wish.suite
    tasks = sources.catalog.select(suite, wish.tasks)
    sampling = _sampling(wish, checkpoint)
    left_out: dict[str, str] = {}
    loaded = sources.load_all(tasks, left_out)
    scored = [item for one in loaded for item in one.items]
    planned: list[Planned] = []
    for one in loaded:
        try:
            for prompt in dict.fromkeys(wish.prompts) or [one.task.default_prompt]:
                cell = Cell(prompt, wish.chat, wish.shots, sampling.known[0], sampling.known[1])
                items = one.items[: wish.limit]
                planned.append(plan_cell(checkpoint, sources, one, cell, sampling, scored, items))
        except UnavailableError as error:
            left_out[one.task.name] = str(error)
    if suite is None and left_out:
        raise UnavailableError(next(iter(left_out.values())))
    if not planned:
        raise RequestError(f"none of the tasks has data here: {next(iter(left_out.values()))}")
    return Plan(checkpoint, suite, tuple(task.name for task in tasks), tuple(planned), tuple(left_out.items()))


def unreadable_golds(planned: Planned) -> list[tuple[str, str]]:
    """Items whose gold no grader can read, with the reason: they are left unscored, never counted wrong."""
    kind = planned.protocol.kind
    found = ((item.id, gold_problem(kind, item.gold, item.options)) for item in planned.items)
    gated = planned.loaded.task.gated  # the reason quotes the gold
    return [(item, f"cannot be read as {kind}" if gated else problem) for item, problem in found if problem]


def readable(task: Task, items: Iterable[Item]) -> Iterator[Item]:
    """The items whose gold can be read: the others have no score under any setting."""
    return (item for item in items if not gold_problem(task.kind, item.gold, item.options))


def longest_answer(checkpoint: Checkpoint) -> int:
    """The default token limit of this checkpoint."""
    return min(LONGEST_ANSWER, checkpoint.context * 3 // 4)


def check_context(checkpoint: Checkpoint, max_tokens: int) -> None:
    """Refuse a token limit that leaves no room for a prompt.

    Raises:
        RequestError: the limit is not below the context.
    """
    if max_tokens >= checkpoint.context:
        raise RequestError(
            f"--max-tokens {max_tokens} leaves no room for a prompt: the context of {checkpoint.name} is "
            f"{checkpoint.context} tokens, so ask for less than that"
        )


def _sampling(wish: Wish, checkpoint: Checkpoint) -> Sampling:
    temperature = wish.temperature
    if temperature is None:
        temperature = SAMPLING_TEMPERATURE if wish.samples > 1 else 0.0
    if temperature == 0 and wish.samples > 1:
        raise RequestError(
            f"--temperature 0 with --samples {wish.samples}: greedy answers are all the same; "
            "ask for one sample, or for a temperature above 0"
        )
    limit = wish.max_tokens or longest_answer(checkpoint)
    check_context(checkpoint, limit)
    return Sampling(temperature, wish.top_p if temperature else 1.0, wish.samples, limit, wish.seed)
