"""`evalsuite data`: where each task's items come from, fetching them, and holding them against their pins."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from evalsuite.cli.options import DataDirOption, IncludeOption, JsonOption, SuiteOption, TasksOption
from evalsuite.errors import RequestError

if TYPE_CHECKING:
    from evalsuite.catalog.tasks import Task

app = typer.Typer(help="Where the items of each task come from; fetch them; check them.", no_args_is_help=True)

Report = dict[str, Any]


@app.command()
def status(
    suite: SuiteOption = None,
    tasks: TasksOption = None,
    data_dir: DataDirOption = None,
    include: IncludeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Where the items of each task would be read from. Reads none."""
    from evalsuite.catalog.index import Catalog

    reports = [
        {
            "task": task.name,
            "from": _whereabouts(task, data_dir),
            "items": task.items,
            "pinned": task.sha256 is not None,
            "gated": task.gated,
            "licence": task.licence,
        }
        for task in Catalog(include or ()).select(suite, tasks)
    ]
    _show(reports, data_dir, as_json)


@app.command()
def fetch(
    suite: SuiteOption = None,
    tasks: TasksOption = None,
    data_dir: DataDirOption = None,
    include: IncludeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Fetch from the hub what the local mirror lacks, at the pinned revisions, and check it."""
    from evalsuite.catalog.fetch import fetch as fetch_task
    from evalsuite.catalog.index import Catalog

    if data_dir is None:
        raise RequestError("name the folder to fetch into: --data-dir DIR or EVALSUITE_DATA")
    chosen = Catalog(include or ()).select(suite, tasks)
    data_dir.mkdir(parents=True, exist_ok=True)
    for task in chosen:
        for file in fetch_task(task, data_dir):
            typer.echo(f"fetched {file}", err=True)
    _verify(chosen, data_dir, as_json)


@app.command()
def verify(
    suite: SuiteOption = None,
    tasks: TasksOption = None,
    data_dir: DataDirOption = None,
    include: IncludeOption = None,
    as_json: JsonOption = False,
    write_pins: Annotated[
        bool, typer.Option("--write-pins", help="List the item ids of unpinned tasks in `pins/` beside their files.")
    ] = False,
) -> None:
    """Read the items and hold them against their pins. Without --suite or --tasks: those that are here."""
    from evalsuite.catalog import source
    from evalsuite.catalog.index import Catalog

    chosen = Catalog(include or ()).select(suite, tasks)
    if not (suite or tasks):
        chosen = tuple(task for task in chosen if source.origin(task, task.split, data_dir) != "hub")
    _verify(chosen, data_dir, as_json, write_pins)


def _verify(tasks: Sequence[Task], data_dir: Path | None, as_json: bool, write_pins: bool = False) -> None:
    reports = [_verified(task, data_dir, write_pins) for task in tasks]
    _show(reports, data_dir, as_json)
    if failed := [report for report in reports if not report["ok"]]:
        more = f" (and {len(failed) - 1} more)" if len(failed) > 1 else ""
        raise RequestError(f"{failed[0]['notes']}{more}")


def _verified(task: Task, data_dir: Path | None, write_pins: bool) -> Report:
    from evalsuite.catalog import pins
    from evalsuite.catalog.load import load

    try:
        loaded = load(task, data_dir)
    except RequestError as error:
        return {"task": task.name, "ok": False, "notes": str(error)}
    if write_pins and task.sha256 is None and task.items in (None, len(loaded.items)):
        pins.write(task, loaded.items)
    return {
        "task": task.name,
        "ok": True,
        "from": loaded.origin,
        "items": len(loaded.items),
        "pinned": loaded.pinned,
        "sha256": loaded.sha256,
        "notes": "; ".join(loaded.notes),
    }


def _whereabouts(task: Task, data_dir: Path | None) -> str:
    """`shipped`, the file of the mirror, the hub, or `missing` where none of them can be read."""
    from evalsuite.catalog import source

    if task.comes_with_its_file:
        return "shipped"
    if file := source.mirror_file(task, task.split, data_dir):
        return file
    return f"hub: {task.hub}" if source.hub_answers() or source.in_hub_cache(task) else "missing"


def _show(reports: Sequence[Report], data_dir: Path | None, as_json: bool) -> None:
    from evalsuite.cli.console import add_row, plain_table, print_json, print_rich

    if as_json:
        print_json({"data_dir": str(data_dir) if data_dir else None, "tasks": reports})
        return
    shown = [_for_people(report, data_dir) for report in reports]
    columns = list(dict.fromkeys(key for cells in shown for key in cells))
    table = plain_table(*columns, right=("items",), whole=("task", "ok", "items", "pinned"))
    for cells in shown:
        add_row(table, *(cells.get(column, "") for column in columns))
    print_rich(table)
    for report in reports:
        if report.get("notes") == "not pinned":
            print(f"\nto pin {report['task']}, write under `metadata:` in its file\n  sha256: {report['sha256']}")


def _for_people(report: Report, data_dir: Path | None) -> dict[str, str]:
    """The cells of a report's row: no long sums, and files of the mirror named as they are called there."""
    cells = {key: _cell(value) for key, value in report.items() if key not in ("sha256", "gated")}
    if data_dir and "from" in cells:
        cells["from"] = cells["from"].removeprefix(f"{data_dir}/").partition("::")[0]
    if report.get("gated"):
        cells["licence"] = f"{cells['licence']}, gated".removeprefix(", ")
    return cells


def _cell(value: Any) -> str:
    match value:
        case None:
            return ""
        case bool():
            return "yes" if value else "no"
        case int():
            return f"{value:,}"
        case _:
            return str(value)
