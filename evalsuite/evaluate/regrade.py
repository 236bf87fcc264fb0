"""Verdicts for stored rollouts: no model needed, and nothing overwritten. A new grader adds a file beside the old."""

import os
from collections.abc import Iterable, Iterator

from evalsuite.catalog.items import AnswerFormat, Item
from evalsuite.evaluate.run import Key, Run, read_verdicts, verdict_file, verdict_record
from evalsuite.evaluate.watch import Watch
from evalsuite.grading.grade import grader_hash
from evalsuite.grading.pool import GradeJob, GraderPool
from evalsuite.protocol import Protocol
from evalsuite.rollouts import jsonl
from evalsuite.rollouts.record import FinishReason, Rollout

IN_FLIGHT = 10_000
THINK = "<think>"


def make_pool(*, beside_engine: bool) -> GraderPool:
    """A grading process for every core, or beside an engine for every fourth: it needs the others on a laptop."""
    cores = os.cpu_count() or 1
    return GraderPool(workers=max(1, min(8, cores // 4)) if beside_engine else min(16, cores))


def grade_job(protocol: Protocol, item: Item, rollout: Rollout, *, thinking: bool) -> GradeJob:
    """What the grader needs of a rollout; `thinking` says that its prompt ends inside the thinking.

    The grader reads the answer alone, so that it must be told of thinking which the prompt began and the limit cut off.
    A model that ended by itself without a closing tag has answered and let the tags be.
    """
    cut_off = rollout.finish_reason is FinishReason.LENGTH
    return GradeJob(
        kind=protocol.kind,
        gold=item.gold,
        options=item.options,
        text=THINK + rollout.text if thinking and cut_off else rollout.text,
        answer_format=AnswerFormat(protocol.answer_format),
        cut_off=cut_off,
    )


def gradable(rollout: Rollout) -> bool:
    """Whether the model gave a text at all."""
    return rollout.finish_reason in (FinishReason.STOP, FinishReason.LENGTH, FinishReason.UNKNOWN)


def grade_missing(run: Run, pool: GraderPool, watch: Watch, max_tokens: int | None = None) -> int:
    """Grade the rollouts that the present grader has not graded yet; returns how many. The caller holds the run's lock.

    `max_tokens` says at which smaller limit the rollouts of this run were cut off, if they were.

    A killed grading loses nothing: what was written stays, and the same call does the rest.
    """
    grader = grader_hash()
    graded = read_verdicts(run.folder, grader, max_tokens)
    missing = [r for r in run.rollouts.values() if gradable(r) and r.key not in graded]
    if not missing:
        return 0
    watch.begin("grading", len(missing))
    protocols = {p.cell: p for p in run.protocols}
    with jsonl.Appender(verdict_file(run.folder, grader, max_tokens)) as verdicts:
        for chunk in _chunks(missing):
            futures = [pool.submit(_job(run, protocols[r.cell], r)) for r in chunk]
            for rollout, future in zip(chunk, futures, strict=True):
                verdict = future.result()
                verdicts.append(verdict_record(rollout.key, verdict))
                watch.graded(rollout, verdict)
    return len(missing)


def changed_verdicts(run: Run, pool: GraderPool, watch: Watch) -> list[Key]:
    """The rollouts whose stored verdict is not what the present grader says of them: every one is graded again.

    `run.verdicts` must be those of the present grader.
    """
    protocols = {p.cell: p for p in run.protocols}
    rollouts = [rollout for rollout in run.rollouts.values() if gradable(rollout)]
    watch.begin("grading", len(rollouts))
    changed = []
    for chunk in _chunks(rollouts):
        futures = [pool.submit(_job(run, protocols[r.cell], r)) for r in chunk]
        for rollout, future in zip(chunk, futures, strict=True):
            verdict = future.result()
            watch.graded(rollout, verdict)
            if run.verdicts.get(rollout.key) != verdict:
                changed.append(rollout.key)
    return changed


def begins_thinking(prompt: str) -> bool:
    """Whether what follows this prompt is thinking: templates of reasoning models end so, and the r1 prompt does."""
    return prompt.rstrip().endswith(THINK)


def _job(run: Run, protocol: Protocol, rollout: Rollout) -> GradeJob:
    thinking = begins_thinking(run.prompts.get((rollout.cell, rollout.item), ""))
    return grade_job(protocol, run.items[rollout.task, rollout.item], rollout, thinking=thinking)


def ungraded(run: Run) -> list[Key]:
    """Rollouts that have a text but no verdict in `run.verdicts`."""
    return [r.key for r in run.rollouts.values() if gradable(r) and r.key not in run.verdicts]


def _chunks(rollouts: list[Rollout]) -> Iterator[Iterable[Rollout]]:
    for start in range(0, len(rollouts), IN_FLIGHT):
        yield rollouts[start : start + IN_FLIGHT]
