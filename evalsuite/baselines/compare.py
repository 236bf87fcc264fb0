"""Two models by the same ruler: matched, best against best, and what the naive comparison would have said."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalsuite.baselines.attribution import FACTORS, attribute
from evalsuite.baselines.choose import spread
from evalsuite.baselines.evidence import Differences, Evidence, evidence_of_average, evidence_of_tasks
from evalsuite.baselines.fairness import check_examples, check_ruler, unequal_effort
from evalsuite.baselines.sides import Side, SideTask
from evalsuite.catalog.treatment import treatment_differences
from evalsuite.evaluate.adopt import engine_words
from evalsuite.protocol import Setting
from evalsuite.stats.averages import mean_of_differences, weighted_mean
from evalsuite.stats.intervals import Estimate, mean_interval, widened
from evalsuite.stats.paired import interval_of_differences
from evalsuite.stats.verdicts import MATTERS

PART_BOUND = 2.0
"""A part of a gain is a mean of differences between gains, each within ±1."""


@dataclass(frozen=True, slots=True)
class Reading:
    """Both sides under some settings, their paired difference, and its test; None where rollouts are missing."""

    start: Estimate | None
    trained: Estimate | None
    gain: Estimate | None
    evidence: Evidence | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """One task, or the mean over tasks. All are fractions with intervals at 95 %.

    `best` has each side under the settings chosen for it, `matched_trained` both under the trained side's,
    `matched_start` both under the start's. The gain of `naive` plus the sum of `parts` is that of `best`. `parts` is
    None where rollouts are missing.
    """

    task: str
    items: int
    naive: Reading
    matched_trained: Reading
    matched_start: Reading
    best: Reading
    parts: dict[str, Estimate] | None
    start_setting: str = ""
    trained_setting: str = ""
    naive_setting: str = ""


@dataclass(frozen=True, slots=True)
class Lacking:
    """Rollouts that a reading needs and nobody has generated: the setting and the items of one task of one side.

    `impossible` says why nobody can; it is empty where they can be had.
    """

    side: str
    sha256: str
    task: str
    setting: Setting
    items: tuple[str, ...]
    impossible: str = ""


@dataclass(frozen=True, slots=True)
class Comparison:
    """A starting point against a trained model.

    `unequal` names in what the two were not offered the same effort: a mark that stays on every number.
    `treatment` holds both values of whatever the checkpoints themselves bring along that differs, `impossible` the
    cells that only one of them could be asked with, `engines` both lists where they differ. `only_one` names tasks that
    only one side has.
    """

    start: Side
    trained: Side
    tasks: tuple[Row, ...]
    average: Row
    unequal: tuple[str, ...]
    treatment: dict[str, tuple[str, str]]
    impossible: tuple[str, ...]
    engines: tuple[str, str] | None
    only_one: tuple[str, ...]
    lacking: tuple[Lacking, ...]


@dataclass
class _Reader:
    """Reads scores of one task of both sides, and remembers what was missing."""

    task: str
    items: tuple[str, ...]
    needs_template: frozenset[str]
    lacking: dict[tuple[str, Setting], Lacking] = field(default_factory=dict)
    raw: set[str] = field(default_factory=set)

    def scores(self, side: Side, settings: Mapping[str, Setting]) -> NDArray[np.float64]:
        """Each item's score under the setting named for it, shape [items]; NaN where it was never generated.

        A side without a chat template is asked the same prompt format as raw text.
        """
        settings = {item: self._as_asked(side, setting) for item, setting in settings.items()}
        found = np.full(len(self.items), np.nan)
        named = np.array(self.items)
        for setting in dict.fromkeys(settings.values()):
            mine = np.array([settings[item] == setting for item in self.items])
            found[mine] = side.stored.scores(self.task, setting, named[mine].tolist())
            if np.isnan(found[mine]).any():
                self._note(side, setting, tuple(named[mine & np.isnan(found)].tolist()))
        return found

    def _as_asked(self, side: Side, setting: Setting) -> Setting:
        if not setting.chat or side.treatment["chat_template"] or setting.prompt in self.needs_template:
            return setting
        self.raw.add(side.name)
        return replace(setting, chat=False)

    def _note(self, side: Side, setting: Setting, gone: tuple[str, ...]) -> None:
        """Of readings that differ in parser and limit alone, the largest limit tells all; and the most items."""
        where = (f"{side.source}/{side.name}", replace(setting, max_tokens=0, parser="lenient"))
        no_template = setting.chat and side.treatment["chat_template"] is None
        why = f"{side.name} has no chat template" if no_template else ""
        noted = self.lacking.get(where, Lacking(side.name, side.sha256, self.task, setting, (), why))
        limit = max(noted.setting.max_tokens, setting.max_tokens)
        items = gone if len(gone) > len(noted.items) else noted.items
        self.lacking[where] = replace(noted, setting=replace(noted.setting, max_tokens=limit), items=items)


def compare(
    start: Side,
    trained: Side,
    naive: Mapping[str, Any],
    needs_template: Iterable[str] = (),
    matters: float = MATTERS,
) -> Comparison:
    """Compare two sides. `naive` names fields of a setting that the naive comparison fixes for both sides.

    All other fields of the naive setting are the trained side's own: both are measured in the setting that suits it.
    `needs_template` names the prompt formats that mean nothing as raw text. `matters` is the difference that a test
    should have been able to show before its silence says anything, a fraction.

    Raises:
        RequestError: they are measured by different rulers.
    """
    check_ruler(start, trained)
    common = [name for name in start.tasks if name in trained.tasks]
    needing = frozenset(needs_template)
    readers = [_Reader(name, start.tasks[name].items, needing) for name in common]
    rows, average = _tested([_row(reader, start, trained, naive) for reader in readers], matters)
    only = start.tasks.keys() ^ trained.tasks.keys()
    engines = engine_words(start.engines), engine_words(trained.engines)
    return Comparison(
        start=start,
        trained=trained,
        tasks=rows,
        average=average,
        unequal=tuple(unequal_effort(start, trained)),
        treatment=treatment_differences(start.treatment, trained.treatment),
        impossible=(*_impossible(start, trained, common), *_raw(readers)),
        engines=engines if engines[0] != engines[1] else None,
        only_one=tuple(sorted(only)),
        lacking=tuple(lack for reader in readers for lack in reader.lacking.values()),
    )


def _row(
    reader: _Reader, start: Side, trained: Side, naive: Mapping[str, Any]
) -> tuple[Row, dict[str, Differences | None]]:
    """A task's row, still without evidence, and the differences of its items by the name of the reading."""
    own, other = start.tasks[reader.task].settings, trained.tasks[reader.task].settings
    doubt = max(_doubt(start.tasks[reader.task]), _doubt(trained.tasks[reader.task]))
    fixed = {item: replace(setting, **naive) for item, setting in other.items()}

    def gain(of_start: Mapping[str, Setting], of_trained: Mapping[str, Setting]) -> NDArray[np.float64]:
        return reader.scores(trained, of_trained) - reader.scores(start, of_start)

    differences: dict[str, Differences | None] = {}

    samples = min(_samples(start, own.values()), _samples(trained, other.values()))

    def reading(name: str, of_start: Mapping[str, Setting], of_trained: Mapping[str, Setting]) -> Reading:
        mine, theirs = reader.scores(start, of_start), reader.scores(trained, of_trained)
        gone = np.isnan(theirs - mine).any()
        differences[name] = None if gone else Differences(theirs - mine, samples, doubt)
        return Reading(_mean(mine, doubt), _mean(theirs, doubt), _difference(theirs - mine, samples, doubt))

    check_examples(start, trained, reader.task, [*own.values(), *other.values(), *fixed.values()])
    whole = attribute(fixed, own, other, gain)
    parts = {name: _difference(part, samples, doubt, PART_BOUND) for name, part in whole.parts.items()}
    known = {name: part for name, part in parts.items() if part is not None}
    row = Row(
        task=reader.task,
        items=len(reader.items),
        naive=reading("naive", fixed, fixed),
        matched_trained=reading("matched_trained", other, other),
        matched_start=reading("matched_start", own, own),
        best=reading("best", own, other),
        parts=known if len(known) == len(parts) else None,
        start_setting=_named(own),
        trained_setting=_named(other),
        naive_setting=_named(fixed),
    )
    return row, differences


