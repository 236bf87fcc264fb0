"""`evalsuite series`: the steps of a training run against where it started, corrected for looking at all of them."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evalsuite.cli.options import JsonOption
from evalsuite.errors import RequestError

if TYPE_CHECKING:
    from evalsuite.baselines.series import Series
    from evalsuite.baselines.sides import Side


def series(
    runs: Annotated[
        list[Path], typer.Argument(metavar="RUN...", help="Runs or sealed files of the steps, in any order.")
    ],
    baseline: Annotated[
        Path | None,
        typer.Option("--baseline", help="The starting model's run or sealed file. Default: the earliest step."),
    ] = None,
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE", help="Draw the curves: .png, .svg or .pdf.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Curves over training steps with bands, and at which steps the run leaves its baseline beyond noise."""
    from evalsuite.report.pictures import check_plot

    if plot:
        check_plot(plot)
    show_series(series_of(runs, baseline), plot, as_json)


def series_of(runs: Sequence[Path], baseline: Path | None) -> "Series":
    """The series of these runs; without a baseline, the earliest step is it.

    Raises:
        RequestError: a run whose checkpoint names no step, two of one step, fewer than two sides, or other rulers.
    """
    from evalsuite.baselines.series import series as over_steps
    from evalsuite.cli.comparing import sides_of
    from evalsuite.cli.progress import RunProgress
    from evalsuite.evaluate.regrade import make_pool

    with RunProgress(None) as progress, make_pool(beside_engine=False) as pool:
        steps = _by_step([side for run in runs for side in sides_of(run, pool, progress)])
        if baseline:
            starts = sides_of(baseline, pool, progress)
            if len(starts) > 1:
                named = ", ".join(start.name for start in starts)
                raise RequestError(f"{baseline}: holds {len(starts)} models ({named}): a series starts from one")
            return over_steps(starts[0], steps, starts[0].name)
        if len(steps) < 2:
            raise RequestError(f"{runs[0]}: one step alone: name another, or the starting model's run with --baseline")
        first = min(steps)
        return over_steps(steps.pop(first), steps, f"step {first}")


def show_series(found: "Series", plot: Path | None, as_json: bool) -> None:
    """Print it, and draw it if asked to."""
    from evalsuite.cli.console import print_json, print_rich, remarks
    from evalsuite.report.series.plot import plot_series
    from evalsuite.report.series.view import series_view
    from evalsuite.report.series.words import series_json

    if as_json:
        print_json(series_json(found))
    else:
        print_rich("", series_view(found))
    if plot:
        plot_series(found, plot)
        remarks().print(f"plot       {plot}", markup=False)


def _by_step(sides: "Sequence[Side]") -> "dict[int, Side]":
    from evalsuite.catalog.series import step_of

    found: dict[int, Side] = {}
    for side in sides:
        step = step_of(side.path or side.name)
        if step is None:
            raise RequestError(
                f"{side.source}: its checkpoint's path ({side.path or side.name}) names no training step, "
                "as `run/checkpoint-500` does: give it as --baseline, or leave it out"
            )
        if step in found:
            raise RequestError(f"{side.source} and {found[step].source} are both step {step}: name one of them")
        found[step] = side
    return dict(sorted(found.items()))
