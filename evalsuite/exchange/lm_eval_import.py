"""From lm-eval's sample logs to a run. What the log does not state stays unknown."""

import ast
import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from evalsuite.catalog.items import AnswerFormat, AnswerKind, Item, content_id
from evalsuite.catalog.tasks import Task
from evalsuite.errors import RequestError
from evalsuite.evaluate.run import imported_manifest
from evalsuite.exchange.lm_eval_log import LoggedDoc, LoggedTask
from evalsuite.grading.grade import gold_problem, grader_hash
from evalsuite.protocol import Protocol, Sampling, digest
from evalsuite.rollouts import jsonl, store
from evalsuite.rollouts.record import FinishReason, Rollout

PROMPT = "lm-eval"
"""What stands for the prompt format: the log has the prompts, not their form."""


def run_name(log: list[LoggedTask]) -> str:
    """A name for the run: the model's, as the log has it, and a hash of what was answered."""
    return f"{Path(model_name(log)).name}-lm-eval-{_identity(log)[:8]}"


def model_name(log: list[LoggedTask]) -> str:
    """The model's name in the log."""
    return str(log[0].results.get("model_name") or "unknown")


def import_log(log: list[LoggedTask], folder: Path, kind: AnswerKind | None, tasks: Mapping[str, Task]) -> None:
    """Write the log as a run into an empty folder.

    Args:
        log: what `read_log` read.
        folder: the run's folder.
        kind: of the tasks for which neither `tasks` nor the log tells.
        tasks: evalsuite's own, by name.

    Raises:
        RequestError: the folder is in use, or the kind of a task is unknown.
    """
    if folder.is_dir() and any(path.name != ".lock" for path in folder.iterdir()):
        raise RequestError(f"{folder}: is not empty: name another folder with --out")
    known = [(task, _kind(task, kind, tasks), tasks.get(task.name)) for task in log]
    read = [(task, own, _items(task, what, own), what) for task, what, own in known]
    protocols = [_protocol(task, items, what) for task, _, items, what in read]
    facts = [_facts(task, items, what, own) for task, own, items, what in read]
    manifest = imported_manifest(folder, _identity(log), model_name(log), facts, [p.as_dict() for p in protocols])
    rows = [
        (p, item, doc)
        for p, (task, _, items, _) in zip(protocols, read, strict=True)
        for item, doc in zip(items, task.docs, strict=True)
    ]
    records = {
        store.ITEMS: [asdict(item) for _, item, _ in rows],
        store.PROMPTS: [{"cell": p.cell, "task": p.task, "item": i.id, "text": doc.prompt} for p, i, doc in rows],
        store.ROLLOUTS: [store.as_record(rollout) for row in rows for rollout in _rollouts(*row)],
    }
    with store.lock(folder):
        for name, lines in records.items():
            jsonl.write_whole(folder / name, "".join(json.dumps(r, ensure_ascii=False) + "\n" for r in lines))
        store.write_manifest(folder, manifest)


def _identity(log: list[LoggedTask]) -> str:
    return digest([[task.name, model_name(log), [asdict(doc) for doc in task.docs]] for task in log])


def _kind(task: LoggedTask, kind: AnswerKind | None, tasks: Mapping[str, Task]) -> AnswerKind:
    if task.name in tasks:
        return tasks[task.name].kind
    stated = _metadata(task).get("kind")
    if stated in list(AnswerKind):
        return AnswerKind(stated)
    if kind is None:
        raise RequestError(f"{task.name}: no task of evalsuite's: say with --kind what kind of answers it asks for")
    return kind


def _items(task: LoggedTask, kind: AnswerKind, own: Task | None) -> list[Item]:
    """The items in the log's order; equal ones get the ids X, X-2, X-3."""
    seen: Counter[str] = Counter()
    items = []
    for doc in task.docs:
        item = _item(task, doc, kind, own)
        seen[item.id] += 1
        items.append(item if seen[item.id] == 1 else replace(item, id=f"{item.id}-{seen[item.id]}"))
    return items


