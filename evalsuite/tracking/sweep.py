"""A sweep in MLflow: one run for the grid, and below it one for every setting, so that MLflow can compare them."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from evalsuite.baselines.sweep import SweepState, TaskSweep
from evalsuite.evaluate.run import Run
from evalsuite.protocol import Setting, digest
from evalsuite.report.sweep import estimate, sweep_json
from evalsuite.report.tables import interval_text
from evalsuite.stats.averages import weighted_mean
from evalsuite.stats.intervals import Estimate
from evalsuite.tracking.files import uploads
from evalsuite.tracking.log import log
from evalsuite.tracking.record import Child, Record, ends, metrics, params, pipes, tags, tally
from evalsuite.tracking.run import datasets_of, experiment_of, origin


@dataclass(frozen=True, slots=True)
class _Told:
    """What a sweep says of one setting on one task.

    `tokens` were generated, under the largest limit: all readings of a cell share them. `chosen` of `races` chose it.
    """

    accuracy: Estimate | None
    tokens: int
    chosen: int
    races: int
    dropped: bool


def track_sweep(run: Run, state: SweepState, results: Path) -> str:
    """Log a sweep and return the MLflow run's id; one that went on updates its own run and children.

    Raises:
        TrackingAwayError: MLflow did not take it; `evalsuite track` does it later.
    """
    return log(sweep_record(run, state), run.folder, results)


def sweep_record(run: Run, state: SweepState) -> Record:
    """The grid as parameters, what was chosen as tags, and a child for each setting."""
    manifest, sweep = run.manifest, run.manifest["sweep"]
    chosen = {f"{task.task}.chosen": _chosen(task) for task in state.tasks}
    checkpoint = manifest["checkpoint"]["name"]
    return Record(
        experiment=experiment_of(manifest["suite"], "sweep"),
        name=run.name,
        params=params({"checkpoint": checkpoint, "suite": manifest["suite"] or "", **offered(sweep)}),
        metrics=metrics({"tokens": state.spent} | {f"{task.task}.optimism": task.optimism for task in state.tasks}),
        tags=tags({**origin(manifest), **chosen, "complete": state.over}),
        table=_table(run, state),
        data={"sweep.json": sweep_json(state)},
        datasets=datasets_of(manifest),
        artifacts=uploads(run),
        children=_children(state, checkpoint),
    )


def offered(sweep: Mapping[str, Any]) -> dict[str, str]:
    """What a sweep was offered, by names that none of its settings has: no page takes a list for one of its values."""
    sizes = {name: sweep[name] for name in ("samples", "limit", "dev_items", "budget", "seed")}
    axes = {f"grid.{name}": "own" if values is None else _listed(values) for name, values in sweep["grid"].items()}
    return {name: str(value) for name, value in sizes.items() if value is not None} | axes


def _children(state: SweepState, checkpoint: str) -> tuple[Child, ...]:
    """One for each setting that any task has: a prompt format for choices is a setting of the choice tasks alone."""
    told: dict[Setting, dict[str, _Told]] = defaultdict(dict)
    for task in state.tasks:
        for setting, one in _told(task).items():
            told[setting][task.task] = one
    names = [task.task for task in state.tasks]
    return tuple(_child(setting, by_task, names, checkpoint) for setting, by_task in told.items())


def _told(task: TaskSweep) -> dict[Setting, _Told]:
    table, winners = task.table, task.winners
    tokens = table.tokens.sum(axis=1)
    found = {}
    for row, scores in enumerate(table.flat):
        cell = row // len(table.readings)
        found[table.setting(row)] = _Told(
            estimate(scores), int(tokens[cell]), winners.count(row), len(winners), bool(task.dropped[cell])
        )
    return found


def _child(setting: Setting, told: Mapping[str, _Told], tasks: list[str], checkpoint: str) -> Child:
    found: dict[str, float | None] = {}
    for task, one in told.items():
        found |= {f"{task}.{name}": value for name, value in ends("accuracy", one.accuracy).items()}
        found |= {f"{task}.items": one.accuracy.n if one.accuracy else 0, f"{task}.tokens": one.tokens}
    known = [one.accuracy for one in told.values() if one.accuracy]
    if len(known) == len(tasks):  # a mean over fewer could not be held against those of other settings
        found |= ends("accuracy", weighted_mean(known))
    return Child(
        key=digest(asdict(setting)),
        name=str(setting),
        params=params(_params(setting)),
        metrics=metrics(found),
        tags=tags(
            {
                "checkpoint": checkpoint,
                "chosen": ", ".join(_by(task, one) for task, one in told.items() if one.chosen),
                "dropped": ", ".join(task for task, one in told.items() if one.dropped),
            }
        ),
    )


def _params(setting: Setting) -> dict[str, Any]:
    return {
        "prompt": setting.prompt,
        "chat": "on" if setting.chat else "off",
        "shots": setting.shots,
        "temperature": setting.temperature,
        "top_p": setting.top_p,
        "max_tokens": setting.max_tokens,
        "parser": setting.parser,
    }


def _by(task: str, told: _Told) -> str:
    return task if told.races == 1 else f"{task} ({told.chosen} of {told.races} folds)"


def _chosen(task: TaskSweep) -> str:
    return tally([str(task.table.setting(row)) for row in task.winners]) if task.winners else ""


def _table(run: Run, state: SweepState) -> str:
    rows = []
    for task in state.tasks:
        best = max(task.winners, key=task.winners.count, default=None)
        told = estimate(task.table.flat[best]) if best is not None else None
        rows.append(
            (
                task.task,
                _chosen(task) or "nothing yet",
                interval_text(told),
                f"{len(task.table.items):,} of {task.facts['split']}",
                "–" if task.optimism is None else f"{100 * task.optimism:+.1f}",
            )
        )
    headers = ("task", "chosen", "accuracy % there [95 %]", "choice items", "optimism")
    heading = f"**{run.name} · {state.spent:,} tokens{'' if state.over else ' · not complete'}**"
    legend = (
        "Accuracy of the chosen setting on the items that chose it, so none to report: `evalsuite baseline` scores it "
        "on others. optimism: by how many points that would be too high."
    )
    return "\n\n".join([heading, pipes(headers, rows, right=(headers[2], headers[4])), legend]) + "\n"


def _listed(values: Any) -> str:
    return ", ".join(map(str, values))
