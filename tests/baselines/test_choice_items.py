"""On which items settings are chosen: never on those that are scored, nor on those shown as examples."""

from pathlib import Path
from typing import Any

import pytest

from evalsuite.baselines.grid import resolve
from evalsuite.baselines.plan import SweepWish, plan_scored, plan_sweep, scored_items
from evalsuite.catalog import source
from evalsuite.catalog.checkpoint import Checkpoint, open_checkpoint
from evalsuite.catalog.grids import GridAxes
from evalsuite.catalog.items import canonical
from evalsuite.errors import RequestError
from evalsuite.evaluate.cells import Cell, Sources
from evalsuite.evaluate.plan import Plan
from tests.support.own_task import Rows, sums, write_task

GREEDY = GridAxes(prompts=("boxed", "few_shot"), chat_template=("off",), temperatures=(0,), max_tokens=(64,))


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "hub_answers", lambda: False)


@pytest.fixture(scope="module")
def model(tiny: Path) -> Checkpoint:
    return open_checkpoint(str(tiny))


def wish(model: Checkpoint, tasks: str, axes: GridAxes = GREEDY, **changes: Any) -> SweepWish:
    given = {"samples": 1, "limit": None, "dev_items": 200, "budget": None, "seed": 0, "race": True}
    return SweepWish(None, tasks, resolve(axes, model), **given | changes)


def sweep(model: Checkpoint, folder: Path, tasks: str, axes: GridAxes = GREEDY, **changes: Any) -> Plan:
    return plan_sweep(model, wish(model, tasks, axes, **changes), Sources((folder,), folder / "data"))


def questions(rows: Rows) -> set[str]:
    return {canonical(row["question"]) for row in rows}


def asked(plan: Plan, task: str) -> set[str]:
    return {canonical(i.question) for p in plan.planned if p.protocol.task == task for i in p.items}


def shown(plan: Plan, task: str) -> set[str]:
    return {canonical(i.question) for p in plan.planned if p.protocol.task == task for i in p.examples}


def spaced(number: int) -> Rows:
    """A question of `sums` as another source might write it: the same content, other bytes."""
    return [{"question": f"  What is {number}\u00a0plus\n one? ", "answer": str(number + 1)}]


def test_settings_are_chosen_on_dev_items_that_nothing_in_the_run_scores_or_shows(
    model: Checkpoint, tmp_path: Path
) -> None:
    write_task(tmp_path, "one", sums(*range(10)), sums(*range(50, 80), 3, 4, 100) + spaced(5))
    write_task(tmp_path, "two", sums(*range(100, 110)), sums(*range(200, 230)))
    plan = sweep(model, tmp_path, "one,two")
    examples, facts = shown(plan, "one"), plan.sweep["tasks"]["one"]
    assert len(examples) == 4
    assert asked(plan, "one") == questions(sums(*range(50, 80))) - examples  # not 3, 4, 5 of its own, nor 100 of two
    assert not asked(plan, "one") & questions(sums(*range(10), *range(100, 110)))
    assert (facts["split"], facts["items"], facts["folds"], facts["note"]) == ("dev: train", 26, None, "")
    assert {p.protocol.split for p in plan.planned} == {"dev: train"}
    assert facts["scored"] == 10


def test_a_limit_bounds_what_is_scored_not_what_must_be_kept_out(model: Checkpoint, tmp_path: Path) -> None:
    """The items that a smaller limit leaves unscored today may be scored tomorrow."""
    write_task(tmp_path, "own", sums(*range(20)), sums(*range(40)))
    plan = sweep(model, tmp_path, "own", GREEDY.model_copy(update={"prompts": ("boxed",)}), limit=3)
    assert asked(plan, "own") == questions(sums(*range(20, 40)))
    assert plan.sweep["tasks"]["own"]["scored"] == 3


