"""From swept checkpoints to a sealed file."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from evalsuite.baselines.measure import chosen_of, measure
from evalsuite.baselines.plan import SweepWish, plan_scored, scored_items
from evalsuite.baselines.seal import read_baseline, sealed, write_baseline
from evalsuite.baselines.stored import Stored
from evalsuite.baselines.sweep import SweepState
from evalsuite.catalog.checkpoint import Checkpoint
from evalsuite.cli.engine import shared_engine
from evalsuite.cli.options import RESULTS
from evalsuite.cli.progress import RunProgress
from evalsuite.cli.sweeping import run_sweep
from evalsuite.errors import RunError
from evalsuite.evaluate.adopt import find_donors
from evalsuite.evaluate.cells import Cell, Sources
from evalsuite.evaluate.loop import MakeEngine, evaluate
from evalsuite.evaluate.plan import Plan
from evalsuite.evaluate.regrade import make_pool
from evalsuite.evaluate.run import Run, default_folder, load_run
from evalsuite.grading.grade import grader_hash
from evalsuite.protocol import Setting
from evalsuite.rollouts.record import FinishReason


def seal_models(
    models: Sequence[Checkpoint], wish: SweepWish, sources: Sources, options: dict[str, Any]
) -> tuple[Path, dict[str, Any]]:
    """Sweep, choose and score each checkpoint, and write the sealed file; returns it with its content."""
    entries, offered = [], {}
    for model in models:
        with shared_engine(model, options) as engine:
            swept, state = run_sweep(model, wish, sources, options, engine.lend)
            scored = run_scored(model, wish, sources, options, engine.lend, chosen_cells(state, wish, sources))
        offered = swept.manifest["sweep"]
        entries.append(entry_of(swept, state, scored))
    path = write_baseline(sealed(offered, wish.suite, grader_hash(), entries), RESULTS / "baselines")
    return path, read_baseline(path)


def entry_of(swept: Run, state: SweepState, scored: Run) -> dict[str, Any]:
    """One model's entry, from what is stored."""
    sweep = swept.manifest["sweep"]
    with RunProgress(None) as progress, make_pool(beside_engine=False) as pool:
        stored = Stored([scored.folder, swept.folder], sweep["samples"], sweep["seed"], pool, progress)
        return measure(swept, state, scored, stored)


def chosen_cells(state: SweepState, wish: SweepWish, sources: Sources) -> dict[str, dict[Cell, list[str]]]:
    """The cells in which the scored items are asked, by task, with the items of each."""
    scored = scored_items(wish, sources)
    asked: dict[str, dict[Cell, list[str]]] = {}
    for task in state.tasks:
        for one in chosen_of(task, scored[task.task]):
            asked.setdefault(task.task, {}).setdefault(cell_of(one.setting), []).extend(one.items)
    return asked


def cell_of(setting: Setting) -> Cell:
    """What of a setting costs generation."""
    return Cell(setting.prompt, setting.chat, setting.shots, setting.temperature, setting.top_p)


def run_scored(
    model: Checkpoint,
    wish: SweepWish,
    sources: Sources,
    options: dict[str, Any],
    make_engine: MakeEngine,
    asked: dict[str, dict[Cell, list[str]]],
) -> Run:
    """Bring a run over scored items to its end.

    Raises:
        RunError: requests failed, or the engine did; what is done is kept.
    """
    plan: Plan = plan_scored(model, wish, sources, asked)
    folder = default_folder(plan, RESULTS)
    with RunProgress(None) as progress:
        try:
            evaluate(plan, folder, make_engine, progress, find_donors(RESULTS / "runs", plan, folder, options))
        except KeyboardInterrupt:
            raise RunError(f"stopped; what is done is kept in {folder}, and the same command goes on") from None
    run = load_run(folder)
    if any(rollout.finish_reason is FinishReason.ERROR for rollout in run.rollouts.values()):
        raise RunError(f"some requests failed; the same command tries them again ({folder})")
    return run
