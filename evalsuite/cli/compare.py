"""`evalsuite compare`: a sealed baseline, or a run, against trained checkpoints by the same ruler."""

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from evalsuite.cli.engine import EngineArgOption, engine_options
from evalsuite.cli.options import RESULTS, DataDirOption, IncludeOption, JsonOption
from evalsuite.errors import RequestError
from evalsuite.rollouts.counts import is_counts


def compare(
    start: Annotated[
        Path,
        typer.Argument(
            metavar="BASELINE_OR_RUN", help="A sealed baseline, the run of a starting model, or its counts (.jsonl)."
        ),
    ],
    trained: Annotated[
        list[Path], typer.Argument(metavar="TRAINED...", help="Sealed files, runs or counts of trained checkpoints.")
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
    matters: Annotated[
        float,
        typer.Option(
            "--matters",
            metavar="POINTS",
            help="The difference that matters: a test that would miss it is too small to tell.",
        ),
    ] = 3.0,
    data_dir: DataDirOption = None,
    include: IncludeOption = None,
    no_mlflow: Annotated[bool, typer.Option("--no-mlflow", help="Do not log to MLflow.")] = False,
    engine_arg: EngineArgOption = None,
    as_json: JsonOption = False,
) -> None:
    """Compare: matched, best against best, and what of the naive gain is left."""
    options = engine_options(engine_arg, None, None, None)
    if not 0 < matters < 100:
        raise RequestError(f"--matters {matters:g}: a number of points between 0 and 100")
    if any(is_counts(path) for path in (start, *trained)):
        _print_counts(start, trained, matters / 100, as_json)
        return

    from evalsuite.cli.comparing import comparisons_of, fill, naive_fields
    from evalsuite.cli.console import print_json, print_rich
    from evalsuite.cli.show import say_logged
    from evalsuite.report.comparison import comparison_json, comparison_view, overview
    from evalsuite.tracking.comparison import track_comparison

    includes = tuple(include or ())
    fixed = naive_fields(naive, includes)
    found = comparisons_of(start, trained, fixed, includes, matters / 100)
    unequal = [reason for one in found for reason in one.unequal]
    if unequal and not allow_unequal:
        raise RequestError(
            f"the two sides were not offered the same: {'; '.join(dict.fromkeys(unequal))} "
            "(--allow-unequal compares them all the same, with a mark that stays)"
        )
    if generate and fill(found, includes, data_dir, options):
        found = comparisons_of(start, trained, fixed, includes, matters / 100)
    if as_json:
        print_json({"comparisons": [comparison_json(one) for one in found]})
    else:
        print_rich(*(part for one in found for part in ("", comparison_view(one))))
        if len(found) > 1:
            print_rich("", overview(found))
    if not no_mlflow:
        say_logged(RESULTS, *(partial(track_comparison, one, fixed, RESULTS) for one in found))


def _print_counts(start: Path, trained: list[Path], matters: float, as_json: bool) -> None:
    from evalsuite.baselines.of_counts import compare_counts
    from evalsuite.cli.console import print_json, print_rich
    from evalsuite.report.count_comparison import counts_json, counts_view

    if other := next((path for path in (start, *trained) if not is_counts(path)), None):
        raise RequestError(f"{other}: not a counts file (.jsonl), as the others are: compare runs, or compare counts")
    found = [compare_counts(start, path, matters) for path in trained]
    if as_json:
        print_json({"comparisons": [counts_json(one) for one in found]})
    else:
        print_rich(*(part for one in found for part in ("", counts_view(one))))