def test_of_many_dev_items_the_first_by_id_are_taken(model: Checkpoint, tmp_path: Path) -> None:
    write_task(tmp_path, "own", sums(1), sums(*range(100, 140)))
    few, all_of_them = (sweep(model, tmp_path, "own", dev_items=n).planned[0].items for n in (25, 200))
    assert len(few) == 25
    assert few == all_of_them[:25]
    assert [item.id for item in all_of_them] == sorted(item.id for item in all_of_them)


def test_twenty_dev_items_are_enough_and_nineteen_are_not(model: Checkpoint, tmp_path: Path) -> None:
    boxed = GREEDY.model_copy(update={"prompts": ("boxed",)})
    write_task(tmp_path, "enough", sums(*range(10)), sums(*range(100, 120)))
    write_task(tmp_path, "few", sums(*range(30, 40)), sums(*range(200, 219)))
    plan = sweep(model, tmp_path, "enough,few", boxed)
    assert plan.sweep["tasks"]["enough"]["folds"] is None
    few = plan.sweep["tasks"]["few"]
    assert (few["split"], few["items"], few["folds"]) == ("test", 10, 5)
    assert few["note"] == (
        "its dev source train has only 19 items that are neither scored nor shown as examples: "
        "cross-fitted, each fold of its own items is scored with the setting chosen on the others"
    )
    assert asked(plan, "few") == questions(sums(*range(30, 40)))


def test_examples_are_taken_from_the_dev_items_before_they_are_counted(model: Checkpoint, tmp_path: Path) -> None:
    write_task(tmp_path, "own", sums(*range(10)), sums(*range(100, 123)))
    plan = sweep(model, tmp_path, "own")
    assert plan.sweep["tasks"]["own"]["note"].startswith("its dev source train has only 19 items")
    assert len(shown(plan, "own")) == 4


def test_a_dev_source_that_repeats_itself_does_not_ask_what_it_shows(model: Checkpoint, tmp_path: Path) -> None:
    write_task(tmp_path, "own", sums(*range(10)), 3 * sums(*range(100, 125)))
    plan = sweep(model, tmp_path, "own")
    assert not asked(plan, "own") & shown(plan, "own")
    assert len(asked(plan, "own")) == 25 - len(shown(plan, "own"))


def test_without_a_dev_source_a_task_is_cross_fitted_on_its_own_items(model: Checkpoint, tmp_path: Path) -> None:
    write_task(tmp_path, "own", sums(*range(12)), dev=None)
    plan = sweep(model, tmp_path, "own", GREEDY.model_copy(update={"prompts": ("boxed",)}), limit=11)
    facts = plan.sweep["tasks"]["own"]
    assert (facts["folds"], facts["items"], facts["scored"]) == (5, 11, 11)
    assert facts["note"].startswith("it has no dev source: cross-fitted")


def test_a_dev_source_that_is_not_here_is_named(model: Checkpoint, tmp_path: Path) -> None:
    write_task(tmp_path, "away", sums(1))
    write_task(tmp_path, "own", sums(*range(12)), dev={"task": "away"})
    (tmp_path / "data" / "away" / "test.jsonl").unlink()
    plan = sweep(model, tmp_path, "own", GREEDY.model_copy(update={"prompts": ("boxed",)}))
    note = plan.sweep["tasks"]["own"]["note"]
    assert note.startswith("its dev source away is not here (")
    assert note.endswith("cross-fitted, each fold of its own items is scored with the setting chosen on the others")
    assert plan.sweep["tasks"]["own"]["folds"] == 5


def test_too_few_items_to_cross_fit_are_refused(model: Checkpoint, tmp_path: Path) -> None:
    write_task(tmp_path, "own", sums(*range(9)), dev=None)
    with pytest.raises(RequestError, match="own: it has no dev source, and 9 items are too few to choose settings by"):
        sweep(model, tmp_path, "own", GREEDY.model_copy(update={"prompts": ("boxed",)}))


