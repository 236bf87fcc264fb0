"""`evalsuite import` and `evalsuite export`: runs in the formats of other harnesses."""

from pathlib import Path
from typing import Annotated

import typer

from evalsuite.catalog.items import AnswerKind
from evalsuite.cli.options import RESULTS, IncludeOption, JsonOption, RunArgument

importing = typer.Typer(no_args_is_help=True, help="Make a run of what another harness logged.")
exporting = typer.Typer(no_args_is_help=True, help="Write a run in the format of another harness.")


@importing.command("lm-eval")
def import_lm_eval(
    log: Annotated[Path, typer.Argument(metavar="DIR", help="A folder with samples_TASK_TIME.jsonl.")],
    out: Annotated[Path | None, typer.Option("--out", help="The run's folder. Default: results/runs/NAME.")] = None,
    kind: Annotated[
        AnswerKind | None, typer.Option("--kind", help="The kind of answers of tasks that evalsuite does not have.")
    ] = None,
    include: IncludeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make a run of lm-eval's sample logs (--log_samples), to be graded and tabled like any other.

    Each document counts once, whatever filters were logged, and all its responses are its samples. A log states neither
    why an answer ended nor its tokens and seeds: they stay unknown.
    """
    from evalsuite.catalog.index import Catalog
    from evalsuite.cli.console import print_json
    from evalsuite.exchange.lm_eval_import import import_log, run_name
    from evalsuite.exchange.lm_eval_log import read_log

    tasks = read_log(log)
    catalog = Catalog(include or ())
    folder = out or RESULTS / "runs" / run_name(tasks)
    import_log(tasks, folder, kind, catalog.tasks)
    answers = sum(len(doc.texts) for task in tasks for doc in task.docs)
    if as_json:
        print_json({"run": str(folder), "tasks": [task.name for task in tasks], "answers": answers})
    else:
        print(f"{answers:,} answers to {', '.join(task.name for task in tasks)} are in {folder}")
        print(f"`evalsuite grade {folder}` grades them")


@exporting.command("lm-eval")
def export_lm_eval(
    run: RunArgument,
    out: Annotated[Path | None, typer.Option("--out", help="Default: the folder lm-eval in the run's own.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Write a graded run as lm-eval's sample logs and results file. Gated tasks are left out."""
    from evalsuite.cli.console import print_json
    from evalsuite.evaluate.run import load_run
    from evalsuite.exchange.lm_eval_export import export_run

    exported = export_run(load_run(run), out or run / "lm-eval")
    if as_json:
        files = [str(path) for path in exported.files]
        print_json({"files": files, "left_out": list(exported.left_out)})
        return
    for path in exported.files:
        print(path)
    for task in exported.left_out:
        print(f"{task}: left out: it is gated, and a log holds its questions")
