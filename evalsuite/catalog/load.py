"""From a task to its items: read through lm-eval, named by content, ordered by id, held against the pin."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from evalsuite.catalog import pins, source
from evalsuite.catalog.index import Catalog
from evalsuite.catalog.items import AnswerKind, Item, canonical, content_id
from evalsuite.catalog.tasks import Task
from evalsuite.errors import RequestError


@dataclass(frozen=True, slots=True)
class LoadedTask:
    """A task with its items, ordered by id: the first N of them are a fixed sample, not the easiest."""

    task: Task
    items: tuple[Item, ...]
    sha256: str
    origin: str
    pinned: bool
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DevItems:
    """Items on which settings may be chosen; `removed` counts those left out because they are asked."""

    items: tuple[Item, ...]
    removed: int


def load(task: Task, data_dir: Path | None) -> LoadedTask:
    """The items of a task, refused if they are not the pinned ones."""
    items = read_items(task, task.split, data_dir)
    where = source.mirror_file(task, task.split, data_dir) or task.hub or str(task.path.parent)
    pinned, notes = pins.check(task, items, where)
    if blank := sum(not all(answer.strip() for answer in item.gold) for item in items):
        notes += (f"{blank} items without a gold answer",)
    return LoadedTask(
        task=task,
        items=items,
        sha256=pins.digest(item.id for item in items),
        origin=source.origin(task, task.split, data_dir),
        pinned=pinned,
        notes=notes,
    )


def load_dev(task: Task, catalog: Catalog, data_dir: Path | None) -> DevItems:
    """A task's dev items without any that the task asks; empty where the task names no dev source."""
    if task.dev is None:
        return DevItems((), 0)
    if task.dev.task is not None:
        found = load(catalog.task(task.dev.task), data_dir).items
    else:
        found = read_items(task, str(task.dev.split), data_dir)
    return leave_out(found, load(task, data_dir).items)


def leave_out(items: Iterable[Item], asked: Iterable[Item]) -> DevItems:
    """The items without those whose question is among the asked ones, whatever task either comes from."""
    candidates = tuple(items)
    questions = {canonical(item.question) for item in asked}
    kept = tuple(item for item in candidates if canonical(item.question) not in questions)
    return DevItems(kept, len(candidates) - len(kept))


def read_items(task: Task, split: str, data_dir: Path | None) -> tuple[Item, ...]:
    """The items of one split, ordered by id, without looking at the pin."""
    lm_task = source.open_split(task, split, data_dir)
    try:
        items = [_item(task, lm_task, doc) for doc in lm_task.task_docs]
    except RequestError:
        raise
    except Exception as error:  # whatever a template of the task file may raise
        raise RequestError(f"{task.path}: split '{split}': {source.fault(task, error)}") from None
    return tuple(sorted(_told_apart(items), key=lambda item: item.id))


def _item(task: Task, lm_task: Any, doc: Mapping[str, Any]) -> Item:
    question = _field(task, lm_task, doc, task.question)
    options = tuple(str(option) for option in doc[task.options]) if task.options else ()
    target = lm_task.doc_to_target(doc)
    gold = tuple(str(answer) for answer in target) if isinstance(target, list) else (str(target),)
    solution = _field(task, lm_task, doc, task.solution) if task.solution and _has(task.solution, doc) else None
    item = Item(content_id(question, options, gold), task.name, question, options, gold, solution)
    if task.kind is AnswerKind.CHOICE and (len(gold) != 1 or gold[0] not in item.letters):
        raise RequestError(f"{task.path}: item {item.id}: its gold is not one of the letters {', '.join(item.letters)}")
    return item


def _field(task: Task, lm_task: Any, doc: Mapping[str, Any], column_or_template: str | None) -> str:
    """A column's value or a filled template, by lm-eval's rules. A bare name must be a column, not a literal text."""
    if column_or_template is not None and not _has(column_or_template, doc):
        raise RequestError(f"{task.path}: no column '{column_or_template}'; there are {', '.join(doc)}")
    return str(lm_task.doc_to_text(doc, column_or_template))


def _has(column_or_template: str, doc: Mapping[str, Any]) -> bool:
    return "{" in column_or_template or doc.get(column_or_template) is not None


def _told_apart(items: list[Item]) -> list[Item]:
    """Items of equal content get the ids X, X-2, X-3."""
    seen: Counter[str] = Counter()
    result = []
    for item in items:
        seen[item.id] += 1
        result.append(item if seen[item.id] == 1 else replace(item, id=f"{item.id}-{seen[item.id]}"))
    return result
