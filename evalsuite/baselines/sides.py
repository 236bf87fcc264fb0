"""The two sides of a comparison: what each was offered, what it chose, and where its rollouts lie."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from evalsuite.baselines.choose import cross_fitted
from evalsuite.baselines.course import fold_numbers
from evalsuite.baselines.measure import Chosen
from evalsuite.baselines.plan import FOLDS
from evalsuite.baselines.seal import rollouts_hash
from evalsuite.baselines.stored import Stored
from evalsuite.errors import RequestError
from evalsuite.evaluate.adopt import answering, engines_of, same_checkpoint
from evalsuite.evaluate.run import Run, load_run
from evalsuite.evaluate.watch import Watch
from evalsuite.grading.pool import GraderPool
from evalsuite.protocol import Parser, Setting, digest, setting_of

PARSERS: tuple[Parser, ...] = ("lenient", "strict")


@dataclass(frozen=True, slots=True)
class SideTask:
    """One task of a side. `chosen` says with which setting each item is scored, `offered` from what it was chosen.

    `impossible` holds pairs of a cell that was offered and why the checkpoint could not be asked with it.
    """

    data_sha256: str
    split: str
    items: tuple[str, ...]
    chosen: tuple[Chosen, ...]
    offered: dict[str, Any]
    impossible: tuple[tuple[str, str], ...] = ()

    @property
    def settings(self) -> dict[str, Setting]:
        """The setting of each item."""
        return {item: one.setting for one in self.chosen for item in one.items}


@dataclass(frozen=True, slots=True)
class Side:
    """A model as it enters a comparison. `sealed` says whether its settings were chosen and sealed by `baseline`.

    `wish` is what it takes to generate more of the same: suite, tasks, samples, limit, seed, token limit.
    """

    name: str
    source: Path
    sha256: str
    path: str | None
    sealed: bool
    tasks: dict[str, SideTask]
    offered: dict[str, Any]
    wish: dict[str, Any]
    treatment: dict[str, Any]
    engines: tuple[dict[str, Any], ...]
    stored: Stored


def sealed_sides(file: Path, content: Mapping[str, Any], runs: Path, pool: GraderPool, watch: Watch) -> list[Side]:
    """The models of a sealed baseline whose seal holds.

    Raises:
        RequestError: their scored runs are not in `runs`, or their rollouts are not those that were sealed.
    """
    offered = {name: content[name] for name in ("grid", "samples", "limit", "dev_items", "budget", "race")}
    wish = {name: content[name] for name in ("suite", "tasks_asked", "samples", "limit", "seed")}
    wish["max_tokens"] = max(content["grid"]["max_tokens"])
    sides = []
    for model in content["models"]:
        scored = load_run(_folder(runs, model["scored"]["run"], file))
        if rollouts_hash(scored.rollouts.values()) != model["scored"]["rollouts_sha256"]:
            raise RequestError(
                f"{file}: the rollouts in {scored.folder} are not those that were sealed: they were changed since, "
                f"or the file was: `evalsuite baseline verify {file}` names what differs"
            )
        folders = [scored.folder, *_like(scored.folder, same_checkpoint(runs, model["checkpoint_sha256"]))]
        stored = Stored(list(dict.fromkeys(folders)), content["samples"], content["seed"], pool, watch)
        tasks = {name: _sealed_task(name, entry, scored) for name, entry in model["tasks"].items()}
        sides.append(
            Side(
                name=model["name"],
                source=file,
                sha256=model["checkpoint_sha256"],
                path=model["path"],
                sealed=True,
                tasks=tasks,
                offered=offered,
                wish=wish,
                treatment=model["treatment"],
                engines=tuple(model["engines"]),
                stored=stored,
            )
        )
    return sides


def run_side(folder: Path, runs: Path, pool: GraderPool, watch: Watch) -> Side:
    """A run as it is: its one cell a task, or of several the best, cross-fitted.

    Raises:
        RequestError: a sweep, or answers that were imported.
    """
    run = load_run(folder)
    if run.manifest.get("sweep"):
        raise RequestError(
            f"{folder}: a sweep, whose items only choose settings: `evalsuite baseline` scores what it chose"
        )
    if any(protocol.sampling.seed is None for protocol in run.protocols):
        raise RequestError(f"{folder}: imported answers, of which too little is known for a comparison")
    sampling = run.protocols[0].sampling
    checkpoint = run.manifest["checkpoint"]
    samples = max(protocol.sampling.samples for protocol in run.protocols)
    found = same_checkpoint(runs, checkpoint["sha256"])
    others = [other for other in _like(folder, found) if other.resolve() != folder.resolve()]
    stored = Stored([folder, *others], samples, sampling.seed, pool, watch)
    names = list(dict.fromkeys(protocol.task for protocol in run.protocols))
    tasks = {name: _run_task(name, run, stored) for name in names}
    return Side(
        name=checkpoint["name"],
        source=folder,
        sha256=checkpoint["sha256"],
        path=checkpoint["path"],
        sealed=False,
        tasks=tasks,
        offered={"samples": samples},
        wish={
            "suite": run.manifest["suite"],
            "tasks_asked": None if run.manifest["suite"] else ",".join(names),
            "samples": samples,
            "limit": None,
            "seed": sampling.seed,
            "max_tokens": sampling.max_tokens,
        },
        treatment=checkpoint["treatment"],
        engines=tuple(engines_of(folder)),
        stored=stored,
    )


def _like(folder: Path, others: Sequence[Path]) -> list[Path]:
    """Those of the other runs whose engines had the same options as this run's: float16 is no more of float32."""
    options = [answering(engine) for engine in engines_of(folder)]
    return [other for other in others if all(answering(engine) in options for engine in engines_of(other))]


