from pathlib import Path
from typing import Any

import pytest

from evalsuite.catalog.index import Catalog
from evalsuite.catalog.load import load
from evalsuite.catalog.paths import shipped


@pytest.fixture(scope="module")
def manager() -> Any:
    from lm_eval.tasks import TaskManager

    return TaskManager(include_path=str(shipped("tasks")), include_defaults=False)


def test_lm_eval_sees_every_task_and_suite(catalog: Catalog, manager: Any) -> None:
    assert set(manager.all_subtasks) == set(catalog.tasks)
    assert set(manager.all_groups) == set(catalog.suites)


@pytest.fixture(scope="module")
def always_15() -> Any:
    """A model for lm-eval that answers 15 to everything: its dummy model, which would look for a tokenizer online."""
    from lm_eval.models.dummy import DummyLM

    class Always15(DummyLM):
        tokenizer = None

        def generate_until(self, requests: list[Any], disable_tqdm: bool = False) -> list[str]:
            return ["It is\n#### 15" for _ in requests]

    return Always15()


def test_lm_eval_scores_a_demo_task(
    catalog: Catalog, manager: Any, always_15: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from lm_eval import simple_evaluate

    monkeypatch.chdir(tmp_path)
    result = simple_evaluate(always_15, tasks=["demo_number"], task_manager=manager, bootstrap_iters=0)
    items = load(catalog.task("demo_number"), None).items
    right = sum(item.gold == ("15",) for item in items)
    assert right == 2
    assert result["n-samples"]["demo_number"] == {"original": len(items), "effective": len(items)}
    for filtered in ("extracted", "strict"):
        assert result["results"]["demo_number"][f"exact_match,{filtered}"] == pytest.approx(right / len(items))


def test_lm_eval_averages_a_suite_over_tasks_not_items(manager: Any, always_15: Any) -> None:
    from lm_eval import simple_evaluate

    result = simple_evaluate(always_15, tasks=["demo"], task_manager=manager, bootstrap_iters=0)
    scores = [result["results"][name]["exact_match,extracted"] for name in result["group_subtasks"]["demo"]]
    assert len(scores) == 6
    assert 0 < result["groups"]["demo"]["exact_match,extracted"] == pytest.approx(sum(scores) / 6)


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("demo_number", "First ... 3 + 1. So it is\n#### {gold}"),
        ("demo_math", "Thus $\\boxed{{1}}$ no, $\\boxed{{{gold}}}$."),
        ("demo_choice4", "A good question. Answer: {gold}"),
        ("demo_choice5", "The answer is ({gold})."),
        ("demo_qa", " {gold}."),
    ],
)
def test_lm_eval_accepts_right_answers(manager: Any, name: str, answer: str) -> None:
    from lm_eval.api.instance import Instance

    task = manager.load([name])["tasks"][name]
    for doc in task.eval_docs:
        gold = task.doc_to_target(doc)
        text = answer.format(gold=gold[0] if isinstance(gold, list) else gold)
        instance = Instance("generate_until", doc, (), 0, resps=[text])
        task._instances = [instance]
        task.apply_filters()
        assert task.process_results(doc, [instance.filtered_resps["extracted"]]) == {"exact_match": 1.0}, text
