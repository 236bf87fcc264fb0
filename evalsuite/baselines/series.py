"""A training run, step by step, against where it started: all steps are looked at together."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from evalsuite.baselines.fairness import check_ruler, unequal_effort
from evalsuite.baselines.sides import Side
from evalsuite.baselines.standing import own_scores
from evalsuite.errors import RequestError
from evalsuite.evaluate.adopt import engine_words
from evalsuite.stats.averages import weighted_mean
from evalsuite.stats.intervals import Estimate, mean_interval
from evalsuite.stats.power import detectable_effect
from evalsuite.stats.simultaneous import Together, joined_moments, mean_moments, moments, simultaneous


@dataclass(frozen=True, slots=True)
class Lead:
    """How far a step lies above the baseline, paired over items.

    The intervals of all leads of their kind (averages; or tasks) hold together at 95 %, and `p` is corrected likewise.
    """

    difference: Estimate
    p: float

    @property
    def beyond_noise(self) -> bool:
        """Whether the interval leaves out 0."""
        return self.difference.low > 0 or self.difference.high < 0


@dataclass(frozen=True, slots=True)
class Step:
    """One checkpoint: its accuracies with intervals of their own, by task and on average, and its leads."""

    step: int
    name: str
    accuracies: dict[str, Estimate]
    average: Estimate
    leads: dict[str, Lead]
    lead: Lead


@dataclass(frozen=True, slots=True)
class Series:
    """The steps in order, after the baseline.

    `tasks` holds how many items each task has. `detectable` is the smallest true lead of an average that such a look at
    all steps shows in 80 % of cases, a fraction. `notes` say what differs between the sides.
    """

    baseline: str
    tasks: dict[str, int]
    start: dict[str, Estimate]
    start_average: Estimate
    steps: tuple[Step, ...]
    critical: float
    detectable: float
    notes: tuple[str, ...]


def series(baseline: Side, steps: Mapping[int, Side], name: str) -> Series:
    """The steps of a training run against a baseline, which `name` calls by its name.

    Raises:
        RequestError: another ruler on one of them, or one that is not complete.
    """
    sides = [baseline, *steps.values()]
    for side in steps.values():
        check_ruler(baseline, side)
    tasks = [task for task in baseline.tasks if all(task in side.tasks for side in sides)]
    if not tasks:
        raise RequestError(f"{baseline.source}: no task that all steps have")
    start = {task: _scores(baseline, task) for task in tasks}
    scores = [{task: _scores(side, task) for task in tasks} for side in steps.values()]
    samples = min(_samples(side) for side in sides)
    found = [moments([one[task] - start[task] for one in scores], samples) for task in tasks]
    of_average = simultaneous(mean_moments(found))
    of_tasks = simultaneous(joined_moments(found))
    told = zip(steps.items(), scores, range(len(steps)), strict=True)
    return Series(
        baseline=name,
        tasks={task: start[task].size for task in tasks},
        start={task: mean_interval(start[task]) for task in tasks},
        start_average=weighted_mean([mean_interval(start[task]) for task in tasks]),
        steps=tuple(_step(step, side, one, i, (of_average, of_tasks)) for (step, side), one, i in told),
        critical=of_average.critical,
        detectable=max(detectable_effect(error, _level(of_average.critical)) for error in of_average.errors),
        notes=tuple(_notes(baseline, steps, tasks)),
    )


def _step(
    step: int, side: Side, scores: Mapping[str, NDArray[np.float64]], place: int, found: tuple[Together, Together]
) -> Step:
    of_average, of_tasks = found
    accuracies = {task: mean_interval(values) for task, values in scores.items()}
    # The leads of tasks stand one task after the other, each with all its steps.
    many = len(of_average.estimates)
    places = {task: number * many + place for number, task in enumerate(scores)}
    return Step(
        step=step,
        name=side.name,
        accuracies=accuracies,
        average=weighted_mean(list(accuracies.values())),
        leads={task: Lead(of_tasks.estimates[i], of_tasks.p[i]) for task, i in places.items()},
        lead=Lead(of_average.estimates[place], of_average.p[place]),
    )


def _scores(side: Side, task: str) -> NDArray[np.float64]:
    scores = own_scores(side, task)
    if np.isnan(scores).any():
        raise RequestError(f"{side.source}: {task} is not complete: `evalsuite eval` finishes it")
    return scores


def _samples(side: Side) -> int:
    settings = [setting for task in side.tasks.values() for setting in task.settings.values()]
    return 1 if any(setting.temperature == 0 for setting in settings) else int(side.offered["samples"])


def _level(critical: float) -> float:
    """The level of a single interval whose arms are so many standard errors long."""
    return 2 * NormalDist().cdf(critical) - 1


def _notes(baseline: Side, steps: Mapping[int, Side], tasks: Sequence[str]) -> Iterator[str]:
    sides = [baseline, *steps.values()]
    if lacking := sorted({task for side in sides for task in side.tasks} - set(tasks)):
        yield f"left out, because not every side has it: {', '.join(lacking)}"
    if not baseline.sealed:
        yield (
            f"{baseline.name} was asked in the steps' setting: what it does in settings of its own, "
            "`evalsuite baseline` tells, and --baseline takes its file"
        )
    for reason in dict.fromkeys(reason for side in steps.values() for reason in unequal_effort(baseline, side)):
        yield f"not offered the same: {reason}"
    for task in tasks:
        asked = {str(setting) for side in sides for setting in side.tasks[task].settings.values()}
        if len(asked) > 1:
            yield f"{task}: asked in {len(asked)} ways: {'; '.join(sorted(asked))}"
    engines = {engine_words(side.engines) for side in sides}
    if len(engines) > 1:
        yield f"several engines: {'; '.join(sorted(engines))}"
