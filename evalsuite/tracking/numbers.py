"""A run's summary and protocols as MLflow takes them: metrics, parameters and tags."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict

from evalsuite.protocol import Protocol
from evalsuite.report.summary import Summary, TaskRow
from evalsuite.tracking.record import allowed, ends, metrics


def summary_metrics(summary: Summary) -> dict[str, float]:
    """Every number of the summary under a name that MLflow accepts, such as `gsm8k.accuracy_low`."""
    names = _names([(row.task, row.prompt, row.cell) for row in summary.tasks])
    found: dict[str, float | None] = {}
    for name, row in zip(names, summary.tasks, strict=True):
        found |= {f"{name}.{what}": value for what, value in _row_metrics(row).items()}
    if summary.suite:
        average = ends("accuracy", summary.suite.mean) | {
            "format_tax": summary.suite.format_tax,
            "tasks": len(summary.suite.tasks),
        }
        found |= {f"{summary.suite.suite}.{what}": value for what, value in average.items()}
    return metrics(found)


def settings(protocols: Sequence[Protocol]) -> dict[str, str]:
    """What the protocols fix: one parameter for what all share, one a protocol where they differ."""
    columns = [{"prompt": p.prompt, "shots": p.shots, "items": p.n_items, **asdict(p.sampling)} for p in protocols]
    names = _protocol_names(protocols)
    found: dict[str, str] = {}
    for what in columns[0] if columns else ():
        values = [str(column[what]) for column in columns]
        same = len(set(values)) == 1
        found |= {what: values[0]} if same else {f"{n}.{what}": v for n, v in zip(names, values, strict=True)}
    return found


def hashes(protocols: Sequence[Protocol]) -> dict[str, str]:
    """The hash of each protocol, and that of its grader."""
    named = zip(_protocol_names(protocols), protocols, strict=True)
    return {
        f"{name}.{what}": value for name, p in named for what, value in (("protocol", p.hash), ("grader", p.grader))
    }


def _row_metrics(row: TaskRow) -> dict[str, float | None]:
    estimates = ends("accuracy", row.accuracy) | ends("strict", row.strict) | ends("f1", row.score)
    shares = {"format_tax": row.format_tax, "cut_off": row.cut_off, "no_answer": row.no_answer}
    amounts = {name: getattr(row, name) for name in ("items", "done", "failed", "too_long", "unscored")}
    return {**estimates, **shares, **amounts}


def _protocol_names(protocols: Sequence[Protocol]) -> list[str]:
    return _names([(p.task, p.prompt, p.cell) for p in protocols])


def _names(rows: Sequence[tuple[str, str, str]]) -> list[str]:
    """The shortest of task, task.prompt and task.prompt.cell that tells a row from the others."""
    tasks = Counter(task for task, _, _ in rows)
    prompts = Counter((task, prompt) for task, prompt, _ in rows)
    parts = [
        (task,) if tasks[task] == 1 else (task, prompt) if prompts[task, prompt] == 1 else (task, prompt, cell[:8])
        for task, prompt, cell in rows
    ]
    return [".".join(allowed(part) for part in name) for name in parts]
