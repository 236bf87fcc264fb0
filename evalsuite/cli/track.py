"""`evalsuite track`: log a run to MLflow that could not be logged when it was made."""

from evalsuite.cli.options import RESULTS, RunsArgument


def track(runs: RunsArgument) -> None:
    """Log runs to MLflow, once each; an unchanged run that is logged already stays as it is."""
    from evalsuite.evaluate.run import load_run
    from evalsuite.report.from_run import summarise_run
    from evalsuite.tracking.run import track_run

    for folder in runs:
        run = load_run(folder)
        print(f"{run.name}: MLflow run {track_run(run, summarise_run(run), RESULTS)}")
