"""The variances a plan rests on: measured where runs are given, assumed where none is."""

from collections.abc import Mapping, Sequence

from evalsuite.errors import RequestError
from evalsuite.report.plan.data import ASSUMED, MEASURED, ONE_RUN, SamplePlan, sample_plan
from evalsuite.report.sources import Source
from evalsuite.stats.levels import Spread, spread
from evalsuite.stats.planning import PairedVariance, typical_variance, variance_from_one, variance_from_two


def plan_for(
    suite: str, sizes: Mapping[str, int], sources: Mapping[str, Sequence[Source]], effect: float, samples_now: int
) -> SamplePlan:
    """The plan for tasks of these sizes; `sources` holds, for a task, what one run or two runs show of it.

    Raises:
        RequestError: more than two sources of a task, or none of any task of the suite.
    """
    if sources and not sources.keys() & sizes.keys():
        raise RequestError(f"{', '.join(sources)}: no task of {suite}, which is {', '.join(sizes)}")
    variances: dict[str, PairedVariance] = {}
    origin: dict[str, str] = {}
    spreads: dict[str, dict[str, Spread]] = {}
    for task, items in sizes.items():
        given = sources.get(task, ())
        if len(given) > 2:
            named = ", ".join(source.name for source in given)
            raise RequestError(f"{task}: a plan is for two models, but {len(given)} are given: {named}")
        levels = [spread(*source.columns) for source in given]
        variances[task], origin[task] = _variance(items, given, [level for level in levels if level])
        for source, level in zip(given, levels, strict=True):
            if level:
                spreads.setdefault(source.name, {})[task] = level
    return sample_plan(suite, variances, effect, samples_now, origin, spreads)


def _variance(items: int, given: Sequence[Source], levels: Sequence[Spread]) -> tuple[PairedVariance, str]:
    if not given or len(levels) < len(given):
        return typical_variance(items), ASSUMED
    if len(given) == 1:
        return variance_from_one(items, levels[0]), ONE_RUN
    one, other = given
    return variance_from_two(items, levels[0], levels[1], other.means - one.means), MEASURED
