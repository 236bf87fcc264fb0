"""What a run tells while it goes on, to whoever shows it."""

from typing import Protocol

from evalsuite.grading.verdict import Verdict
from evalsuite.rollouts.record import Rollout


class Watch(Protocol):
    """Shows progress. Called from one thread only."""

    def say(self, line: str) -> None:
        """Something worth one line, such as what is being loaded."""
        ...

    def begin(self, what: str, total: int, done: int = 0) -> None:
        """A stretch of `total` rollouts begins, `done` of which are there already."""
        ...

    def generated(self, rollout: Rollout) -> None:
        """A rollout is on disk."""
        ...

    def graded(self, rollout: Rollout, verdict: Verdict) -> None:
        """Its verdict is on disk."""
        ...
