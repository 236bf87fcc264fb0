"""What is worked out of a source: Pass@k, avg@n, maj@k and Cover@τ, each with its interval."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evalsuite.errors import RequestError
from evalsuite.report.sources import Source
from evalsuite.stats.intervals import Estimate, mean_interval
from evalsuite.stats.majority import majority_at_k
from evalsuite.stats.passk import cover_at, pass_at_ks, resampled_means

COVER = (0.5, 1.0)
"""The thresholds of Cover@τ unless told otherwise: right more often than not, and right always."""


@dataclass(frozen=True, slots=True)
class Point:
    """Pass@k; `resampled` bounds the middle 95 % of its values over items drawn anew (2,000 times)."""

    k: int
    estimate: Estimate
    resampled: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Curve:
    """One source in numbers. `majority` holds pairs of k and maj@k, `cover` of τ and Cover@τ."""

    source: Source
    points: tuple[Point, ...]
    average: Estimate
    majority: tuple[tuple[int, Estimate], ...]
    cover: tuple[tuple[float, Estimate], ...]


def powers_of_two(largest: int) -> list[int]:
    """1, 2, 4, … as far as `largest`."""
    return [2**i for i in range(largest.bit_length())]


def curve(source: Source, ks: Sequence[int] | None = None, thresholds: Sequence[float] | None = None) -> Curve:
    """The curve of a source at these k, or at the powers of two up to its smallest n.

    Raises:
        RequestError: a k below 1 or above the samples of an item, or a threshold outside (0, 1].
    """
    n, c = source.columns
    wanted = list(ks or powers_of_two(source.samples))
    _check(source, wanted, thresholds or ())
    votes = list(source.votes.values()) if source.votes is not None else []
    return Curve(
        source=source,
        points=_points(n, c, wanted),
        average=mean_interval(source.means),
        majority=tuple((k, mean_interval(majority_at_k(votes, k))) for k in wanted if votes),
        cover=tuple((share, cover_at(n, c, share)) for share in _thresholds(source, thresholds)),
    )


def _points(n: Sequence[int], c: Sequence[int], ks: Sequence[int]) -> tuple[Point, ...]:
    values = pass_at_ks(n, c, ks)
    low, high = np.quantile(resampled_means(values), [0.025, 0.975], axis=0)
    return tuple(Point(k, mean_interval(values[:, i]), (float(low[i]), float(high[i]))) for i, k in enumerate(ks))


def _thresholds(source: Source, asked: Sequence[float] | None) -> Sequence[float]:
    """With one sample an item every Cover@τ is the accuracy: nothing to show unless asked for."""
    return asked if asked is not None else COVER if source.samples > 1 else ()


def _check(source: Source, ks: Sequence[int], thresholds: Sequence[float]) -> None:
    for k in ks:
        if k < 1:
            raise RequestError(f"pass@{k} is undefined: k starts at 1")
        if k > source.samples:
            raise RequestError(
                f"{source.origin}: pass@{k} of {source.task} is undefined: it needs 1 <= k <= n, "
                f"and an item has n = {source.samples} samples; ask for a smaller k, or run with --samples {k}"
            )
    for share in thresholds:
        if not 0 < share <= 1:
            raise RequestError(f"--cover {share:g}: a share of right samples lies above 0 and up to 1")
