"""Nothing is generated twice: what another run of the same checkpoint holds of a cell is taken from there."""

import json
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evalsuite.baselines.grid import resolve
from evalsuite.baselines.plan import SweepWish, plan_sweep
from evalsuite.baselines.sweep import racing
from evalsuite.catalog.checkpoint import Checkpoint, open_checkpoint
from evalsuite.catalog.grids import GridAxes
from evalsuite.engines.base import Request
from evalsuite.errors import RunError
from evalsuite.evaluate import loop, regrade
from evalsuite.evaluate.adopt import find_donors
from evalsuite.evaluate.cells import Sources
from evalsuite.evaluate.loop import evaluate
from evalsuite.evaluate.plan import Plan, Wish, make_plan
from evalsuite.evaluate.run import default_folder, load_run
from evalsuite.grading.pool import GraderPool
from evalsuite.rollouts import store
from evalsuite.rollouts.record import FinishReason
from tests.support.fake_engine import FakeEngine, NoWatch
from tests.support.known_model import KnownModel
from tests.support.own_task import sums, write_task
from tests.support.tiny import make_checkpoint

ITEMS, SAMPLES, MODEL = 12, 2, KnownModel()
EVAL = Wish(None, "own", ("boxed",), 0.7, 1.0, SAMPLES, 64, None, 0)
AXES = GridAxes(
    prompts=("boxed", "answer_line"), chat_template=("on",), temperatures=(0.7,), max_tokens=(64,), parsers=("lenient",)
)


@pytest.fixture(scope="module")
def pool() -> Iterator[GraderPool]:
    with regrade.make_pool(beside_engine=True) as running:
        yield running


@pytest.fixture(autouse=True)
def _one_pool_for_all(pool: GraderPool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop, "make_pool", lambda **_: nullcontext(pool))


@pytest.fixture(scope="module")
def tasks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tasks")
    write_task(folder, "own", sums(*range(100, 100 + ITEMS)), dev=None)
    return folder


@pytest.fixture(scope="module")
def model(tiny: Path) -> Checkpoint:
    return open_checkpoint(str(tiny))


class Desk:
    """Runs plans below one folder of results; what one engine was asked is returned."""

    def __init__(self, results: Path, tasks: Path, model: Checkpoint) -> None:
        self.results, self.tasks, self.model = results, tasks, model

    def eval(self, checkpoint: Checkpoint | None = None, **changes: Any) -> Plan:
        wish = replace(EVAL, **changes)
        return make_plan(checkpoint or self.model, wish, (self.tasks,), self.tasks / "data")

    def sweep(self, **axes: Any) -> Plan:
        grid = resolve(AXES.model_copy(update=axes), self.model)
        wish = SweepWish(None, "own", grid, SAMPLES, None, 200, None, 0, race=False)
        return plan_sweep(self.model, wish, Sources((self.tasks,), self.tasks / "data"))

    def folder(self, plan: Plan) -> Path:
        return default_folder(plan, self.results)

    def run(
        self,
        plan: Plan,
        rule: Callable[[Request], str] = MODEL,
        options: dict[str, Any] | None = None,
        **how: Any,
    ) -> list[Request]:
        folder, engine = self.folder(plan), FakeEngine(rule, cuts=True, options=options, **how)
        donors = find_donors(self.results / "runs", plan, folder, options or {})
        schedule = racing(plan, NoWatch(), lambda state: None) if plan.sweep else None
        evaluate(plan, folder, lambda log, longest: engine, NoWatch(), donors, schedule)
        return engine.requests

    def rollouts(self, plan: Plan) -> dict[Any, Any]:
        return store.rollouts(self.folder(plan))

    def sessions(self, plan: Plan) -> list[Any]:
        lines = (self.folder(plan) / store.SESSIONS).read_text().splitlines()
        return [json.loads(line) for line in lines]


@pytest.fixture
def desk(tmp_path: Path, tasks: Path, model: Checkpoint) -> Desk:
    return Desk(tmp_path / "results", tasks, model)


