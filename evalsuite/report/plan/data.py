"""What a comparison over a suite would need, task by task and for the average."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from evalsuite.stats.levels import Spread
from evalsuite.stats.planning import (
    CORRELATION,
    PairedVariance,
    items_needed,
    samples_needed,
    smallest_effect,
)

AVERAGE = "average"
FEW = 100
"""Variances of fewer items are called a first guess."""


@dataclass(frozen=True, slots=True)
class Need:
    """What one task, or the average over all, needs; effects are fractions.

    `now` is the smallest effect seen with the samples that are taken now, `floor` the one with infinitely many.
    `samples` an item show the effect asked for, which takes `rollouts` of each model; both are None where no number of
    samples shows it. `items_wanted` is how many items of this kind would show it with infinitely many samples (None for
    the average).
    """

    name: str
    items: int
    now: float
    floor: float
    samples: int | None
    rollouts: int | None
    items_wanted: int | None


@dataclass(frozen=True, slots=True)
class SamplePlan:
    """The needs of each task of a suite and of its average, to see a difference of `effect`.

    `origin` says of each task where its variances come from, `spreads` holds what each run shows of its tasks.
    """

    suite: str
    effect: float
    samples_now: int
    tasks: tuple[Need, ...]
    average: Need
    variances: Mapping[str, PairedVariance]
    origin: Mapping[str, str]
    spreads: Mapping[str, Mapping[str, Spread]]


def sample_plan(
    suite: str,
    variances: Mapping[str, PairedVariance],
    effect: float,
    samples_now: int,
    origin: Mapping[str, str],
    spreads: Mapping[str, Mapping[str, Spread]],
) -> SamplePlan:
    """The plan for these tasks; the average takes the same number of samples an item in all of them."""
    return SamplePlan(
        suite=suite,
        effect=effect,
        samples_now=samples_now,
        tasks=tuple(_need(task, [variance], effect, samples_now) for task, variance in variances.items()),
        average=_need(AVERAGE, list(variances.values()), effect, samples_now),
        variances=variances,
        origin=origin,
        spreads=spreads,
    )


def _need(name: str, tasks: Sequence[PairedVariance], effect: float, samples_now: int) -> Need:
    items = sum(task.items for task in tasks)
    samples = samples_needed(tasks, effect)
    return Need(
        name=name,
        items=items,
        now=smallest_effect(tasks, samples_now),
        floor=smallest_effect(tasks),
        samples=samples,
        rollouts=None if samples is None else samples * items,
        items_wanted=None if name == AVERAGE else items_needed(tasks[0], effect),
    )


def conclusion(plan: SamplePlan) -> str:
    """The plan in plain words."""
    asked = in_points(plan.effect)
    never = [need.name for need in plan.tasks if need.samples is None]
    alone = len(plan.tasks) == 1
    what = plan.tasks[0].name if alone else f"the average of {plan.suite}"
    average = plan.average
    if average.samples is None:
        said = (
            f"No number of samples makes {what} show {asked}: "
            f"the smallest difference it can show is one of {points(average.floor)}."
        )
    else:
        said = (
            f"To show {asked}, {what} needs {average.samples:,} sample{'s' if average.samples > 1 else ''} an item: "
            f"{average.rollouts:,} rollouts of each model."
        )
    if never and not alone:
        said += f" {_these(never, len(plan.tasks))} show it alone: only more items would help."
    return said


def assumptions(plan: SamplePlan) -> list[str]:
    """What the numbers rest on, one line each."""
    lines = ["Paired over items, two-sided 5 %, 80 % power; rollouts are those of one of two models."]
    if few := [min(one.items for one in runs.values()) for runs in plan.spreads.values()]:
        lines += [f"Variances of {min(few)} items are a first guess."] if min(few) < FEW else []
    by_origin: dict[str, list[str]] = {}
    for task, origin in plan.origin.items():
        by_origin.setdefault(origin, []).append(task)
    if len(by_origin) == 1:
        (origin,) = by_origin
        return [*lines, origin[0].upper() + origin[1:]]
    return lines + [f"{', '.join(tasks)}: {origin}" for origin, tasks in by_origin.items()]


MEASURED = "variances of the items' differences are those of the two runs."
ONE_RUN = (
    "variances are those of the run, the other model's taken to be equal; "
    f"the two models' success rates are assumed to correlate by {CORRELATION:.2f} over items."
)
ASSUMED = (
    "variances are assumed, not measured: success rates evenly spread over items and correlated by "
    f"{CORRELATION:.2f} between the models (the example of Miller 2024, arXiv 2411.00640, section 5)."
)


def plan_json(plan: SamplePlan) -> dict[str, Any]:
    """Plain data: effects are fractions."""
    tasks = [
        asdict(need)
        | {
            "between": plan.variances[need.name].between,
            "within": plan.variances[need.name].within,
            "variances": plan.origin[need.name],
        }
        for need in plan.tasks
    ]
    return {
        "suite": plan.suite,
        "effect": plan.effect,
        "alpha": 0.05,
        "power": 0.8,
        "samples_now": plan.samples_now,
        "tasks": tasks,
        "average": asdict(plan.average),
        "spreads": {run: {task: asdict(one) for task, one in spreads.items()} for run, spreads in plan.spreads.items()},
        "conclusion": conclusion(plan),
    }


def in_points(effect: float) -> str:
    """An effect with its unit, as "1 point" or "2.5 points"."""
    return f"{100 * effect:g} point{'' if effect == 0.01 else 's'}"


def points(share: float) -> str:
    """A share as points, without a sign."""
    return f"{100 * share:.1f}"


def _these(names: Sequence[str], of: int) -> str:
    if len(names) == of:
        return "None of its tasks can"
    before = ", ".join(names[:-1])
    return f"{f'{before} and ' if before else ''}{names[-1]} cannot"
