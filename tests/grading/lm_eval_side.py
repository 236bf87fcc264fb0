"""lm-eval's own scores of given completions: its filters and its metric, run as its evaluator runs them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from evalsuite.catalog import source
from evalsuite.catalog.tasks import Task


class LmEvalSide:
    """A task as lm-eval builds it from the same file, with its rows by the question that they ask."""

    def __init__(self, task: Task, data_dir: Path | None = None) -> None:
        self._task = source.open_split(task, task.split, data_dir)
        self._docs = {doc[task.question]: doc for doc in self._task.task_docs}

    def scores(self, completions: Sequence[tuple[str, str]]) -> list[dict[str, bool]]:
        """For each (question, completion): whether lm-eval scores it as right, by the name of the filter."""
        from lm_eval.api.instance import Instance

        instances = [
            Instance("generate_until", self._docs[question], (), index, resps=[text])
            for index, (question, text) in enumerate(completions)
        ]
        self._task._instances = instances
        self._task.apply_filters()
        return [self._by_filter(instance) for instance in instances]

    def _by_filter(self, instance: Any) -> dict[str, bool]:
        filtered = instance.filtered_resps
        metrics = {name: self._task.process_results(instance.doc, [filtered[name]]) for name in filtered}
        return {name: metric["exact_match"] == 1.0 for name, metric in metrics.items()}