def test_a_sweep_takes_what_an_eval_has_and_is_the_sweep_it_would_have_been(
    desk: Desk, tmp_path: Path, tasks: Path, model: Checkpoint
) -> None:
    alone = Desk(tmp_path / "alone", tasks, model)
    assert len(alone.run(alone.sweep())) == 2 * ITEMS * SAMPLES
    assert len(desk.run(desk.eval())) == ITEMS * SAMPLES
    asked = desk.run(desk.sweep())
    (cell,) = {key[0] for key in desk.rollouts(desk.eval())}
    assert len(asked) == ITEMS * SAMPLES
    assert not any(request.id.startswith(cell) for request in asked)
    assert desk.rollouts(desk.sweep()) == alone.rollouts(alone.sweep())
    one, other = load_run(desk.folder(desk.sweep())), load_run(alone.folder(alone.sweep()))
    assert one.verdicts == other.verdicts
    assert one.prompts == other.prompts
    assert len(one.verdicts) == 2 * ITEMS * SAMPLES


def test_an_eval_takes_what_a_sweep_has_and_starts_no_engine(desk: Desk) -> None:
    desk.run(desk.sweep())
    assert desk.run(desk.eval()) == []
    assert len(desk.rollouts(desk.eval())) == ITEMS * SAMPLES
    assert desk.rollouts(desk.eval()).items() <= desk.rollouts(desk.sweep()).items()
    run = load_run(desk.folder(desk.eval()))
    assert run.verdicts.keys() == run.rollouts.keys()
    assert len(run.prompts) == ITEMS


def test_sessions_say_where_rollouts_came_from_and_what_made_them(desk: Desk) -> None:
    desk.run(desk.sweep(), options={"dtype": "float32"})
    desk.run(desk.eval(), options={"dtype": "float32"})
    (session,) = desk.sessions(desk.eval())
    assert session["adopted"] == {desk.folder(desk.sweep()).name: ITEMS * SAMPLES}
    assert session["engines"] == [{"name": "fake", "options": {"dtype": "float32"}}]
    (own,) = desk.sessions(desk.sweep())
    assert "adopted" not in own


def test_more_samples_take_the_first_from_a_run_with_fewer(desk: Desk) -> None:
    desk.run(desk.eval())
    asked = desk.run(desk.eval(samples=3))
    assert sorted(request.id[-2:] for request in asked) == ITEMS * ["-2"]
    adopted, generated = desk.sessions(desk.eval(samples=3))
    assert adopted["adopted"] == {desk.folder(desk.eval()).name: ITEMS * SAMPLES}
    assert "adopted" not in generated


def test_a_longer_rollout_is_cut_to_the_limit(desk: Desk, tmp_path: Path, tasks: Path, model: Checkpoint) -> None:
    alone = Desk(tmp_path / "alone", tasks, model)
    short = desk.eval(max_tokens=9)
    desk.run(desk.eval())
    alone.run(short)
    assert desk.run(short) == []
    assert desk.rollouts(short) == alone.rollouts(short)
    assert {rollout.text for rollout in desk.rollouts(short).values()} == {"So it is "}
    assert {rollout.finish_reason for rollout in desk.rollouts(short).values()} == {FinishReason.LENGTH}
    assert load_run(desk.folder(short)).verdicts == load_run(alone.folder(short)).verdicts


def test_a_shorter_rollout_is_taken_only_where_it_ended_by_itself(desk: Desk) -> None:
    def rule(request: Request) -> str:
        said = MODEL(request)
        return said if request.seed and request.seed % 2 else f"Let me think. {said}"

    whole, short = desk.eval(), desk.eval(max_tokens=24)
    desk.run(short, rule)
    cut_off = {key for key, one in desk.rollouts(short).items() if one.finish_reason is FinishReason.LENGTH}
    assert 0 < len(cut_off) < ITEMS * SAMPLES
    asked = desk.run(whole, rule)
    assert {request.id for request in asked} == {"-".join(map(str, key)) for key in cut_off}
    assert all(one.finish_reason is FinishReason.STOP for one in desk.rollouts(whole).values())


