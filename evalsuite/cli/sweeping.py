"""Running a sweep from a command: the same for `sweep` and `baseline`."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from evalsuite.baselines.plan import SweepWish, plan_sweep
from evalsuite.baselines.sweep import SweepState, racing, read_sweep
from evalsuite.catalog.checkpoint import Checkpoint
from evalsuite.catalog.grids import GridAxes
from evalsuite.cli.options import RESULTS
from evalsuite.cli.progress import RunProgress
from evalsuite.cli.show import show_left_out
from evalsuite.cli.sweep_progress import SweepProgress
from evalsuite.errors import RunError
from evalsuite.evaluate.adopt import find_donors
from evalsuite.evaluate.cells import Sources
from evalsuite.evaluate.loop import MakeEngine, evaluate
from evalsuite.evaluate.plan import DEFAULT_SUITE
from evalsuite.evaluate.regrade import grade_missing, make_pool
from evalsuite.evaluate.run import Run, default_folder, load_run
from evalsuite.rollouts import store
from evalsuite.rollouts.record import FinishReason


def sources_and_suite(
    suite: str | None, tasks: str | None, includes: Sequence[Path], data_dir: Path | None
) -> tuple[Sources, str | None, GridAxes]:
    """Where everything comes from, the suite that is meant, and its own grid."""
    sources = Sources(includes, data_dir)
    named = DEFAULT_SUITE if suite is None and tasks is None else suite
    return sources, named, sources.catalog.suite(named).grid if named else GridAxes()


def run_sweep(
    checkpoint: Checkpoint,
    wish: SweepWish,
    sources: Sources,
    options: dict[str, Any],
    make_engine: MakeEngine,
    out: Path | None = None,
) -> tuple[Run, SweepState]:
    """Bring a sweep to its end, or to the end of its budget.

    Raises:
        RunError: requests failed, or the engine did; what is done is kept.
    """
    plan = plan_sweep(checkpoint, wish, sources)
    folder = out or default_folder(plan, RESULTS)
    donors = find_donors(RESULTS / "runs", plan, folder, options)
    with SweepProgress() as progress:
        show_left_out(plan, progress.say)
        for task, facts in plan.sweep["tasks"].items():
            if facts["note"]:
                progress.say(f"{task}: {facts['note']}")
        try:
            evaluate(plan, folder, make_engine, progress, donors, racing(plan, progress, progress.show))
        except KeyboardInterrupt:
            raise RunError(f"stopped; what is done is kept in {folder}, and the same command goes on") from None
    run, state = stored_sweep(folder)
    if any(rollout.finish_reason is FinishReason.ERROR for rollout in run.rollouts.values()):
        raise RunError(f"some requests failed; the same command tries them again ({folder})")
    return run, state


def is_sweep(folder: Path) -> bool:
    """Whether a run is a sweep of settings."""
    return bool(store.read_manifest(folder).get("sweep"))


def stored_sweep(folder: Path) -> tuple[Run, SweepState]:
    """A sweep from its folder, graded by the present grader."""
    load_run(folder)
    with store.lock(folder), RunProgress(None) as progress, make_pool(beside_engine=False) as pool:
        grade_missing(load_run(folder), pool, progress)
        run = load_run(folder)
        return run, read_sweep(run, pool, progress)
