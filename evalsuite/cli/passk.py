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
    from evalsuite.evaluate.run import load_run
    from evalsuite.report.from_run import passk_of_run
    from evalsuite.report.passk import passk_json, passk_table

    ks = _values(k)
    rows = [row for folder in runs for row in passk_of_run(load_run(folder), ks)]
    if as_json:
        print_json(passk_json(rows))
    else:
        print_rich(passk_table(rows))


def _values(text: str | None) -> list[int] | None:
    from evalsuite.errors import RequestError

    if text is None:
        return None
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise RequestError(f"--k {text}: write whole numbers with commas, such as 1,2,4") from None
