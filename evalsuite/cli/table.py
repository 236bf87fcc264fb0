"""`evalsuite table`: the tables of stored runs."""

from typing import Annotated

import typer

from evalsuite.cli.options import JsonOption, RunsArgument


def table(
    runs: RunsArgument,
    as_json: JsonOption = False,
    as_markdown: Annotated[bool, typer.Option("--markdown", help="Markdown, to paste into a README.")] = False,
) -> None:
    """Show the table of each run, from its stored rollouts and verdicts."""
    from evalsuite.cli.console import print_json, print_rich
    from evalsuite.evaluate.run import load_run
    from evalsuite.report.from_run import summarise_run
    from evalsuite.report.tables import markdown, summary_json, summary_table

    summaries = [summarise_run(load_run(folder)) for folder in runs]
    if as_json:
        print_json({"runs": [summary_json(summary) for summary in summaries]})
    elif as_markdown:
        print("\n\n".join(markdown(summary) for summary in summaries))
    else:
        print_rich(*(part for summary in summaries for part in (summary_table(summary), "")))