def test_without_enough_examples_a_format_that_shows_some_is_not_possible_and_the_rest_is_swept(
    model: Checkpoint, tmp_path: Path
) -> None:
    write_task(tmp_path, "own", sums(*range(12)), dev=None)
    plan = sweep(model, tmp_path, "own")
    assert [p.protocol.prompt for p in plan.planned] == ["boxed"]
    ((cell, why),) = plan.sweep["tasks"]["own"]["impossible"]
    assert cell == "few_shot, chat template off, 4 shots, temperature 0"
    assert "needs 4 examples and its dev source has 0" in why
    with pytest.raises(RequestError, match="needs 4 examples and its dev source has 0"):
        sweep(model, tmp_path, "own", GREEDY.model_copy(update={"prompts": ("few_shot",)}))


def test_greedy_cells_need_one_sample_whatever_is_asked(model: Checkpoint, tmp_path: Path) -> None:
    write_task(tmp_path, "own", sums(*range(12)), dev=None)
    axes = GREEDY.model_copy(update={"prompts": ("boxed",), "temperatures": (0.0, 0.6), "max_tokens": (32, 64)})
    plan = sweep(model, tmp_path, "own", axes, samples=4)
    sampled = [(p.protocol.sampling.temperature, p.protocol.sampling.samples) for p in plan.planned]
    assert sampled == [(0.0, 1), (0.6, 4)]
    assert {p.protocol.sampling.max_tokens for p in plan.planned} == {64}
    assert plan.total == 12 + 48


def test_items_whose_gold_cannot_be_read_neither_choose_nor_count(model: Checkpoint, tmp_path: Path) -> None:
    unreadable = [{"question": "How many?", "answer": "a secret"}]
    write_task(tmp_path, "own", sums(*range(12)) + unreadable, dev=None)
    boxed = GREEDY.model_copy(update={"prompts": ("boxed",)})
    plan = sweep(model, tmp_path, "own", boxed)
    assert plan.sweep["tasks"]["own"]["items"] == plan.sweep["tasks"]["own"]["scored"] == 12
    found = scored_items(wish(model, "own", boxed), Sources((tmp_path,), tmp_path / "data"))
    assert sorted(found["own"]) == sorted(item.id for item in plan.planned[0].items)


def test_the_scored_run_asks_each_cell_just_its_items_in_cells_of_the_sweep(model: Checkpoint, tmp_path: Path) -> None:
    write_task(tmp_path, "own", sums(*range(10)), sums(*range(100, 130)))
    sources, wanted = Sources((tmp_path,), tmp_path / "data"), wish(model, "own")
    ids = scored_items(wanted, sources)["own"]
    cells = {Cell("boxed", False, 0): ids[:6], Cell("few_shot", False, 4): ids[6:]}
    scored = plan_scored(model, wanted, sources, {"own": cells})
    swept = plan_sweep(model, wanted, sources)
    assert [[item.id for item in p.items] for p in scored.planned] == [list(ids[:6]), list(ids[6:])]
    assert [p.protocol.cell for p in scored.planned] == [p.protocol.cell for p in swept.planned]
    assert {p.protocol.split for p in scored.planned} == {"test"}
    assert scored.sweep == {}


def test_whatever_is_offered_or_asked_for_makes_another_sweep(model: Checkpoint, tmp_path: Path) -> None:
    write_task(tmp_path, "own", sums(*range(12)), dev=None)
    boxed = GREEDY.model_copy(update={"prompts": ("boxed",)})
    same = sweep(model, tmp_path, "own", boxed).identity
    assert sweep(model, tmp_path, "own", boxed).identity == same
    others = [
        sweep(model, tmp_path, "own", boxed, budget=10**6),
        sweep(model, tmp_path, "own", boxed, seed=1),
        sweep(model, tmp_path, "own", boxed, limit=11),
        sweep(model, tmp_path, "own", boxed, dev_items=100),
        sweep(model, tmp_path, "own", boxed.model_copy(update={"max_tokens": (64, 32)})),
        sweep(model, tmp_path, "own", boxed.model_copy(update={"parsers": ("lenient",)})),
        sweep(model, tmp_path, "own", boxed, race=False),
    ]
    assert len({same, *(plan.identity for plan in others)}) == 8
