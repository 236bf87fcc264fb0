"""`evalsuite compare`: a sealed baseline, or a run, against trained checkpoints by the same ruler."""

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from evalsuite.cli.engine import EngineArgOption, engine_options
from evalsuite.cli.options import RESULTS, DataDirOption, IncludeOption, JsonOption
from evalsuite.errors import RequestError


def compare(
    start: Annotated[
        Path, typer.Argument(metavar="BASELINE_OR_RUN", help="A sealed baseline, or the run of a starting model.")
    ],
    trained: Annotated[
        list[Path], typer.Argument(metavar="TRAINED...", help="Sealed files or runs of trained checkpoints.")
    ],
    naive: Annotated[
        str | None,
        typer.Option(
            metavar="NAME=VALUE,…",
            help="The naive comparison to start from: prompt, chat, shots, temperature, top_p, max_tokens, parser. "
            "The rest is the trained model's own setting. Default: parser=strict.",
        ),
    ] = None,
    generate: Annotated[
        bool, typer.Option("--generate", help="Run the checkpoints where a reading lacks rollouts.")
    ] = False,
    allow_unequal: Annotated[
        bool, typer.Option("--allow-unequal", help="Show an unequal comparison, marked as such everywhere.")
    ] = False,
    data_dir: DataDirOption = None,
    include: IncludeOption = None,
    no_mlflow: Annotated[bool, typer.Option("--no-mlflow", help="Do not log to MLflow.")] = False,
    engine_arg: EngineArgOption = None,
    as_json: JsonOption = False,
) -> None:
    """Compare: matched, best against best, and what of the naive gain is left."""
    options = engine_options(engine_arg, None, None, None)

    from evalsuite.cli.comparing import comparisons_of, fill, naive_fields
    from evalsuite.cli.console import print_json, print_rich
    from evalsuite.cli.show import say_logged
    from evalsuite.report.comparison import comparison_json, comparison_view, overview
    from evalsuite.tracking.comparison import track_comparison

    includes = tuple(include or ())
    fixed = naive_fields(naive, includes)
    found = comparisons_of(start, trained, fixed, includes)
    unequal = [reason for one in found for reason in one.unequal]
    if unequal and not allow_unequal:
        raise RequestError(
            f"the two sides were not offered the same: {'; '.join(dict.fromkeys(unequal))} "
            "(--allow-unequal compares them all the same, with a mark that stays)"
        )
    if generate and fill(found, includes, data_dir, options):
        found = comparisons_of(start, trained, fixed, includes)
    if as_json:
        print_json({"comparisons": [comparison_json(one) for one in found]})
    else:
        print_rich(*(part for one in found for part in ("", comparison_view(one))))
        if len(found) > 1:
            print_rich("", overview(found))
    if not no_mlflow:
        say_logged(RESULTS, *(partial(track_comparison, one, fixed, RESULTS) for one in found))
