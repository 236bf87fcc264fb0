"""Two counts files compared: differences and their tests from counts alone; what lies behind them is not known."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from evalsuite.baselines.evidence import Differences, Evidence, evidence_of_average, evidence_of_tasks
from evalsuite.errors import RequestError
from evalsuite.rollouts.counts import Counts, check_same_items, read_counts
from evalsuite.stats.averages import mean_of_differences, weighted_mean
from evalsuite.stats.intervals import Estimate, mean_interval
from evalsuite.stats.paired import interval_of_differences
from evalsuite.stats.verdicts import MATTERS


@dataclass(frozen=True, slots=True)
class CountRow:
    """One task, or the mean over tasks. `samples` holds the smallest number of samples an item has on either side."""

    task: str
    items: int
    samples: tuple[int, int] | None
    start: Estimate
    trained: Estimate
    gain: Estimate
    evidence: Evidence


@dataclass(frozen=True, slots=True)
class CountComparison:
    """A starting point's counts against a trained model's. `only_one` names tasks that only one file has."""

    start: str
    trained: str
    tasks: tuple[CountRow, ...]
    average: CountRow
    only_one: tuple[str, ...]


def compare_counts(start: Path, trained: Path, matters: float = MATTERS) -> CountComparison:
    """Compare two counts files.

    Raises:
        RequestError: a file that cannot be read, the same file twice, no common task, or other items.
    """
    if start.resolve() == trained.resolve():
        raise RequestError(f"{start}: a comparison with itself: name the counts of another model")
    one, other = read_counts(start), read_counts(trained)
    common = [task for task in one if task in other]
    if not common:
        raise RequestError(
            f"{start} and {trained} have no task in common ({', '.join(one)} against {', '.join(other)}); items "
            'without a "task" belong to one named like the file'
        )
    for task in common:
        check_same_items(task, (str(start), one[task]), (str(trained), other[task]))
    pairs = [(_means(one, task), _means(other, task)) for task in common]
    samples = [_samples(one[task], other[task]) for task in common]
    differences = [Differences(theirs - mine, min(k)) for (mine, theirs), k in zip(pairs, samples, strict=True)]
    told = [evidence for evidence in evidence_of_tasks(differences, matters) if evidence is not None]
    rows = [
        CountRow(
            task=task,
            items=len(mine),
            samples=k,
            start=mean_interval(mine),
            trained=mean_interval(theirs),
            gain=interval_of_differences(theirs - mine, samples=min(k)),
            evidence=evidence,
        )
        for task, (mine, theirs), k, evidence in zip(common, pairs, samples, told, strict=True)
    ]
    of_all = evidence_of_average(differences, matters)
    assert of_all is not None  # every task has differences
    average = CountRow(
        task="average",
        items=sum(row.items for row in rows),
        samples=None,
        start=weighted_mean([row.start for row in rows]),
        trained=weighted_mean([row.trained for row in rows]),
        gain=mean_of_differences([row.gain for row in rows]),
        evidence=of_all,
    )
    return CountComparison(str(start), str(trained), tuple(rows), average, tuple(sorted(one.keys() ^ other.keys())))


def _samples(one: Mapping[str, tuple[int, int]], other: Mapping[str, tuple[int, int]]) -> tuple[int, int]:
    """The smallest number of samples that an item has on either side."""
    return min(n for n, _ in one.values()), min(n for n, _ in other.values())


def _means(counts: Counts, task: str) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Each item's share of right samples, in the order of the items' names."""
    return np.array([c / n for _, (n, c) in sorted(counts[task].items())])