def _item(task: LoggedTask, doc: LoggedDoc, kind: AnswerKind, own: Task | None) -> Item:
    metadata = _metadata(task)
    question = doc.doc.get(metadata.get("question") or (own.question if own else None) or "")
    options = doc.doc.get(metadata.get("options") or (own.options if own else None) or "")
    question = question if isinstance(question, str) else doc.prompt
    shown = tuple(map(str, options)) if isinstance(options, list) and kind is AnswerKind.CHOICE else ()
    gold = _gold(doc.target, kind)
    return Item(content_id(question, shown, gold), task.name, question, shown, gold)


def _gold(target: str, kind: AnswerKind) -> tuple[str, ...]:
    """The accepted answers: a list is logged as Python writes it, and a GSM8K target is a whole solution."""
    if kind is AnswerKind.NUMBER:
        return (target.rpartition("####")[2].strip(),)
    try:
        answers = ast.literal_eval(target) if kind is AnswerKind.QA and target.startswith("[") else None
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        answers = None
    return tuple(map(str, answers)) if isinstance(answers, list) else (target,)


def _protocol(task: LoggedTask, items: list[Item], kind: AnswerKind) -> Protocol:
    """What the log states; None is unknown. Prompts are hashed as they were sent."""
    settings = task.docs[0].settings
    until = settings.get("until") or []
    return Protocol(
        task=task.name,
        split=str(task.config.get("test_split") or task.config.get("validation_split") or "test"),
        kind=kind,
        task_sha256=digest(sorted(item.id for item in items)),
        items_sha256=digest([item.id for item in items]),
        n_items=len(items),
        prompt=PROMPT,
        prompt_sha256=digest(sorted(doc.prompt for doc in task.docs)),
        answer_format=str(_answer_format(task) or AnswerFormat.FREE),
        stop=(until,) if isinstance(until, str) else tuple(map(str, until)),
        shots=int(task.results.get("n-shot", {}).get(task.name) or 0),
        examples=None,
        template_sha256=task.results.get("chat_template_sha"),
        sampling=Sampling(
            temperature=settings.get("temperature"),
            top_p=settings.get("top_p"),
            samples=max(len(doc.texts) for doc in task.docs),
            max_tokens=settings.get("max_gen_toks"),
            seed=None,
        ),
        grader=grader_hash(),
    )


def _facts(task: LoggedTask, items: list[Item], kind: AnswerKind, own: Task | None) -> dict[str, Any]:
    problems = ((item.id, gold_problem(kind, item.gold, item.options)) for item in items)
    return {
        "name": task.name,
        "official_items": own.items if own else None,
        "pinned": False,
        "origin": "a log of lm-eval",
        "sha256": digest(sorted(item.id for item in items)),
        "gated": own.gated if own else False,
        "licence": own.licence if own else None,
        "guess_rate": own.guess_rate if own else 0.0,
        "notes": _notes(task),
        "unreadable_golds": [(item, problem) for item, problem in problems if problem],
    }


def _notes(task: LoggedTask) -> list[str]:
    notes = ["imported from a log of lm-eval, which does not state why answers ended, their tokens and their seeds"]
    if _answer_format(task) is None:
        notes.append("the log does not state which answer format was asked for: strict takes any")
    return notes


def _answer_format(task: LoggedTask) -> AnswerFormat | None:
    stated = _metadata(task).get("answer_format")
    return AnswerFormat(stated) if stated in list(AnswerFormat) else None


def _rollouts(protocol: Protocol, item: Item, doc: LoggedDoc) -> list[Rollout]:
    return [
        Rollout(protocol.cell, protocol.task, item.id, sample, None, None, text, None, FinishReason.UNKNOWN)
        for sample, text in enumerate(doc.texts)
    ]


def _metadata(task: LoggedTask) -> dict[str, Any]:
    metadata = task.config.get("metadata")
    return metadata if isinstance(metadata, dict) else {}