def _tested(
    measured: Sequence[tuple[Row, Mapping[str, Differences | None]]], matters: float
) -> tuple[tuple[Row, ...], Row]:
    """The rows and their average, each reading with its evidence."""
    rows = [row for row, _ in measured]
    average = _average(rows)
    for name in measured[0][1]:
        differences = [found[name] for _, found in measured]
        told = zip(rows, evidence_of_tasks(differences, matters), strict=True)
        rows = [_with(row, name, evidence) for row, evidence in told]
        average = _with(average, name, evidence_of_average(differences, matters))
    return tuple(rows), average


def _with(row: Row, name: str, evidence: Evidence | None) -> Row:
    reading: Reading = getattr(row, name)
    changed: dict[str, Any] = {name: replace(reading, evidence=evidence)}
    return replace(row, **changed)


def _average(rows: Sequence[Row]) -> Row:
    """The plain mean over tasks of each number that every task has."""
    told = [row.parts for row in rows if row.parts is not None]
    moving = [name for name in FACTORS if any(name in parts for parts in told)]
    parts = {
        name: mean_of_differences([parts.get(name, Estimate(0, 0, 0, 0)) for parts in told], largest=PART_BOUND)
        for name in moving
    }
    return Row(
        task="average",
        items=sum(row.items for row in rows),
        naive=_mean_reading([row.naive for row in rows]),
        matched_trained=_mean_reading([row.matched_trained for row in rows]),
        matched_start=_mean_reading([row.matched_start for row in rows]),
        best=_mean_reading([row.best for row in rows]),
        parts=parts if len(told) == len(rows) else None,
    )