def _sealed_task(name: str, entry: Mapping[str, Any], scored: Run) -> SideTask:
    items = tuple(item for task, item in scored.items if task == name)
    if digest(sorted(items)) != entry["scored"]["items_sha256"]:
        raise RequestError(f"{scored.folder}: {name}: not the items that the baseline was scored on")
    ordered = np.array(sorted(items))
    folds = entry["choice"]["folds"]
    chosen = []
    for one in entry["chosen"]:
        mine = ordered if one["fold"] is None else ordered[fold_numbers(len(ordered), folds) == one["fold"]]
        setting = Setting(**{field: one[field] for field in Setting.__dataclass_fields__})
        chosen.append(Chosen(setting, tuple(mine.tolist()), one["fold"]))
    split = next(protocol.split for protocol in scored.protocols if protocol.task == name)
    offered = {"choice": {key: entry["choice"][key] for key in ("split", "items", "items_sha256", "folds")}}
    impossible = tuple((cell, why) for cell, why in entry["impossible"])
    return SideTask(entry["data_sha256"], split, tuple(ordered.tolist()), tuple(chosen), offered, impossible)


def _run_task(name: str, run: Run, stored: Stored) -> SideTask:
    protocols = [protocol for protocol in run.protocols if protocol.task == name]
    unreadable = {item for item, _ in run.task_facts(name)["unreadable_golds"]}
    items = tuple(sorted(item for task, item in run.items if task == name and item not in unreadable))
    settings = [setting_of(protocol, "lenient") for protocol in protocols]
    if len(settings) == 1:
        chosen = [Chosen(settings[0], items, None)]
    else:
        chosen = _cross_fitted(name, settings, items, stored, run.folder)
    facts = run.task_facts(name)
    offered = {"cells": sorted(str(setting) for setting in settings)}
    return SideTask(facts["sha256"], protocols[0].split, items, tuple(chosen), offered)


def _cross_fitted(
    name: str, settings: Sequence[Setting], items: Sequence[str], stored: Stored, folder: Path
) -> list[Chosen]:
    """Of several cells of one run, the best for each fold of its items, as the others say."""
    if len(items) < 2 * FOLDS:
        raise RequestError(
            f"{folder}: {name} was run under {len(settings)} settings on {len(items)} items, too few to choose one of "
            "them by cross-fitting: compare a run with one setting a task"
        )
    scores = np.array([stored.scores(name, setting, items) for setting in settings])
    if np.isnan(scores).any():
        raise RequestError(f"{folder}: {name} is not complete: `evalsuite eval` finishes it")
    folds = fold_numbers(len(items), FOLDS)
    winner = cross_fitted(scores, folds)
    named = np.array(items)
    return [
        Chosen(settings[winner[folds == fold][0]], tuple(named[folds == fold].tolist()), fold) for fold in range(FOLDS)
    ]


def _folder(runs: Path, name: str, file: Path) -> Path:
    beside = file.resolve().parent.parent / "runs" / name
    for place in (beside, runs / name):
        if place.is_dir():
            return place
    raise RequestError(f"{file}: its rollouts are not here: no folder {beside}; copy it there from where it was made")
