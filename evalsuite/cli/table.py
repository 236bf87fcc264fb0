"""`evalsuite table`: the tables of stored runs, and the table of a suite over several of them."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evalsuite.cli.options import IncludeOption, JsonOption
from evalsuite.errors import RequestError

if TYPE_CHECKING:
    from evalsuite.report.summary import Summary

FORMATS = ("rich", "md", "latex", "csv", "json", "html")
OF_RUNS = ("rich", "md", "json")


def table(
    sources: Annotated[
        list[str],
        typer.Argument(
            metavar="[SUITE] RUN...",
            help="Run folders. After a suite: runs or sealed baselines, one row each, benchmarks as columns.",
        ),
    ],
    baseline: Annotated[
        Path | None,
        typer.Option("--baseline", help="With a suite: what the others are held against, a sealed baseline or a run."),
    ] = None,
    published: Annotated[
        list[str] | None,
        typer.Option("--published", help="With a suite: published rows below, by `evalsuite claims list` or a file."),
    ] = None,
    max_tokens: Annotated[
        str | None,
        typer.Option(
            "--max-tokens", metavar="N,N,…", help="As it would be under smaller token limits: no model needed."
        ),
    ] = None,
    form: Annotated[str, typer.Option("--format", metavar="|".join(FORMATS), help="How it is written.")] = "rich",
    include: IncludeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show the table of each run from its stored rollouts, of sweeps that of their cells; or the table of a suite."""
    form = "json" if as_json else form
    suite, runs = _parted(sources, include)
    known = FORMATS if suite else OF_RUNS
    if form not in known:
        other = f": it is for the table of a suite (`evalsuite table avg8 {sources[0]}`)" if form in FORMATS else ""
        raise RequestError(f"--format {form}: one of {', '.join(known)}{other}")
    if suite:
        from evalsuite.cli.suite_table import print_suite_table, table_of

        if max_tokens:
            raise RequestError(f"--max-tokens: for the tables of runs, not for that of {suite}: leave one of them out")
        print_suite_table(table_of(suite, runs, baseline, published or [], include or []), form)
        return
    if baseline or published:
        option = "--baseline" if baseline else "--published"
        raise RequestError(f"{option}: for the table of a suite: name it first, `evalsuite table avg8 {sources[0]}`")
    _print_each(runs, max_tokens, form)


def _parted(sources: list[str], include: list[Path] | None) -> tuple[str | None, list[Path]]:
    """The suite, if the first word is the name of one and not that of a folder, and the rest as paths."""
    from evalsuite.catalog.index import Catalog

    first, rest = sources[0], [Path(source) for source in sources[1:]]
    if Path(first).exists() or first not in Catalog(include or []).suites:
        return None, [Path(first), *rest]
    if not rest:
        raise RequestError(f"{first} of which runs? `evalsuite table {first} RUN…`")
    return first, rest


def _print_each(runs: list[Path], max_tokens: str | None, form: str) -> None:
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
    if form == "json":
        told = [sweep_json(state) | {"sweep": run.name} for run, state in sweeps]
        print_json({"runs": [summary_json(summary) for summary in summaries], "sweeps": told})
    elif form == "md":
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
