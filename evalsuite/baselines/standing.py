"""How a side stands on its own: its score on each task under the settings chosen for it or given to it."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from evalsuite.baselines.choose import spread
from evalsuite.baselines.sides import Side
from evalsuite.stats.intervals import Estimate, mean_interval, widened


def own_scores(side: Side, task: str) -> NDArray[np.float64]:
    """Each item's score, sorted by the item's name, shape [items]; NaN where a sample of it was never generated."""
    chosen = side.tasks[task].chosen
    scores = np.concatenate([side.stored.scores(task, one.setting, one.items) for one in chosen])
    return scores[np.argsort([item for one in chosen for item in one.items])]


def own_reading(side: Side, task: str) -> Estimate | None:
    """The mean over items, its interval wider where folds chose differently; None where scores are missing."""
    scores = own_scores(side, task)
    doubt = spread([one.setting for one in side.tasks[task].chosen])
    return None if not scores.size or np.isnan(scores).any() else widened(mean_interval(scores), doubt)


def restricted(side: Side, tasks: Sequence[str]) -> Side:
    """The side with these of its tasks alone, in this order."""
    return replace(side, tasks={name: side.tasks[name] for name in tasks if name in side.tasks})
