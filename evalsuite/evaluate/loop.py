"""The one loop: requests to the engine, completions to the store, rollouts to the grader."""

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from evalsuite.catalog.checkpoint import load_tokenizer
from evalsuite.catalog.items import Item
from evalsuite.engines.base import Engine, Request, RequestFailedError
from evalsuite.errors import RequestError, RunError
from evalsuite.evaluate.adopt import Donors, engines_of
from evalsuite.evaluate.cells import Planned
from evalsuite.evaluate.limits import decoder
from evalsuite.evaluate.plan import Plan
from evalsuite.evaluate.regrade import begins_thinking, gradable, grade_job, grade_missing, make_pool
from evalsuite.evaluate.run import Key, Run, load_run, note_session, open_run, verdict_file, verdict_record
from evalsuite.evaluate.watch import Watch
from evalsuite.grading.grade import grader_hash
from evalsuite.grading.pool import GraderPool
from evalsuite.protocol import rollout_seed
from evalsuite.rollouts import jsonl, store
from evalsuite.rollouts.record import FinishReason, Rollout


class _Prompt(NamedTuple):
    ids: tuple[int, ...]
    text: str


Prompts = dict[tuple[str, str], _Prompt]
"""By cell and item."""

MakeEngine = Callable[[Path, int], Engine]
"""Loads the engine, given the file for its log and the longest sequence it must hold, in tokens.

Called inside a running event loop, and only if there is something to generate.
"""


@dataclass(frozen=True, slots=True)
class Job:
    """One rollout to be had."""

    planned: Planned
    item: Item
    sample: int

    @property
    def prompt_key(self) -> tuple[str, str]:
        """Cell and item: what decides the prompt."""
        return (self.planned.protocol.cell, self.item.id)

    @property
    def key(self) -> Key:
        """The key of its rollout."""
        return (*self.prompt_key, self.sample)

    @property
    def max_tokens(self) -> int:
        """The token limit of its answer."""
        return self.planned.protocol.sampling.known[2]


Schedule = Callable[[Run, GraderPool], Iterable[Job]]
"""Which rollouts a run needs next, stored ones included, given all that is stored. Nothing new means that it is done.

It is asked again when those it named are there and graded, so that what comes next may depend on them.
"""


def jobs_of(planned: Planned, items: Iterable[Item]) -> Iterator[Job]:
    """All samples of an item follow each other, so that the engine can share their prompt."""
    for item in items:
        for sample in range(planned.protocol.sampling.samples):
            yield Job(planned, item, sample)


def evaluate(
    plan: Plan,
    folder: Path,
    make_engine: MakeEngine,
    watch: Watch,
    donors: Donors | None = None,
    schedule: Schedule | None = None,
) -> None:
    """Bring the run in `folder` to completion: what is there stays, what is missing is generated and graded.

    What `donors` hold is taken from them instead. Without a `schedule`, all that is planned is asked at once.

    Raises:
        RequestError: the folder holds another run, another process writes it, or the disk is full.
        RunError: the engine did not start or died; what is done is kept.
    """
    with store.lock(folder):
        open_run(folder, plan)
        everything = [job for planned in plan.planned for job in jobs_of(planned, planned.items)]
        done = _done(load_run(folder))
        with make_pool(beside_engine=any(job.key not in done for job in everything)) as pool:
            rounds = _Rounds(plan, folder, make_engine, watch, donors or Donors((), ()), pool, everything)
            _run(rounds.finish(schedule or (lambda run, pool: everything)))


def _done(run: Run) -> set[Key]:
    return {key for key, rollout in run.rollouts.items() if rollout.finish_reason is not FinishReason.ERROR}


def _run(main: Coroutine[Any, Any, None]) -> None:
    """Run a coroutine to its end, and raise the first plain error of a group of tasks."""
    try:
        asyncio.run(main)
    except* (RequestError, RunError) as group:
        error: BaseException = group
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        raise error from None


