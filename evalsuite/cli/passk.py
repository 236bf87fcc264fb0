"""`evalsuite passk`: unbiased Pass@k of stored runs or of counts, with maj@k, avg@n and Cover@τ."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evalsuite.cli.options import JsonOption
from evalsuite.errors import RequestError

if TYPE_CHECKING:
    from evalsuite.report.sources import Source


def passk(
    sources: Annotated[
        list[Path],
        typer.Argument(
            metavar="RUN_OR_COUNTS...", help='Run folders, or counts (.jsonl): {"item": "a", "n": 8, "c": 3} a line.'
        ),
    ],
    k: Annotated[
        str | None, typer.Option("--k", help="Values of k, comma-separated. Default: 1,2,4,… up to n.")
    ] = None,
    maj: Annotated[bool, typer.Option("--maj", help="Also maj@k: majority voting. Grades answers anew.")] = False,
    cover: Annotated[
        str | None, typer.Option("--cover", metavar="τ,τ,…", help="Thresholds of Cover@τ. Default: 0.5,1.")
    ] = None,
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE", help="Draw the curves: .png, .svg or .pdf.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Pass@k for each task: the chance that at least one of k samples is right."""
    from evalsuite.cli.console import print_json, print_rich, remarks
    from evalsuite.cli.pick import numbers, whole_numbers
    from evalsuite.report.passk.data import pass_k, passk_json
    from evalsuite.report.passk.plot import plot as draw
    from evalsuite.report.passk.view import passk_view
    from evalsuite.report.pictures import check_plot

    ks, thresholds = whole_numbers("--k", k), numbers("--cover", cover)
    if plot:
        check_plot(plot)
    found = pass_k(sources_of(sources, maj), ks, thresholds)
    if as_json:
        print_json(passk_json(found))
    else:
        print_rich(passk_view(found))
    if plot:
        draw(found, plot)
        remarks().print(f"plot       {plot}", markup=False)


def sources_of(paths: list[Path], maj: bool = False) -> "list[Source]":
    """What runs and counts files hold, task by task; with `maj`, how the samples of each item voted too.

    Raises:
        RequestError: a path that is neither, one named twice, or votes of a counts file.
    """
    from evalsuite.evaluate.regrade import make_pool
    from evalsuite.evaluate.run import load_run
    from evalsuite.evaluate.votes import votes_of
    from evalsuite.report.sources import sources_of_counts, sources_of_run
    from evalsuite.rollouts.counts import is_counts

    places = [path.resolve() for path in paths]
    if twice := [path for path, place in zip(paths, places, strict=True) if places.count(place) > 1]:
        raise RequestError(f"{twice[0]}: named twice; a curve against itself says nothing")
    counted = [path for path in paths if is_counts(path)]
    if maj and counted:
        raise RequestError(f"--maj: {counted[0]} holds counts alone, which do not say how the wrong answers agree")
    if maj:
        with make_pool(beside_engine=False) as pool:
            voted = [sources_of_run(load_run(path), lambda run, way: votes_of(run, way, pool)) for path in paths]
    else:
        voted = [sources_of_counts(path) if path in counted else sources_of_run(load_run(path)) for path in paths]
    return [source for found in voted for source in found]