def _mean_reading(readings: Sequence[Reading]) -> Reading:
    starts, others, gains = ([getattr(reading, name) for reading in readings] for name in ("start", "trained", "gain"))
    return Reading(
        None if None in starts else weighted_mean(starts),
        None if None in others else weighted_mean(others),
        None if None in gains else mean_of_differences(gains),
    )


def _doubt(task: SideTask) -> float:
    """By how much intervals are widened because folds chose differently."""
    return spread([one.setting for one in task.chosen])


def _samples(side: Side, settings: Iterable[Setting]) -> int:
    """The smallest number of samples that an item has under one of these settings."""
    greedy = any(setting.temperature == 0 for setting in settings)
    return 1 if greedy else int(side.offered["samples"])


def _mean(scores: NDArray[np.float64], doubt: float) -> Estimate | None:
    return None if np.isnan(scores).any() else widened(mean_interval(scores), doubt)


def _difference(differences: NDArray[np.float64], samples: int, doubt: float, largest: float = 1.0) -> Estimate | None:
    if np.isnan(differences).any():
        return None
    return widened(interval_of_differences(differences, 0.95, largest, samples), doubt, -largest, largest)


def _named(settings: Mapping[str, Setting]) -> str:
    """The setting, or how many items have which."""
    values = list(settings.values())
    distinct = list(dict.fromkeys(values))
    if len(distinct) == 1:
        return str(distinct[0])
    return "; ".join(f"{setting} ({values.count(setting)} items)" for setting in distinct)


def _impossible(start: Side, trained: Side, tasks: Sequence[str]) -> Iterator[str]:
    """What one side was offered and could not do, and the other could."""
    for side, other in ((start, trained), (trained, start)):
        for task in tasks:
            could = {cell for cell, _ in other.tasks[task].impossible}
            for cell, why in side.tasks[task].impossible:
                if cell not in could:
                    yield f"{task}: {cell} was not possible for {side.name}: {why}"


def _raw(readers: Sequence[_Reader]) -> Iterator[str]:
    for name in sorted(set().union(*(reader.raw for reader in readers))):
        yield f"{name} has no chat template: what the other side was asked through one, it was asked as raw text"
