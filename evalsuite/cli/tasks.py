"""`evalsuite tasks`: what can be asked; list the tasks and suites, or show one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from evalsuite.cli.options import DataDirOption, IncludeOption, JsonOption, SuiteOption, TasksOption

if TYPE_CHECKING:
    from rich.table import Table

    from evalsuite.catalog.index import Catalog
    from evalsuite.catalog.tasks import Task


def tasks(
    name: Annotated[str | None, typer.Argument(help="Show this task: all that its file says, and an item.")] = None,
    item: Annotated[str | None, typer.Option(help="Which item to show, by id. Default: the first.")] = None,
    suite: SuiteOption = None,
    only: TasksOption = None,
    data_dir: DataDirOption = None,
    include: IncludeOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the tasks and suites, or show one task with one of its items."""
    from evalsuite.catalog.index import Catalog
    from evalsuite.cli.console import print_json, print_rich

    catalog = Catalog(include or ())
    if name is None:
        chosen = catalog.select(suite, only)
        suites = {name: list(s.tasks) for name, s in catalog.suites.items()}
        if as_json:
            print_json({"tasks": [task.model_dump(mode="json") for task in chosen], "suites": suites})
        else:
            print_rich(_list(chosen), "", _suites(catalog))
        return
    from evalsuite.catalog.load import load
    from evalsuite.cli.pick import pick_item

    task = catalog.task(name)
    shown = None if task.gated else pick_item(load(task, data_dir), item)
    if as_json:
        from dataclasses import asdict

        print_json({"task": task.model_dump(mode="json"), "item": asdict(shown) if shown else None})
        return
    print_rich(_details(task, catalog))
    if shown is None:
        print_rich("its items are gated: they are not shown")
        return
    options = "".join(f"\n{letter}. {text}" for letter, text in zip(shown.letters, shown.options, strict=True))
    print(f"item {shown.id}\n\n{shown.question}{options}\n\ngold: {' | '.join(shown.gold)}")


def _list(tasks: tuple[Task, ...]) -> Table:
    from evalsuite.cli.console import add_row, plain_table

    table = plain_table(
        "task",
        "what it is",
        "answer",
        "items",
        "guess %",
        "dev items from",
        right=("items", "guess %"),
        whole=("answer",),
    )
    for task in tasks:
        dev = (task.dev.task or f"its {task.dev.split}") if task.dev else "–"
        guess = f"{100 * task.guess_rate:.0f}" if task.guess_rate else ""
        count = f"{task.items:,}" if task.items else "?"
        title = f"{task.title}{' (gated)' if task.gated else ''}"
        add_row(table, task.name, title, str(task.kind), count, guess, dev)
    return table


def _suites(catalog: Catalog) -> Table:
    from evalsuite.cli.console import add_row, plain_table

    table = plain_table("suite", "the plain mean of", whole=("suite",))
    for name, suite in catalog.suites.items():
        add_row(table, name, ", ".join(suite.tasks))
    return table


def _details(task: Task, catalog: Catalog) -> Table:
    from rich.table import Table

    from evalsuite.cli.console import add_row

    table = Table(box=None, show_header=False, pad_edge=False)
    for key, value in task.model_dump(mode="json", exclude_defaults=True, exclude_none=True).items():
        add_row(table, key, _plain(value))
    add_row(table, "in suites", ", ".join(name for name, s in catalog.suites.items() if task.name in s.tasks) or "none")
    return table


def _plain(value: object) -> str:
    match value:
        case dict():
            return ", ".join(f"{key}: {of}" for key, of in value.items())
        case list():
            return ", ".join(map(str, value))
        case bool():
            return "yes" if value else "no"
        case _:
            return str(value)
