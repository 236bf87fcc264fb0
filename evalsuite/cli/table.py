"""`evalsuite table`: the tables of stored runs."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evalsuite.cli.options import JsonOption, RunsArgument

if TYPE_CHECKING:
    from evalsuite.report.summary import Summary


def table(
    runs: RunsArgument,
    max_tokens: Annotated[
        str | None,
        typer.Option(
            "--max-tokens", metavar="N,N,…", help="As it would be under smaller token limits: no model needed."
        ),
    ] = None,
    as_json: JsonOption = False,
    as_markdown: Annotated[bool, typer.Option("--markdown", help="Markdown, to paste into a README.")] = False,
) -> None:
    """Show the table of each run, from its stored rollouts and verdicts; of sweeps, the table of their cells."""
    from evalsuite.cli.console import print_json, print_rich
    from evalsuite.cli.pick import whole_numbers
    from evalsuite.cli.sweeping import is_sweep, stored_sweep
    from evalsuite.evaluate.run import load_run
    from evalsuite.report.from_run import summarise_run
    from evalsuite.report.sweep import sweep_json, sweep_markdown, sweep_view
    from evalsuite.report.tables import markdown, summary_json, summary_table

    limits = whole_numbers("--max-tokens", max_tokens)
    sweeps = [stored_sweep(folder) for folder in runs if is_sweep(folder)]
    others = [folder for folder in runs if not is_sweep(folder)]
    summaries = [_at(folder, limits) if limits else summarise_run(load_run(folder)) for folder in others]
    if as_json:
        told = [sweep_json(state) | {"sweep": run.name} for run, state in sweeps]
        print_json({"runs": [summary_json(summary) for summary in summaries], "sweeps": told})
    elif as_markdown:
        print("\n\n".join([*map(markdown, summaries), *(sweep_markdown(state, run.name) for run, state in sweeps)]))
    else:
        print_rich(*(part for summary in summaries for part in (summary_table(summary), "")))
        print_rich(*(part for run, state in sweeps for part in (sweep_view(state, run.name), "")))


def _at(folder: Path, limits: list[int]) -> "Summary":
    """The run under these token limits; grading what they shorten is kept in its folder."""
    from evalsuite.cli.progress import RunProgress
    from evalsuite.evaluate.limits import at_limits, check_limits
    from evalsuite.evaluate.regrade import grade_missing, make_pool
    from evalsuite.evaluate.run import load_run
    from evalsuite.report.from_run import summarise_limits
    from evalsuite.rollouts import store

    run = load_run(folder)
    check_limits(run, limits)
    with store.lock(folder), RunProgress() as progress, make_pool(beside_engine=False) as pool:
        grade_missing(run, pool, progress)
        return summarise_limits(at_limits(load_run(folder), limits, pool, progress))
