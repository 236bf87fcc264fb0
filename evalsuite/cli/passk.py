"""`evalsuite passk`: unbiased Pass@k of stored runs."""

from typing import Annotated

import typer

from evalsuite.cli.options import JsonOption, RunsArgument


def passk(
    runs: RunsArgument,
    k: Annotated[
        str | None, typer.Option("--k", help="Values of k, comma-separated. Default: 1,2,4,… up to n.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Pass@k for each task: the chance that at least one of k samples is right."""
    from evalsuite.cli.console import print_json, print_rich
    from evalsuite.cli.pick import whole_numbers
    from evalsuite.evaluate.run import load_run
    from evalsuite.report.from_run import passk_of_run
    from evalsuite.report.passk import passk_json, passk_table

    ks = whole_numbers("--k", k)
    rows = [row for folder in runs for row in passk_of_run(load_run(folder), ks)]
    if as_json:
        print_json(passk_json(rows))
    else:
        print_rich(passk_table(rows))
