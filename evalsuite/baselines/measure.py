"""One model's part of a sealed baseline, worked out from its stored sweep and its scored run alone."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalsuite.baselines.choose import spread
from evalsuite.baselines.course import fold_numbers
from evalsuite.baselines.seal import rollouts_hash
from evalsuite.baselines.stored import Stored
from evalsuite.baselines.sweep import SweepState, TaskSweep
from evalsuite.errors import RequestError
from evalsuite.evaluate.adopt import engines_of
from evalsuite.evaluate.run import Run
from evalsuite.protocol import Parser, Setting, digest
from evalsuite.stats.averages import weighted_mean
from evalsuite.stats.intervals import Estimate, mean_interval, widened


@dataclass(frozen=True, slots=True)
class Chosen:
    """The setting that one race chose, and the items that are scored with it, by id.

    `fold` is None where it was chosen on dev items.
    """

    setting: Setting
    items: tuple[str, ...]
    fold: int | None


def chosen_of(task: TaskSweep, scored: Sequence[str]) -> list[Chosen]:
    """What a task's races chose for its scored items; where it is cross-fitted, these are the choice items."""
    winners = task.winners
    if not winners:
        raise RequestError(f"{task.task}: nothing is chosen yet: the sweep is not through its first round")
    folds = task.facts["folds"]
    if folds is None:
        return [Chosen(task.table.setting(winners[0]), tuple(scored), None)]
    items = np.array(task.table.items)
    fold = fold_numbers(len(items), folds)
    return [
        Chosen(task.table.setting(winner), tuple(items[fold == number].tolist()), number)
        for number, winner in enumerate(winners)
    ]


def item_scores(
    stored: Stored, task: str, chosen: Sequence[Chosen], parser: Parser | None = None
) -> NDArray[np.float64]:
    """The score of every item under the setting chosen for it, in the order of `chosen`; another parser if named."""
    parts = [
        stored.scores(task, replace(one.setting, parser=parser or one.setting.parser), one.items) for one in chosen
    ]
    return np.concatenate(parts)


def measure(run: Run, state: SweepState, scored: Run, stored: Stored) -> dict[str, Any]:
    """The model's entry: `run` and `state` are its sweep, `scored` the run over the scored items.

    Raises:
        RequestError: scored items have no score: they were never generated.
    """
    tasks = {task.task: _measure_task(task, run, scored, stored) for task in state.tasks}
    means = [Estimate(**entry["accuracy"]) for entry in tasks.values()]
    checkpoint = run.manifest["checkpoint"]
    return {
        "name": checkpoint["name"],
        "checkpoint_sha256": checkpoint["sha256"],
        "path": checkpoint["path"],
        "treatment": checkpoint["treatment"],
        "engines": _each_once(engine for folder in (run.folder, scored.folder) for engine in engines_of(folder)),
        "sweep": _source(run) | {"tokens": state.spent, "complete": state.over},
        "scored": _source(scored),
        "tasks": tasks,
        "average": asdict(weighted_mean(means)),
        "left_out": run.manifest["left_out"],
    }


def _measure_task(task: TaskSweep, run: Run, scored: Run, stored: Stored) -> dict[str, Any]:
    items = tuple(item for name, item in scored.items if name == task.task)
    chosen = chosen_of(task, items)
    own = item_scores(stored, task.task, chosen)
    doubt = spread([one.setting for one in chosen])
    if missing := int(np.isnan(own).sum()):
        raise RequestError(f"{scored.folder}: {task.task}: {missing} of {len(own)} scored items have no score")
    if digest(sorted(items)) != task.facts["scored_sha256"]:
        raise RequestError(f"{scored.folder}: {task.task}: not the items that the sweep was made for")
    facts = run.task_facts(task.task)
    return {
        "data_sha256": facts["sha256"],
        "kind": str(task.table.protocols[0].kind),
        "choice": {
            "split": task.facts["split"],
            "items": len(task.table.items),
            "items_sha256": digest(list(task.table.items)),
            "folds": task.facts["folds"],
            "note": task.facts["note"],
        },
        "scored": {"items": len(items), "items_sha256": digest(sorted(items))},
        "cells": len(task.table.protocols),
        "dropped": int(task.dropped.sum()),
        "impossible": task.facts["impossible"],
        "chosen": [_chosen_entry(one) for one in chosen],
        "accuracy": asdict(widened(mean_interval(own), doubt)),
        "strict": asdict(widened(mean_interval(item_scores(stored, task.task, chosen, "strict")), doubt)),
        "optimism": task.optimism,
    }


def _each_once(engines: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for engine in engines:
        if engine not in found:
            found.append(engine)
    return found


def _chosen_entry(one: Chosen) -> dict[str, Any]:
    return {
        "fold": one.fold,
        "items": len(one.items),
        "items_sha256": digest(sorted(one.items)),
        **asdict(one.setting),
    }


def _source(run: Run) -> dict[str, Any]:
    return {"run": run.name, "rollouts": len(run.rollouts), "rollouts_sha256": rollouts_hash(run.rollouts.values())}
