"""What people see at the end of a run: its table, and where everything is."""

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

from evalsuite.cli.console import print_json, print_rich, remarks
from evalsuite.errors import RequestError, RunError
from evalsuite.evaluate.plan import Plan
from evalsuite.evaluate.run import Run
from evalsuite.report.summary import Summary
from evalsuite.report.tables import summary_json, summary_table


def show_left_out(plan: Plan, say: Callable[[str], None]) -> None:
    """Before a run starts: what it leaves out, and which sampling defaults of the checkpoint it switches off."""
    for task, why in plan.left_out:
        say(f"left out: {task}: {why.removeprefix(f'{task}: ')}")
    if defaults := plan.checkpoint.generation_defaults:
        settings = ", ".join(f"{name}={value}" for name, value in defaults.items())
        say(f"the checkpoint's own sampling defaults are switched off: {settings}")


def show_run(run: Run, summary: Summary, *, as_json: bool, results: Path, log_to_mlflow: bool) -> None:
    """The table on standard output; on standard error, where rollouts and MLflow are."""
    if as_json:
        print_json(summary_json(summary) | {"folder": str(run.folder)})
    else:
        print_rich("", summary_table(summary))
    remarks().print(f"\nrollouts   {run.folder}/rollouts.jsonl", markup=False)
    if log_to_mlflow:
        from evalsuite.tracking.run import track_run

        say_logged(results, lambda: track_run(run, summary, results))


def say_logged(results: Path, *logs: Callable[[], object]) -> None:
    """Log to MLflow, and say on standard error where it is now, or why it is not there yet."""
    for line in dict.fromkeys(_logged(log, results) for log in logs):
        remarks().print(f"MLflow     {line}", markup=False)


def _logged(log: Callable[[], object], results: Path) -> str:
    from evalsuite.tracking.log import without_password

    try:
        log()
    except (RunError, RequestError) as error:  # what was made is on disk, and shown
        return f"warning: {error}"
    if uri := os.environ.get("MLFLOW_TRACKING_URI"):
        return f"at {without_password(uri)}"
    command = "mlflow" if shutil.which("mlflow") else str(Path(sys.argv[0]).with_name("mlflow"))
    return f"open it with: {command} ui --backend-store-uri sqlite:///{results}/mlflow.db"
