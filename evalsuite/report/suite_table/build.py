"""Makes the table: what each side scores, and how far it lies above the starting points."""

from collections.abc import Mapping, Sequence

import numpy as np

from evalsuite.baselines.compare import Comparison
from evalsuite.baselines.sides import Side
from evalsuite.baselines.standing import own_reading, own_scores
from evalsuite.catalog.suites import Suite
from evalsuite.catalog.tasks import Task
from evalsuite.report.suite_table.data import Cell, Column, Gain, Kind, Method, SuiteTable
from evalsuite.report.suite_table.marks import corrected, marked
from evalsuite.report.suite_table.notes import remarks, row_notes
from evalsuite.stats.averages import weighted_mean

Pairs = Sequence[Sequence[Comparison]]
"""For each trained side, its comparison with each starting point; empty rows where there is none."""


def suite_table(
    suite: Suite,
    tasks: Mapping[str, Task],
    starts: Sequence[Side],
    trained: Sequence[Side],
    pairs: Pairs,
    published: Sequence[Method] = (),
) -> SuiteTable:
    """The table of a suite: starting points, trained models, published rows.

    Args:
        suite: whose benchmarks are the columns.
        tasks: at least the suite's, by name.
        starts: the starting points; none where nothing is to be compared.
        trained: the models whose numbers are marked; all sides hold tasks of the suite alone.
        pairs: as `Pairs` says, shape [trained, starts].
        published: rows that nobody here measured.
    """
    names = _names([*starts, *trained])
    methods = [_method(side, name, Kind.START, suite, []) for side, name in zip(starts, names, strict=False)]
    rows = zip(trained, names[len(starts) :], pairs, strict=True)
    methods += [_method(side, name, Kind.TRAINED, suite, against) for side, name, against in rows]
    measured = marked(corrected(methods), suite.tasks)
    columns = tuple(_column(tasks[name], [*starts, *trained]) for name in suite.tasks)
    return SuiteTable(
        suite=suite.name,
        title=f"{suite.title or suite.name}: accuracy in per cent with 95 % intervals",
        columns=columns,
        methods=(*measured, *published),
        remarks=tuple(remarks(measured, columns)),
    )


def samples_of(side: Side, task: str) -> tuple[int, ...]:
    """How many samples an item has, one number for each way that the task's settings sample: greedily it is one."""
    settings = dict.fromkeys(one.setting for one in side.tasks[task].chosen)
    return tuple(dict.fromkeys(side.offered["samples"] if setting.temperature else 1 for setting in settings))


def _method(side: Side, name: str, kind: Kind, suite: Suite, against: Sequence[Comparison]) -> Method:
    readings = {task: own_reading(side, task) for task in suite.tasks if task in side.tasks}
    known = [reading for reading in readings.values() if reading is not None]
    cells = {}
    for task, reading in readings.items():
        samples = samples_of(side, task)
        gain = _worst([_gain(one, task) for one in against])
        cells[task] = Cell(reading, samples[0] if len(samples) == 1 else None, gain)
    complete = len(known) == len(suite.tasks)
    average = Cell(
        estimate=weighted_mean(known) if known else None,
        gain=_worst([_gain(one, None) for one in against]) if complete else None,
        of=(len(known), len(suite.tasks)),
    )
    missing = {
        task: int(np.isnan(own_scores(side, task)).sum()) for task, reading in readings.items() if reading is None
    }
    return Method(name, kind, cells, average, tuple(row_notes(side, suite.tasks, missing, against)))


def _gain(comparison: Comparison, task: str | None) -> Gain | None:
    """What a comparison says of one task, or of the average: best against best, not yet corrected."""
    row = comparison.average if task is None else next((r for r in comparison.tasks if r.task == task), None)
    if row is None or row.best.gain is None or row.best.evidence is None:
        return None
    evidence = row.best.evidence
    return Gain(comparison.start.name, row.best.gain, evidence.p, evidence.p, evidence.detectable, evidence.word)


def _worst(gains: Sequence[Gain | None]) -> Gain | None:
    """Of the gains over several starting points the least sure one: a gain must be one over each of them."""
    known = [gain for gain in gains if gain is not None]
    if not known or len(known) < len(gains):
        return None
    return min(known, key=_evidence)


def _evidence(gain: Gain) -> tuple[bool, float]:
    """Rises with how much speaks for a gain: a loss is the least, the surer the less."""
    above = gain.difference.value > 0
    return above, (1 - gain.p) if above else gain.p


def _column(task: Task, sides: Sequence[Side]) -> Column:
    having = [side for side in sides if task.name in side.tasks]
    samples = dict.fromkeys(number for side in having for number in samples_of(side, task.name))
    items = len(having[0].tasks[task.name].items) if having else None
    return Column(task.name, task.title or task.name, items, task.items, tuple(samples))


def _names(sides: Sequence[Side]) -> list[str]:
    """Each side's name; where two have the same, with where it comes from."""
    names = [side.name for side in sides]
    return [f"{side.name} ({side.source.stem})" if names.count(side.name) > 1 else side.name for side in sides]
