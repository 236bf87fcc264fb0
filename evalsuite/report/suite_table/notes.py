"""The footnotes of a row and the remarks under the table: what a bare number would hide."""

from collections.abc import Iterator, Mapping, Sequence

from evalsuite.baselines.compare import Comparison
from evalsuite.baselines.sides import Side
from evalsuite.report.comparison import seals
from evalsuite.report.suite_table.data import Column, Kind, Method

STATES = ("broken", "not known")
"""How a seal's line goes on where the seal is not kept."""


def row_notes(
    side: Side, tasks: Sequence[str], missing: Mapping[str, int], against: Sequence[Comparison]
) -> Iterator[str]:
    """What stands behind a row: settings and seed, what is missing, broken seals, and other treatment."""
    yield from _settings(side)
    lacking = [task for task in tasks if task not in side.tasks]
    if lacking:
        yield f"not run: {', '.join(lacking)}"
    for task, number in missing.items():
        yield f"{task}: {number:,} of {len(side.tasks[task].items):,} items have no score yet"
    for one in against:
        for line in seals(one):
            name, state = line[:16].strip(), line[16:]
            if state.startswith(STATES):
                yield f"seal against {one.start.name} {state.split(':')[0]}: {name}: {state.partition(': ')[2]}"
        for what, (start, trained) in one.treatment.items():
            yield f"treated differently from {one.start.name}: {what} is {trained}, not {start}"
        if one.engines:
            yield f"engine {one.engines[1]}, not {one.engines[0]} as for {one.start.name}"


def remarks(methods: Sequence[Method], columns: Sequence[Column], published: Sequence[Method]) -> Iterator[str]:
    """What holds for the whole table."""
    starts = [method.name for method in methods if method.kind is Kind.START]
    rows = "measured rows" if published else "rows"
    if starts:
        tests = sum(cell.gain is not None for method in methods for cell in method.cells.values())
        averages = sum(method.average.gain is not None for method in methods)
        yield (
            f"Bold (*): the highest of the {rows}, and better than {' and '.join(starts)} beyond noise: paired over "
            f"items, p ≤ 0.05 after Holm's correction for the {tests} tests of single benchmarks, or the {averages} of "
            "averages. Underlined (†): the highest, but not better beyond noise."
        )
        seen = {method.name: method.average.gain for method in methods if method.average.gain}
        for name, gain in seen.items():
            d = gain.difference
            yield (
                f"Average of {name} against {gain.against}: {100 * d.value:+.1f} "
                f"[{100 * d.low:+.1f}, {100 * d.high:+.1f}], {gain.word} (p = {_p(gain.adjusted)}); "
                f"it could have shown {100 * gain.detectable:.1f} points (80 % power)."
            )
    else:
        yield f"Underlined (†): the highest of the {rows}. No baseline is named, so nothing is marked as better."
    if any(method.average.incomplete for method in methods):
        yield ("An average with (x/y) is over x of y benchmarks: it is incomplete and is compared with nothing.")
    yield (
        f"n: items; K: samples an item. Average: the plain mean of {len(columns)} benchmarks, its interval made of "
        "theirs. Overlap with training data was not looked at."
    )


def _settings(side: Side) -> Iterator[str]:
    """Each setting with the tasks that have it; the tasks are left out where there is one only."""
    by_setting: dict[str, list[str]] = {}
    for task, entry in side.tasks.items():
        for setting in dict.fromkeys(str(one.setting) for one in entry.chosen):
            by_setting.setdefault(setting, []).append(task)
    how = "settings chosen from a grid on items that are not scored" if side.sealed else "settings given by hand"
    if len(by_setting) == 1:
        told = next(iter(by_setting))
    else:
        told = "; ".join(f"{', '.join(tasks)} by {setting}" for setting, tasks in by_setting.items())
    yield f"{how}: {told}; seed {side.wish['seed']}"


def _p(value: float) -> str:
    return f"{value:.3f}" if value >= 0.001 else "< 0.001"
