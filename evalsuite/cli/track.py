"""`evalsuite track`: log to MLflow what could not be logged when it was made."""

from pathlib import Path
from typing import Annotated

import typer

from evalsuite.cli.options import RESULTS


def track(
    made: Annotated[
        list[Path],
        typer.Argument(metavar="FOLDER...", help="Folders of runs, sweeps and comparisons, or sealed baselines."),
    ],
) -> None:
    """Log runs, sweeps, baselines and comparisons to MLflow, once each; what has not changed stays as it is."""
    for path in made:
        print(f"{path.resolve().name}: MLflow run {_track(path)}")


def _track(path: Path) -> str:
    from evalsuite.baselines.seal import check_seal, read_baseline
    from evalsuite.evaluate.run import load_run
    from evalsuite.report.from_run import summarise_run
    from evalsuite.rollouts.store import read_manifest
    from evalsuite.tracking.baseline import track_baseline
    from evalsuite.tracking.comparison import FILE, track_kept
    from evalsuite.tracking.run import track_run

    if path.is_file():
        content = read_baseline(path)
        check_seal(content, path)
        return track_baseline(path, content, RESULTS)
    if (path / FILE).is_file():
        return track_kept(path, RESULTS)
    if read_manifest(path).get("sweep"):
        return track_stored_sweep(path)
    run = load_run(path)
    return track_run(run, summarise_run(run), RESULTS)


def track_stored_sweep(folder: Path) -> str:
    """Log a sweep as its folder holds it."""
    from evalsuite.cli.sweeping import stored_sweep
    from evalsuite.tracking.sweep import track_sweep

    return track_sweep(*stored_sweep(folder), RESULTS)
