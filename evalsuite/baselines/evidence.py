"""What the tests say of a difference: of each task's, corrected for how many there are, and of the average's."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from evalsuite.stats.paired import standard_error
from evalsuite.stats.power import detectable_effect
from evalsuite.stats.tests import paired_p, sign_flip_p, with_doubt
from evalsuite.stats.verdicts import Word, holm, verdict


@dataclass(frozen=True, slots=True)
class Evidence:
    """A paired test, two-sided at 5 %.

    `adjusted` is `p` corrected over the tasks by Holm's method; of the average, the primary test, it is `p` itself.
    `detectable` is the smallest true difference that such a comparison shows in 80 % of cases, a fraction.
    """

    p: float
    adjusted: float
    detectable: float
    word: Word


@dataclass(frozen=True, slots=True)
class Differences:
    """One task's items' differences, shape [items], and by how much their error is larger than items alone say.

    `samples` are behind each of them; of two sides' numbers it is the smaller.
    """

    values: NDArray[np.float64]
    samples: int = 1
    doubt: float = 1.0

    @property
    def error(self) -> float:
        """The standard error of their mean."""
        return self.doubt * standard_error(self.values, self.samples)


def evidence_of_tasks(tasks: Sequence[Differences | None], matters: float) -> list[Evidence | None]:
    """The evidence for each task's difference; None where there are no differences."""
    known = [one for one in tasks if one is not None]
    p = [with_doubt(paired_p(one.values), one.doubt) for one in known]
    told = zip([float(one.values.mean()) for one in known], p, holm(p), [one.error for one in known], strict=True)
    return [None if one is None else _evidence(*next(told), matters) for one in tasks]


def evidence_of_average(tasks: Sequence[Differences | None], matters: float) -> Evidence | None:
    """The evidence for the plain mean of the tasks' differences; None where one of them is missing."""
    known = [one for one in tasks if one is not None]
    if not known or len(known) < len(tasks):
        return None
    error = sqrt(sum(one.error**2 for one in known)) / len(known)
    bare = sqrt(sum((one.error / one.doubt) ** 2 for one in known)) / len(known)
    p = paired_p(known[0].values) if len(known) == 1 else sign_flip_p([one.values for one in known])
    p = with_doubt(p, error / bare)
    return _evidence(float(np.mean([one.values.mean() for one in known])), p, p, error, matters)


def _evidence(difference: float, p: float, adjusted: float, error: float, matters: float) -> Evidence:
    detectable = detectable_effect(error)
    return Evidence(p, adjusted, detectable, verdict(difference, adjusted, detectable, matters))