@pytest.mark.parametrize("change", [{"seed": 1}, {"temperature": 0.8}, {"top_p": 0.9}, {"prompts": ("bare",)}])
def test_another_cell_is_not_taken(desk: Desk, change: dict[str, Any]) -> None:
    desk.run(desk.eval())
    assert len(desk.run(desk.eval(**change))) == ITEMS * SAMPLES
    (session,) = desk.sessions(desk.eval(**change))
    assert "adopted" not in session


def test_another_checkpoint_takes_nothing_even_of_the_same_name(desk: Desk, tmp_path: Path) -> None:
    desk.run(desk.eval())
    other = open_checkpoint(str(make_checkpoint(tmp_path / "tiny", weights=b"trained")))
    plan = desk.eval(other)
    assert {p.protocol.cell for p in plan.planned} == {p.protocol.cell for p in desk.eval().planned}
    assert len(desk.run(plan)) == ITEMS * SAMPLES


def test_other_engine_options_take_nothing(desk: Desk) -> None:
    desk.run(desk.eval(), options={"dtype": "float16"})
    assert len(desk.run(desk.sweep(), options={"dtype": "float32"})) == 2 * ITEMS * SAMPLES
    assert desk.run(desk.eval(max_tokens=9), options={"dtype": "float32"}) == []  # of the sweep, not of the eval
    (session,) = desk.sessions(desk.eval(max_tokens=9))
    assert list(session["adopted"]) == [desk.folder(desk.sweep()).name]


def test_options_that_change_no_answer_are_no_obstacle(desk: Desk) -> None:
    desk.run(desk.sweep(), options={"dtype": "float32", "tensor_parallel_size": 4})
    assert desk.run(desk.eval(), options={"dtype": "float32", "max_num_seqs": 8}) == []


def test_what_was_taken_over_can_be_taken_over_with_the_engine_that_made_it(desk: Desk) -> None:
    desk.run(desk.sweep(), options={"dtype": "float32"})
    desk.run(desk.eval(), options={"dtype": "float32"})
    for file in desk.folder(desk.sweep()).glob("*.json*"):
        file.unlink()
    assert desk.run(desk.eval(max_tokens=9), options={"dtype": "float32"}) == []
    assert len(desk.run(desk.eval(max_tokens=10))) == ITEMS * SAMPLES


def test_failed_requests_of_another_run_are_asked_here(desk: Desk) -> None:
    desk.run(desk.eval(), fails=lambda request: request.id.endswith("-1"))
    asked = desk.run(desk.sweep())
    (cell,) = {p.protocol.cell for p in desk.eval().planned}
    again = [request.id for request in asked if request.id.startswith(cell)]
    assert len(again) == ITEMS
    assert all(name.endswith("-1") for name in again)
    assert len(asked) == ITEMS + ITEMS * SAMPLES
    assert all(one.finish_reason is FinishReason.STOP for one in desk.rollouts(desk.sweep()).values())


def test_of_a_run_that_died_what_is_there_is_taken(desk: Desk) -> None:
    with pytest.raises(RunError, match="the engine died"):
        desk.run(desk.eval(), dies_after=10)
    done = desk.rollouts(desk.eval())
    assert 0 < len(done) < ITEMS * SAMPLES
    assert len(desk.run(desk.eval(max_tokens=63))) == ITEMS * SAMPLES - len(done)


def test_a_damaged_run_or_one_of_another_version_is_passed_over(desk: Desk) -> None:
    desk.run(desk.eval())
    manifest = desk.folder(desk.eval()) / store.MANIFEST
    written = manifest.read_text()
    for spoiled in (written.replace('"format": 3', '"format": 2'), "{", ""):
        manifest.write_text(spoiled)
        assert find_donors(desk.results / "runs", desk.sweep(), desk.folder(desk.sweep()), {}).folders == ()
    manifest.write_text(written)
    assert find_donors(desk.results / "runs", desk.sweep(), desk.folder(desk.sweep()), {}).folders
    assert find_donors(desk.results / "runs", desk.eval(), desk.folder(desk.eval()), {}).folders == ()
