"""Pass@k of several sources, task by task, with what must be said beside the numbers."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from evalsuite.report.passk.curves import Curve, curve
from evalsuite.report.passk.meeting import Meeting, meeting_words, meetings
from evalsuite.report.sources import Source, by_task
from evalsuite.stats.majority import DRAWS, EXACT


@dataclass(frozen=True, slots=True)
class TaskCurves:
    """One task: a curve a source, and the first against each of the others."""

    task: str
    curves: tuple[Curve, ...]
    meetings: tuple[Meeting, ...]

    @property
    def items(self) -> int:
        """How many items all sources have."""
        return len(self.curves[0].source.counts)


@dataclass(frozen=True, slots=True)
class PassK:
    """All tasks of all sources; `notes` say what differs between the sources and what to be wary of."""

    tasks: tuple[TaskCurves, ...]
    notes: tuple[str, ...]


def pass_k(
    sources: Sequence[Source], ks: Sequence[int] | None = None, thresholds: Sequence[float] | None = None
) -> PassK:
    """The curves of these sources, tasks in the order of the first.

    Raises:
        RequestError: as `by_task` and `curve`.
    """
    tasks = tuple(
        TaskCurves(task, tuple(curve(source, ks, thresholds) for source in same), tuple(meetings(same)))
        for task, same in by_task(sources).items()
    )
    return PassK(tasks, tuple(_notes(tasks)))


def passk_json(found: PassK) -> dict[str, Any]:
    """Plain data: fractions, intervals at 95 %. `rows` holds Pass@k, one entry a source, task and k."""
    curves = [(task, one) for task in found.tasks for one in task.curves]

    def entries(values: Iterable[tuple[TaskCurves, Curve, dict[str, Any]]]) -> list[dict[str, Any]]:
        return [{"run": one.source.name, "task": task.task} | value for task, one, value in values]

    return {
        "level": 0.95,
        "rows": entries(
            (task, one, asdict(point) | {"items": task.items, "samples": one.source.samples})
            for task, one in curves
            for point in one.points
        ),
        "averages": entries(
            (task, one, {"samples": one.source.samples, "estimate": asdict(one.average)}) for task, one in curves
        ),
        "majority": entries(
            (task, one, {"k": k, "estimate": asdict(value)}) for task, one in curves for k, value in one.majority
        ),
        "cover": entries(
            (task, one, {"threshold": share, "estimate": asdict(value)})
            for task, one in curves
            for share, value in one.cover
        ),
        "crossings": [
            asdict(meeting) | {"shown": meeting.shown, "in_words": meeting_words(meeting)}
            for task in found.tasks
            for meeting in task.meetings
        ],
        "settings": entries((task, one, {"setting": dict(one.source.setting)}) for task, one in curves),
        "notes": list(found.notes),
    }


def _notes(tasks: Sequence[TaskCurves]) -> list[str]:
    """What is true of several tasks is said once."""
    found: dict[str, list[str]] = {}
    for task in tasks:
        for note in (*_differing(task), *_wary(task)):
            found.setdefault(note, []).append(task.task)
    everywhere = len(tasks)
    return [note if len(names) == everywhere else f"{', '.join(names)}: {note}" for note, names in found.items()]


def _differing(task: TaskCurves) -> list[str]:
    known = [one.source for one in task.curves if one.source.setting]
    notes = [
        f"{one.source.name}: counts alone; how they were sampled and graded is not known"
        for one in task.curves
        if not one.source.setting
    ]
    for name in known[0].setting if known else ():
        values = {source.name: source.setting[name] for source in known}
        if len(set(values.values())) > 1:
            told = "; ".join(f"{value} ({source})" for source, value in values.items())
            notes.append(f"the sources differ in {name}: {told}")
    notes += [
        f"{source.name}: its samples come from several engines: {source.setting['engine']}"
        for source in known
        if " and " in source.setting["engine"]
    ]
    return notes


def _wary(task: TaskCurves) -> list[str]:
    notes = []
    for one in task.curves:
        most = max(n for n, _ in one.source.counts.values())
        if most != one.source.samples:
            notes.append(f"{one.source.name}: items have between {one.source.samples:,} and {most:,} samples")
    near = [one for one in task.curves if any(point.k > 1 and 2 * point.k > one.source.samples for point in one.points)]
    if near:
        notes.append(
            "Pass@k with k above n/2 hangs on few samples of each item: as a rule of thumb, sample 2k for a firm value"
        )
    if any(one.majority and max(n for n, _ in one.source.counts.values()) > EXACT for one in task.curves):
        error = 50 / DRAWS**0.5
        notes.append(
            f"maj@k of an item with more than {EXACT} samples is of {DRAWS:,} drawn subsets: "
            f"within {error:.1f} points an item (one standard error), {error:.1f}/√items for the mean"
        )
    return notes
