"""Two curves over the same items: how far apart they are at both ends, and where they cross."""

from collections.abc import Sequence
from dataclasses import dataclass

from evalsuite.report.sources import Source
from evalsuite.stats.crossing import Crossing, crossing
from evalsuite.stats.intervals import Estimate
from evalsuite.stats.paired import interval_of_differences
from evalsuite.stats.passk import pass_at_ks


@dataclass(frozen=True, slots=True)
class Meeting:
    """The curve of `second` against that of `first`: its leads at k = 1 and at the largest k, and the crossing.

    A lead is Pass@k of the second less that of the first, paired by item.
    """

    task: str
    first: str
    second: str
    lead_at_1: Estimate
    lead_at_end: Estimate
    crossing: Crossing

    @property
    def shown(self) -> bool:
        """Whether a crossing is more than noise: one curve leads at one end and the other at the other, both surely."""
        start, end = self.lead_at_1, self.lead_at_end
        return (start.low > 0 and end.high < 0) or (start.high < 0 and end.low > 0)


def meetings(sources: Sequence[Source]) -> list[Meeting]:
    """The first source against each other one; all hold the same items."""
    return [_meeting(sources[0], other) for other in sources[1:]]


def _meeting(first: Source, second: Source) -> Meeting:
    found = crossing(first.columns, second.columns)
    return Meeting(
        task=first.task,
        first=first.name,
        second=second.name,
        lead_at_1=_lead(first, second, 1),
        lead_at_end=_lead(first, second, found.largest),
        crossing=found,
    )


def _lead(first: Source, second: Source, k: int) -> Estimate:
    """n samples of an item make n/k independent tries of k: so many stand behind its Pass@k."""
    leads = pass_at_ks(*second.columns, [k]) - pass_at_ks(*first.columns, [k])
    return interval_of_differences(leads[:, 0], samples=max(1, min(first.samples, second.samples) // k))


def meeting_words(one: Meeting) -> str:
    """What can be said of the crossing, in a sentence."""
    k, largest = one.crossing.k, one.crossing.largest
    if largest == 1:
        return f"{one.second} − {one.first}: {_lead_words(one.lead_at_1, 1)}"
    ends = f"{_lead_words(one.lead_at_1, 1)}, {_lead_words(one.lead_at_end, largest)}"
    if k is None:
        return f"{one.second} − {one.first}: {ends}; the curves do not cross up to k = {largest}."
    where = f"k ≈ {k:.1f} [{one.crossing.low:.1f}, {one.crossing.high:.1f}]" if one.crossing.low else f"k ≈ {k:.1f}"
    share = f"in {100 * one.crossing.share:.0f} % of resampled sets of items"
    if one.shown:
        return f"{one.second} − {one.first}: {ends}; the curves cross at {where}, {share}."
    return (
        f"{one.second} − {one.first}: {ends}; they seem to cross at {where}, {share}, "
        "but the leads at both ends are not beyond noise: no crossing is shown."
    )


def _lead_words(lead: Estimate, k: int) -> str:
    low, high = 100 * lead.low, 100 * lead.high
    return f"{100 * lead.value:+.1f} [{low:+.1f}, {high:+.1f}] points at k = {k}"
