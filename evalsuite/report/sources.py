"""Where curves come from: the counts of each task of a run or of a counts file, and how they came about."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from evalsuite.errors import RequestError
from evalsuite.evaluate.adopt import answering, engine_words, engines_of
from evalsuite.evaluate.run import Run
from evalsuite.protocol import Protocol
from evalsuite.report.summary import counts
from evalsuite.rollouts.counts import check_same_items, read_counts
from evalsuite.stats.majority import Votes

CountVotes = Callable[[Run, Protocol], dict[str, Votes]]


@dataclass(frozen=True, slots=True)
class Source:
    """One model on one task: `counts` holds n and c of each item, sorted by the item's name; `origin` is its path.

    `votes` is None where nobody asked for them; `setting` says how the samples came about, empty where it is unknown.
    """

    name: str
    task: str
    origin: str
    counts: Mapping[str, tuple[int, int]]
    votes: Mapping[str, Votes] | None = None
    setting: Mapping[str, str] = field(default_factory=dict)

    @property
    def samples(self) -> int:
        """The smallest number of samples of an item: the largest k."""
        return min(n for n, _ in self.counts.values())

    @property
    def columns(self) -> tuple[list[int], list[int]]:
        """n and c of each item, in the order of `counts`."""
        return [n for n, _ in self.counts.values()], [c for _, c in self.counts.values()]

    @property
    def means(self) -> NDArray[np.float64]:
        """Each item's share of right samples, in the order of `counts`."""
        n, c = self.columns
        return np.divide(c, n)


def sources_of_run(run: Run, votes: CountVotes | None = None) -> list[Source]:
    """A source for each protocol of a run; where it has asked a task in several ways, the name says which.

    Raises:
        RequestError: no graded rollouts.
    """
    found = []
    for protocol in run.protocols:
        tally = counts(protocol, run.rollouts.values(), run.verdicts)
        if not tally:
            raise RequestError(f"{run.folder}: {protocol.task} has no graded rollouts: `evalsuite grade` comes first")
        source = Source(
            name=f"{run.name}{_way(run, protocol)}",
            task=protocol.task,
            origin=str(run.folder),
            counts=dict(sorted(tally.items())),
            votes=votes(run, protocol) if votes else None,
            setting=_setting(protocol) | {"engine": _engines(run)},
        )
        found.append(source)
    return found


def sources_of_counts(path: Path) -> list[Source]:
    """A source for each task of a counts file.

    Raises:
        RequestError: as `read_counts`.
    """
    return [
        Source(path.stem, task, str(path), dict(sorted(items.items()))) for task, items in read_counts(path).items()
    ]


def by_task(sources: Sequence[Source]) -> dict[str, list[Source]]:
    """The sources of each task, under names that tell them apart.

    Raises:
        RequestError: sources of one task that hold other items.
    """
    found: dict[str, list[Source]] = {}
    for source in sources:
        found.setdefault(source.task, []).append(source)
    for task, same in found.items():
        for other in same[1:]:
            check_same_items(task, (same[0].origin, same[0].counts), (other.origin, other.counts))
        names = [source.name for source in same]
        found[task] = [replace(one, name=one.origin) if names.count(one.name) > 1 else one for one in same]
    return found


def _way(run: Run, protocol: Protocol) -> str:
    """Where a run has asked a task in several ways, by what this one differs."""
    same = [_setting(other) for other in run.protocols if other.task == protocol.task]
    own = _setting(protocol)
    differing = [own[name] for name in own if len({other[name] for other in same}) > 1]
    return f" ({', '.join(differing)})" if differing else ""


def _setting(protocol: Protocol) -> dict[str, str]:
    sampling = protocol.sampling
    return {
        "prompt": protocol.prompt,
        "chat template": "with a chat template" if protocol.template_sha256 else "raw text",
        "shots": f"{protocol.shots} shots",
        "temperature": _text("T=", sampling.temperature),
        "top-p": _text("top-p ", sampling.top_p),
        "token limit": _text("", sampling.max_tokens, " tokens"),
        "seed": _text("seed ", sampling.seed),
        "grader": f"grader {protocol.grader}",
    }


def _text(before: str, value: float | None, after: str = "") -> str:
    return f"{before}{'unknown' if value is None else f'{value:g}'}{after}"


def _engines(run: Run) -> str:
    """The engines that generated, with what a user told them that may change answers; several are joined by "and"."""
    told = []
    for engine in engines_of(run.folder):
        options = ", ".join(f"{name}={value}" for name, value in sorted(answering(engine).items()))
        told.append(f"{engine_words([engine])}{f' ({options})' if options else ''}")
    return " and ".join(dict.fromkeys(told)) or "unknown"