class _Rounds:
    """One call of `evaluate`: rounds of jobs over one engine, which is loaded when it is first needed."""

    def __init__(
        self,
        plan: Plan,
        folder: Path,
        make_engine: MakeEngine,
        watch: Watch,
        donors: Donors,
        pool: GraderPool,
        everything: list[Job],
    ) -> None:
        self._plan, self._folder, self._make_engine, self._watch = plan, folder, make_engine, watch
        self._donors, self._pool, self._everything = donors, pool, everything
        self._prompts: Prompts = {}
        self._engine: Engine | None = None

    async def finish(self, schedule: Schedule) -> None:
        """Round after round, until the schedule wants nothing that is not there. A failed request is not repeated."""
        tried: set[Key] = set()
        try:
            while True:
                run = load_run(self._folder)
                grade_missing(run, self._pool, self._watch)
                asked = list(schedule(load_run(self._folder), self._pool))
                there = _done(run) | tried
                missing = [job for job in asked if job.key not in there]
                if not missing:
                    return
                todo = self._adopt(missing)
                if todo:
                    self._watch.begin("generating", len(asked), len(asked) - len(todo))
                    await self._generate(todo)
                    tried |= {job.key for job in todo}
        finally:
            if self._engine:
                self._engine.close()

    def _adopt(self, jobs: list[Job]) -> list[Job]:
        """Take what other runs hold; the jobs that nobody has done yet."""
        if not self._donors.folders:
            return jobs
        wanted = {job.key: job.max_tokens for job in jobs}
        found = self._donors.take(wanted, decoder(self._plan.checkpoint.path))
        if not found:
            return jobs
        adopted = {rollout.key for rollouts in found.values() for rollout in rollouts}
        self._write_prompts([job for job in jobs if job.key in adopted])
        counts = {folder.name: len(rollouts) for folder, rollouts in found.items()}
        engines = [engine for folder in found for engine in engines_of(folder)]
        note_session(self._folder, engines, counts)
        with jsonl.Appender(self._folder / store.ROLLOUTS) as file:
            for rollouts in found.values():
                for rollout in rollouts:
                    file.append(store.as_record(rollout))
        for name, count in counts.items():
            self._watch.say(f"taken over from {name}: {count:,} rollouts")
        return [job for job in jobs if job.key not in adopted]

    def _encode(self, jobs: Iterable[Job]) -> None:
        """The prompts of these jobs, each encoded once."""
        new = [job for job in jobs if job.prompt_key not in self._prompts]
        if not new:
            return
        tokenizer = load_tokenizer(self._plan.checkpoint.path)
        for job in new:
            if job.prompt_key not in self._prompts:
                ids = job.planned.encode(job.item, tokenizer)
                self._prompts[job.prompt_key] = _Prompt(ids, tokenizer.decode(ids, skip_special_tokens=False))

    def _write_prompts(self, jobs: list[Job]) -> None:
        """Write down what the model receives."""
        self._encode(jobs)
        written = {(r["cell"], r["item"]) for r in jsonl.read(self._folder / store.PROMPTS)}
        with jsonl.Appender(self._folder / store.PROMPTS) as file:
            for job in jobs:
                if job.prompt_key not in written:
                    written.add(job.prompt_key)
                    (cell, item), prompt = job.prompt_key, self._prompts[job.prompt_key]
                    names = {"cell": cell, "task": job.item.task, "item": item}
                    file.append(names | {"tokens": len(prompt.ids), "text": prompt.text})

    def _load_engine(self) -> Engine:
        """The engine, large enough for all that may still be asked."""
        if self._engine is None:
            self._encode(self._everything)
            longest = max(
                len(self._prompts[j.prompt_key].ids) + j.planned.protocol.sampling.known[2] for j in self._everything
            )
            log = self._folder / store.ENGINE_LOG
            self._engine = self._make_engine(log, min(longest, self._plan.checkpoint.context))
            note_session(self._folder, [self._engine.description])
        return self._engine

    async def _generate(self, jobs: list[Job]) -> None:
        self._write_prompts(jobs)
        engine = self._load_engine()
        slots = asyncio.Semaphore(engine.concurrency)
        with (
            jsonl.Appender(self._folder / store.ROLLOUTS) as rollouts,
            jsonl.Appender(verdict_file(self._folder, grader_hash())) as verdicts,
        ):

            async def do(job: Job) -> None:
                prompt = self._prompts[job.prompt_key]
                try:
                    rollout = await _answer(job, prompt.ids, self._plan.checkpoint.context, engine)
                finally:
                    slots.release()
                rollouts.append(store.as_record(rollout))
                self._watch.generated(rollout)
                if gradable(rollout):
                    thinking = begins_thinking(prompt.text)
                    asked = grade_job(job.planned.protocol, job.item, rollout, thinking=thinking)
                    verdict = await asyncio.wrap_future(self._pool.submit(asked))
                    verdicts.append(verdict_record(rollout.key, verdict))
                    self._watch.graded(rollout, verdict)

            async with asyncio.TaskGroup() as group:
                for job in jobs:
                    await slots.acquire()
                    group.create_task(do(job))


async def _answer(job: Job, prompt: tuple[int, ...], context: int, engine: Engine) -> Rollout:
    """The rollout of one job, whatever becomes of it. A prompt that fills the context is never cut, and never sent."""
    protocol = job.planned.protocol
    temperature, top_p, max_tokens = protocol.sampling.known
    seed = rollout_seed(protocol.cell, job.item.id, job.sample)
    build = partial(Rollout, protocol.cell, protocol.task, job.item.id, job.sample, seed, len(prompt))
    room = context - len(prompt)
    if room <= 0:
        return build(text="", token_ids=(), finish_reason=FinishReason.PROMPT_TOO_LONG)
    request = Request(
        id="-".join(map(str, job.key)),
        prompt_ids=prompt,
        temperature=temperature,
        top_p=top_p,
        max_tokens=min(max_tokens, room),
        stop=protocol.stop,
        seed=seed if temperature > 0 else None,
    )
    try:
        answer = await engine.complete(request)
    except RequestFailedError as error:
        return build(text="", token_ids=(), finish_reason=FinishReason.ERROR, error=str(error))
    return build(
        text=answer.text,
        token_ids=answer.token_ids,
        finish_reason=FinishReason(answer.finish_reason),
        stop_reason=answer.stop_reason,
    )
