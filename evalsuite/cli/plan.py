"""`evalsuite plan`: how many samples an item a difference needs to be seen, before anything is generated."""

from pathlib import Path
from typing import Annotated

import typer

from evalsuite.cli.options import IncludeOption, JsonOption, SuiteOption, TasksOption
from evalsuite.errors import RequestError


def plan(
    suite: SuiteOption = None,
    tasks: TasksOption = None,
    detect: Annotated[
        float, typer.Option("--detect", metavar="POINTS", help="The difference that is to be seen, in points.")
    ] = 2.0,
    samples: Annotated[
        int, typer.Option("--samples", min=1, help="How many samples an item are taken now, to compare with.")
    ] = 1,
    run: Annotated[
        list[Path] | None,
        typer.Option("--run", help="A run, or counts, whose variances are used: of one model, or twice for both."),
    ] = None,
    include: IncludeOption = None,
    as_json: JsonOption = False,
) -> None:
    """How many samples an item a difference needs, task by task and for the average."""
    from evalsuite.catalog.index import Catalog
    from evalsuite.cli.console import print_json, print_rich
    from evalsuite.cli.passk import sources_of
    from evalsuite.cli.pick import names
    from evalsuite.report.plan.data import plan_json
    from evalsuite.report.plan.variances import plan_for
    from evalsuite.report.plan.view import plan_view
    from evalsuite.report.sources import by_task

    if not 0 < detect < 100:
        raise RequestError(f"--detect {detect:g}: a number of points between 0 and 100")
    if bool(suite) == bool(tasks):
        raise RequestError("a plan is for a suite or for tasks: name one, `--suite avg8` or `--tasks gsm8k,math500`")
    catalog = Catalog(include or [])
    asked = catalog.suite(suite).tasks if suite else names(tasks)
    sizes = {name: catalog.task(name).items for name in asked}
    if unknown := [name for name, items in sizes.items() if items is None]:
        raise RequestError(f"{unknown[0]}: its file does not say how many `items:` it has, which a plan needs")
    known = {name: items for name, items in sizes.items() if items is not None}
    found = plan_for(suite or ", ".join(asked), known, by_task(sources_of(run or [])), detect / 100, samples)
    if as_json:
        print_json(plan_json(found))
    else:
        print_rich(plan_view(found))
