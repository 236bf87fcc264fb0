"""What a run comes to: one row a task, one for the suite's average, and every rollout accounted for."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from evalsuite.catalog.items import AnswerKind
from evalsuite.grading.verdict import Verdict
from evalsuite.protocol import Protocol
from evalsuite.rollouts.record import FinishReason, Rollout
from evalsuite.stats.averages import weighted_mean
from evalsuite.stats.intervals import Estimate, mean_interval
from evalsuite.stats.levels import Spread, spread

Verdicts = Mapping[tuple[str, str, int], Verdict]
"""Verdicts by `Rollout.key`."""


@dataclass(frozen=True, slots=True)
class TaskRow:
    """One task under one protocol.

    `max_tokens` is the token limit of an answer. `items` have a score, out of `official_items` (None where unknown). Of
    the `expected` rollouts, `done` are stored and `failed` were given up by the engine. Of those done, `too_long`
    prompts count as wrong, and `unscored` rollouts count as nothing: they have no verdict, or one without a score.
    `cut_off` is the share of answers that the token limit ended (None where that is unknown of any), `no_answer` the
    share of graded answers in which no final answer was found, cut off or not. `score` is the mean token F1, for text
    answers only. `spread` is the accuracy's variance in its two levels; None of fewer than two items.
    """

    task: str
    cell: str
    prompt: str
    items: int
    official_items: int | None
    samples: int
    max_tokens: int | None
    expected: int
    done: int
    accuracy: Estimate | None
    strict: Estimate | None
    score: Estimate | None
    cut_off: float | None
    no_answer: float | None
    failed: int
    too_long: int
    unscored: int
    gated: bool
    notes: tuple[str, ...]
    spread: Spread | None = None

    @property
    def format_tax(self) -> float | None:
        """The share of answers that are right but not in the format asked for."""
        return self.accuracy.value - self.strict.value if self.accuracy and self.strict else None

    @property
    def shortfall(self) -> str:
        """What keeps this row from being complete, in words; empty where nothing does."""
        to_come = self.expected - self.done - self.failed
        parts = (
            f"{to_come:,} of {self.expected:,} rollouts are still to come" if to_come > 0 else "",
            f"{self.failed:,} of {self.expected:,} requests failed" if self.failed else "",
            f"{self.unscored:,} of {self.done:,} rollouts have no score" if self.unscored else "",
        )
        return ", ".join(part for part in parts if part)

    @property
    def complete(self) -> bool:
        """Whether every planned rollout is done and scored."""
        return not self.shortfall


@dataclass(frozen=True, slots=True)
class SuiteRow:
    """The plain mean over those of the suite's tasks that have a score: `tasks`; `format_tax` is the mean of theirs.

    `missing` holds pairs of a task and why: each one that has no score, or whose row is not complete.
    """

    suite: str
    mean: Estimate | None
    format_tax: float | None
    tasks: tuple[str, ...]
    missing: tuple[tuple[str, str], ...]
    complete: bool


@dataclass(frozen=True, slots=True)
class Summary:
    """A run of one checkpoint. `left_out` holds pairs of a task that was asked for but not run, and why."""

    run: str
    checkpoint: str
    tasks: tuple[TaskRow, ...]
    suite: SuiteRow | None
    left_out: tuple[tuple[str, str], ...] = ()


def summarise_task(
    protocol: Protocol,
    rollouts: Iterable[Rollout],
    verdicts: Verdicts,
    *,
    official_items: int | None,
    gated: bool,
    notes: tuple[str, ...] = (),
) -> TaskRow:
    """One protocol's row: the mean over items of each item's mean over its scored samples.

    Rollouts of other cells are passed over; each key may come once.
    """
    cell = protocol.cell
    ends: Counter[FinishReason] = Counter()
    scores: dict[str, list[tuple[float, float, float]]] = defaultdict(list)
    graded = unanswered = unscored = 0
    for rollout in rollouts:
        if rollout.cell != cell:
            continue
        ends[rollout.finish_reason] += 1
        if rollout.finish_reason is FinishReason.ERROR:
            continue
        if rollout.finish_reason is FinishReason.PROMPT_TOO_LONG:
            scores[rollout.item].append((0.0, 0.0, 0.0))
            continue
        verdict = verdicts.get(rollout.key)
        if verdict is not None:
            graded += 1
            unanswered += verdict.extracted is None
        if verdict is None or verdict.correct is None:
            unscored += 1
        else:
            scores[rollout.item].append((float(verdict.correct), float(verdict.strict or 0), verdict.score or 0.0))

    known = ends[FinishReason.STOP] + ends[FinishReason.LENGTH]
    answers = known + ends[FinishReason.UNKNOWN]
    return TaskRow(
        task=protocol.task,
        cell=cell,
        prompt=protocol.prompt,
        items=len(scores),
        official_items=official_items,
        samples=protocol.sampling.samples,
        max_tokens=protocol.sampling.max_tokens,
        expected=protocol.n_items * protocol.sampling.samples,
        done=answers + ends[FinishReason.PROMPT_TOO_LONG],
        accuracy=_mean_over_items(scores, 0),
        strict=_mean_over_items(scores, 1),
        score=_mean_over_items(scores, 2) if protocol.kind is AnswerKind.QA else None,
        cut_off=ends[FinishReason.LENGTH] / known if known == answers > 0 else None,
        no_answer=unanswered / graded if graded else None,
        failed=ends[FinishReason.ERROR],
        too_long=ends[FinishReason.PROMPT_TOO_LONG],
        unscored=unscored,
        gated=gated,
        notes=notes,
        spread=_spread(scores),
    )


def summarise_suite(
    suite: str, members: Sequence[str], rows: Sequence[TaskRow], left_out: Mapping[str, str]
) -> SuiteRow | None:
    """The suite's average over those of its `members` that have a score; `left_out` says why a task was not run.

    None where a member appears in several rows: there is then no one average.
    """
    of_suite = [row for row in rows if row.task in members]
    by_task = {row.task: row for row in of_suite}
    if len(by_task) < len(of_suite):
        return None
    accuracies = {task: row.accuracy for task, row in by_task.items() if row.accuracy is not None}
    missing = tuple(
        (task, why)
        for task in members
        if (why := by_task[task].shortfall if task in by_task else left_out.get(task, "was not run"))
    )
    return SuiteRow(
        suite=suite,
        mean=weighted_mean(list(accuracies.values())) if accuracies else None,
        format_tax=fmean(by_task[task].format_tax or 0 for task in accuracies) if accuracies else None,
        tasks=tuple(accuracies),
        missing=missing,
        complete=not missing,
    )


def counts(protocol: Protocol, rollouts: Iterable[Rollout], verdicts: Verdicts) -> dict[str, tuple[int, int]]:
    """Per item, how many samples were scored and how many of them are right, by the rules of `summarise_task`."""
    cell = protocol.cell
    tally: dict[str, tuple[int, int]] = {}
    for rollout in rollouts:
        if rollout.cell != cell or rollout.finish_reason is FinishReason.ERROR:
            continue
        verdict = verdicts.get(rollout.key)
        too_long = rollout.finish_reason is FinishReason.PROMPT_TOO_LONG
        right = False if too_long else verdict.correct if verdict else None
        if right is not None:
            n, c = tally.get(rollout.item, (0, 0))
            tally[rollout.item] = (n + 1, c + right)
    return tally


def _spread(scores: Mapping[str, Sequence[tuple[float, float, float]]]) -> Spread | None:
    return spread([len(one) for one in scores.values()], [round(sum(x[0] for x in one)) for one in scores.values()])


def _mean_over_items(scores: Mapping[str, Sequence[tuple[float, ...]]], column: int) -> Estimate | None:
    if not scores:
        return None
    return mean_interval([sum(sample[column] for sample in samples) / len(samples) for samples in scores.values()])
