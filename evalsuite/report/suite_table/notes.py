"""The footnotes of a row and the remarks under the table: what a bare number would hide."""

from collections.abc import Iterator, Mapping, Sequence

from evalsuite.baselines.compare import Comparison
from evalsuite.baselines.sides import Side
from evalsuite.report.comparison import p_text, points
from evalsuite.report.suite_table.data import Column, Gain, Method


def row_notes(
    side: Side, tasks: Sequence[str], missing: Mapping[str, int], against: Sequence[Comparison]
) -> Iterator[str]:
    """What stands behind a row: settings and seed, broken seals, what is missing, and other treatment."""
    yield _settings(side)
    for one in against:
        if one.start.sealed == side.sealed and one.unequal:
            yield f"seal broken, equal effort: not offered the same as {one.start.name}: {'; '.join(one.unequal)}"
    if against and not side.sealed:
        sealed = [one.start.name for one in against if one.start.sealed]
        broken = f"equal effort: {' and '.join(sealed)} had a grid to choose from" if sealed else ""
        unknown = "no peeking: on which items the settings were chosen is not known"
        yield f"seals broken, {broken}; {unknown}" if broken else f"seal broken, {unknown}"
    if lacking := [task for task in tasks if task not in side.tasks]:
        yield f"not run: {', '.join(lacking)}"
    for task, number in missing.items():
        yield f"{task}: {number:,} of {len(side.tasks[task].items):,} items have no score yet"
    for one in against:
        for what, (start, trained) in one.treatment.items():
            yield f"treated otherwise than {one.start.name}: {what} is {trained}, not {start}"
        if one.engines:
            yield f"engine {one.engines[1]}; that of {one.start.name} is {one.engines[0]}"


def remarks(methods: Sequence[Method], columns: Sequence[Column]) -> Iterator[str]:
    """What holds for the whole table."""
    for method in methods:
        if gain := method.average.gain:
            yield f"Average of {method.name} {_said(gain)}"
    if any(method.average.incomplete for method in methods):
        yield "An average with (x/y) is over x of y benchmarks: it is incomplete and is compared with nothing."
    yield (
        f"n: items; K: samples an item. Average: the plain mean of {len(columns)} benchmarks, its interval made of "
        "theirs. Overlap with training data was not looked at."
    )


def _said(gain: Gain) -> str:
    p = f"p = {p_text(gain.adjusted)}".replace("= <", "< ")
    return (
        f"against {gain.against}: {points(gain.difference)} points, {gain.word} ({p}); a difference of "
        f"{100 * gain.detectable:.1f} would have been seen in 80 % of such comparisons."
    )


def _settings(side: Side) -> str:
    """Each setting with the tasks that have it; the tasks are left out where there is one only."""
    by_setting: dict[str, list[str]] = {}
    for task, entry in side.tasks.items():
        for setting in dict.fromkeys(str(one.setting) for one in entry.chosen):
            by_setting.setdefault(setting, []).append(task)
    how = "settings chosen from a grid, on items that are not scored" if side.sealed else "settings given by hand"
    told = [f"{', '.join(tasks)} by {setting}" for setting, tasks in by_setting.items()]
    return f"{how}: {'; '.join(told) if len(told) > 1 else next(iter(by_setting))}; seed {side.wish['seed']}"
