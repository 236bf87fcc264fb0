"""The one loop: requests to the engine, completions to the store, rollouts to the grader."""

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from evalsuite.catalog.checkpoint import load_tokenizer
from evalsuite.catalog.items import Item
from evalsuite.engines.base import Engine, Request, RequestFailedError
from evalsuite.errors import RequestError, RunError
from evalsuite.evaluate.plan import Plan, Planned
from evalsuite.evaluate.regrade import begins_thinking, gradable, grade_job, grade_missing, make_pool
from evalsuite.evaluate.run import load_run, note_session, open_run, verdict_file, verdict_record
from evalsuite.evaluate.watch import Watch
from evalsuite.grading.grade import grader_hash
from evalsuite.grading.pool import GraderPool
from evalsuite.protocol import rollout_seed
from evalsuite.rollouts import jsonl, store
from evalsuite.rollouts.record import FinishReason, Rollout


class _Prompt(NamedTuple):
    ids: tuple[int, ...]
    thinking: bool
    """Whether what follows it is thinking."""


Prompts = dict[tuple[str, str], _Prompt]
"""By cell and item."""

MakeEngine = Callable[[Path, int], Engine]
"""Loads the engine, given the file for its log and the longest sequence it must hold, in tokens.

Called inside a running event loop, and only if there is something to generate.
"""


@dataclass(frozen=True, slots=True)
class _Job:
    planned: Planned
    item: Item
    sample: int

    @property
    def prompt_key(self) -> tuple[str, str]:
        return (self.planned.protocol.cell, self.item.id)

    @property
    def key(self) -> tuple[str, str, int]:
        return (*self.prompt_key, self.sample)


def evaluate(plan: Plan, folder: Path, make_engine: MakeEngine, watch: Watch) -> None:
    """Bring the run in `folder` to completion: what is there stays, what is missing is generated and graded.

    Raises:
        RequestError: the folder holds another run, another process writes it, or the disk is full.
        RunError: the engine did not start or died; what is done is kept.
    """
    with store.lock(folder):
        open_run(folder, plan)
        run = load_run(folder)
        done = {key for key, rollout in run.rollouts.items() if rollout.finish_reason is not FinishReason.ERROR}
        todo = [job for job in _jobs(plan) if job.key not in done]
        with make_pool(beside_engine=bool(todo)) as pool:
            grade_missing(run, pool, watch)
            if todo:
                prompts = _write_prompts(folder, todo, load_tokenizer(plan.checkpoint.path))
                _run(_generate(plan, folder, todo, prompts, make_engine, pool, watch))


def _jobs(plan: Plan) -> Iterator[_Job]:
    """All samples of an item follow each other, so that the engine can share their prompt."""
    for planned in plan.planned:
        for item in planned.items:
            for sample in range(planned.protocol.sampling.samples):
                yield _Job(planned, item, sample)


def _write_prompts(folder: Path, jobs: list[_Job], tokenizer: Any) -> Prompts:
    """Encode each prompt once, and write down what the model will receive."""
    written = {(r["cell"], r["item"]) for r in jsonl.read(folder / store.PROMPTS)}
    prompts: Prompts = {}
    with jsonl.Appender(folder / store.PROMPTS) as file:
        for job in jobs:
            if job.prompt_key in prompts:
                continue
            ids = job.planned.encode(job.item, tokenizer)
            text = tokenizer.decode(ids, skip_special_tokens=False)
            prompts[job.prompt_key] = _Prompt(ids, begins_thinking(text))
            if job.prompt_key not in written:
                cell, item = job.prompt_key
                file.append({"cell": cell, "task": job.item.task, "item": item, "tokens": len(ids), "text": text})
    return prompts


def _run(main: Coroutine[Any, Any, None]) -> None:
    """Run a coroutine to its end, and raise the first plain error of a group of tasks."""
    try:
        asyncio.run(main)
    except* (RequestError, RunError) as group:
        error: BaseException = group
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        raise error from None


async def _generate(
    plan: Plan,
    folder: Path,
    jobs: list[_Job],
    prompts: Prompts,
    make_engine: MakeEngine,
    pool: GraderPool,
    watch: Watch,
) -> None:
    longest = max(len(prompts[job.prompt_key].ids) + job.planned.protocol.sampling.known[2] for job in jobs)
    engine = make_engine(folder / store.ENGINE_LOG, min(longest, plan.checkpoint.context))
    try:
        note_session(folder, engine.description)
        watch.begin("generating", plan.total, plan.total - len(jobs))
        slots = asyncio.Semaphore(engine.concurrency)
        with (
            jsonl.Appender(folder / store.ROLLOUTS) as rollouts,
            jsonl.Appender(verdict_file(folder, grader_hash())) as verdicts,
        ):

            async def do(job: _Job) -> None:
                prompt = prompts[job.prompt_key]
                try:
                    rollout = await _answer(job, prompt.ids, plan.checkpoint.context, engine)
                finally:
                    slots.release()
                rollouts.append(store.as_record(rollout))
                watch.generated(rollout)
                if gradable(rollout):
                    asked = grade_job(job.planned.protocol, job.item, rollout, thinking=prompt.thinking)
                    verdict = await asyncio.wrap_future(pool.submit(asked))
                    verdicts.append(verdict_record(rollout.key, verdict))
                    watch.graded(rollout, verdict)

            async with asyncio.TaskGroup() as group:
                for job in jobs:
                    await slots.acquire()
                    group.create_task(do(job))
    finally:
        engine.close()


async def _answer(job: _Job, prompt: tuple[int, ...], context: int, engine: Engine) -> Rollout:
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
