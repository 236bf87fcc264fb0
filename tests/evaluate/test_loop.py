"""The loop with an engine that plays a rule: what is stored, and what survives."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from evalsuite.catalog.checkpoint import open_checkpoint
from evalsuite.errors import RequestError, RunError
from evalsuite.evaluate import loop, regrade
from evalsuite.evaluate.loop import evaluate
from evalsuite.evaluate.plan import Plan, Wish, make_plan
from evalsuite.evaluate.run import load_run
from evalsuite.grading.pool import GraderPool
from evalsuite.grading.verdict import Status
from evalsuite.report.from_run import summarise_run
from evalsuite.rollouts import store
from evalsuite.rollouts.record import FinishReason
from tests.support.fake_engine import FakeEngine, NoWatch

WISH = Wish(None, "demo_number,demo_arithmetic", (), 0.7, 1.0, 3, 64, 10, 0)
MakePlan = Callable[..., Plan]


@pytest.fixture
def plan(tiny: Path) -> MakePlan:
    def make(**changes: Any) -> Plan:
        wish = Wish(**{**{name: getattr(WISH, name) for name in Wish.__slots__}, **changes})
        return make_plan(open_checkpoint(str(tiny)), wish, (), None)

    return make


@pytest.fixture(scope="module")
def pool() -> Iterator[GraderPool]:
    with regrade.make_pool(beside_engine=True) as running:
        yield running


@pytest.fixture(autouse=True)
def _one_pool_for_all(pool: GraderPool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Starting the grading processes takes longer than all else here."""
    monkeypatch.setattr(loop, "make_pool", lambda **_: nullcontext(pool))


def run(plan: Plan, folder: Path, engine: FakeEngine) -> None:
    evaluate(plan, folder, lambda log, longest: engine, NoWatch())


def texts(folder: Path) -> dict[Any, str]:
    return {key: rollout.text for key, rollout in store.rollouts(folder).items()}


def lines(folder: Path, name: str = store.ROLLOUTS) -> int:
    return (folder / name).read_text().count("\n")


def test_every_rollout_is_stored_once_and_graded(plan: MakePlan, tmp_path: Path) -> None:
    engine = FakeEngine()
    run(plan(), tmp_path / "run", engine)
    stored = load_run(tmp_path / "run")
    assert len(stored.rollouts) == lines(tmp_path / "run") == 2 * 10 * 3
    assert stored.verdicts.keys() == stored.rollouts.keys()
    assert engine.closed
    assert len({rollout.seed for rollout in stored.rollouts.values()}) == 60
    assert lines(tmp_path / "run", store.PROMPTS) == 20


def test_a_finished_run_loads_no_engine(plan: MakePlan, tmp_path: Path) -> None:
    run(plan(), tmp_path / "run", FakeEngine())
    before = (tmp_path / "run" / store.ROLLOUTS).read_bytes()

    def refuse(log: Path, longest: int) -> FakeEngine:
        raise AssertionError("nothing is missing")

    evaluate(plan(), tmp_path / "run", refuse, NoWatch())
    assert (tmp_path / "run" / store.ROLLOUTS).read_bytes() == before


def test_an_engine_that_dies_costs_only_what_was_in_flight(plan: MakePlan, tmp_path: Path) -> None:
    run(plan(), tmp_path / "whole", FakeEngine())
    with pytest.raises(RunError, match="the engine died"):
        run(plan(), tmp_path / "run", FakeEngine(dies_after=25))
    done = set(texts(tmp_path / "run"))
    assert done
    second = FakeEngine()
    run(plan(), tmp_path / "run", second)
    assert len(second.requests) == 60 - len(done)
    assert texts(tmp_path / "run") == texts(tmp_path / "whole")
    assert lines(tmp_path / "run") == 60


@pytest.mark.slow
def test_kill_dash_nine_again_and_again_gives_the_uninterrupted_run(plan: MakePlan, tmp_path: Path, tiny: Path) -> None:
    run(plan(), tmp_path / "whole", FakeEngine())
    script = f"""
from pathlib import Path
from evalsuite.catalog.checkpoint import open_checkpoint
from evalsuite.evaluate.loop import evaluate
from evalsuite.evaluate.plan import Wish, make_plan
from tests.support.fake_engine import FakeEngine, NoWatch
if __name__ == "__main__":
    plan = make_plan(open_checkpoint({str(tiny)!r}), {WISH!r}, (), None)
    evaluate(plan, Path({str(tmp_path / "run")!r}), lambda log, longest: FakeEngine(seconds=0.1), NoWatch())
"""
    kills = 0
    rollouts = tmp_path / "run" / store.ROLLOUTS
    for wanted in (5, 20, 40, None):
        process = subprocess.Popen([sys.executable, "-c", script], start_new_session=True)
        while process.poll() is None:
            if wanted is not None and rollouts.is_file() and lines(tmp_path / "run") >= wanted:
                os.killpg(process.pid, signal.SIGKILL)
                kills += process.wait() == -signal.SIGKILL
            time.sleep(0.01)
    assert kills == 3
    assert process.returncode == 0
    assert texts(tmp_path / "run") == texts(tmp_path / "whole")
    assert lines(tmp_path / "run") == 60
    assert load_run(tmp_path / "run").verdicts == load_run(tmp_path / "whole").verdicts


def test_a_torn_last_line_is_repaired(plan: MakePlan, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    run(plan(), folder, FakeEngine())
    whole = texts(folder)
    for name in (store.ROLLOUTS, f"{store.VERDICTS}/{load_run(folder).grader}.jsonl"):
        content = (folder / name).read_bytes()
        (folder / name).write_bytes(content[:-30])
    engine = FakeEngine()
    run(plan(), folder, engine)
    assert len(engine.requests) == 1
    assert texts(folder) == whole
    assert len(load_run(folder).verdicts) == 60


def test_a_damaged_line_is_named(plan: MakePlan, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    run(plan(), folder, FakeEngine())
    content = (folder / store.ROLLOUTS).read_bytes().splitlines(keepends=True)
    content[3] = b'{"cell": "edited by ha\n'
    (folder / store.ROLLOUTS).write_bytes(b"".join(content))
    with pytest.raises(RequestError, match=r"rollouts.jsonl: line 4 is damaged"):
        run(plan(), folder, FakeEngine())


def test_failed_requests_are_counted_and_tried_again(plan: MakePlan, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    run(plan(), folder, FakeEngine(fails=lambda request: request.id.endswith("-2")))
    rows = summarise_run(load_run(folder)).tasks
    assert [row.failed for row in rows] == [10, 10]
    assert not any(row.complete for row in rows)
    engine = FakeEngine()
    run(plan(), folder, engine)
    assert len(engine.requests) == 20
    assert [row.failed for row in summarise_run(load_run(folder)).tasks] == [0, 0]


def test_a_prompt_that_fills_the_context_is_never_sent_and_counts_as_wrong(plan: MakePlan, tmp_path: Path) -> None:
    prompt = tmp_path / "mine" / "long.jinja"
    prompt.parent.mkdir()
    prompt.write_text(
        "---\nabout: long for one kind of item\nanswer: boxed\n---\n"
        "{% block user %}{{ question * (500 if '+' in question else 1) }}{% endblock %}"
    )
    checkpoint = plan().checkpoint
    wish = Wish(None, "demo_arithmetic", ("long",), None, 1.0, 1, 64, None, 0)
    long_plan = make_plan(checkpoint, wish, (prompt.parent,), None)
    engine = FakeEngine()
    run(long_plan, tmp_path / "run", engine)
    row = summarise_run(load_run(tmp_path / "run")).tasks[0]
    assert 0 < row.too_long < 40
    assert len(engine.requests) == 40 - row.too_long
    assert row.items == 40
    assert row.complete
    reasons = [rollout.finish_reason for rollout in store.rollouts(tmp_path / "run").values()]
    assert reasons.count(FinishReason.PROMPT_TOO_LONG) == row.too_long


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"temperature": 0.9}, "temperature is 0.7 there, 0.9 here"),
        ({"samples": 4}, "samples is 3 there, 4 here"),
        ({"seed": 1}, "seed is 0 there, 1 here"),
        ({"limit": 5}, "n_items is 10 there, 5 here"),
        ({"prompts": ("bare",)}, "only in one of the two"),
    ],
)
def test_a_folder_with_another_run_is_refused(
    plan: MakePlan, tmp_path: Path, change: dict[str, Any], said: str
) -> None:
    run(plan(), tmp_path / "run", FakeEngine())
    before = (tmp_path / "run" / store.ROLLOUTS).read_bytes()
    with pytest.raises(RequestError, match=said):
        run(plan(**change), tmp_path / "run", FakeEngine())
    assert (tmp_path / "run" / store.ROLLOUTS).read_bytes() == before


def test_a_folder_with_other_files_is_refused(plan: MakePlan, tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("")
    with pytest.raises(RequestError, match=r"holds other files \(thesis.tex"):
        run(plan(), tmp_path, FakeEngine())


def test_a_kill_before_the_first_rollout_leaves_nothing_in_the_way(plan: MakePlan, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    run(plan(), folder, FakeEngine())
    for path in folder.rglob("*"):
        if path.is_file() and path.name != store.ITEMS:
            path.unlink()
    (folder / store.VERDICTS).rmdir()
    (folder / f"{store.MANIFEST}.tmp").write_text("{")
    run(plan(), folder, FakeEngine())
    assert lines(folder) == 60


def test_a_second_process_is_kept_out(plan: MakePlan, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    with FileLock(folder / ".lock"), pytest.raises(RequestError, match="another process is writing this run"):
        run(plan(), folder, FakeEngine())


def test_a_full_disk_is_one_clear_line_and_loses_nothing(plan: MakePlan, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    with pytest.raises(RunError):
        run(plan(), folder, FakeEngine(dies_after=20))
    done = (folder / store.ROLLOUTS).read_bytes()
    (folder / store.ROLLOUTS).rename(folder / "kept")
    (folder / store.ROLLOUTS).symlink_to("/dev/full")
    with pytest.raises(RequestError, match=r"rollouts.jsonl: the disk is full.*what is done is kept"):
        run(plan(), folder, FakeEngine())
    (folder / "kept").replace(folder / store.ROLLOUTS)
    assert (folder / store.ROLLOUTS).read_bytes() == done
    run(plan(), folder, FakeEngine())
    assert lines(folder) == 60


def test_another_grader_adds_its_verdicts_beside_the_old(
    plan: MakePlan, tmp_path: Path, pool: GraderPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "run"
    run(plan(), folder, FakeEngine())
    old = load_run(folder)
    assert old.grader is not None
    before = (folder / store.VERDICTS / f"{old.grader}.jsonl").read_bytes()
    monkeypatch.setattr(regrade, "grader_hash", lambda: "a-better-grader")
    assert regrade.grade_missing(old, pool, NoWatch()) == 60
    assert regrade.grade_missing(load_run(folder), pool, NoWatch()) == 0
    assert load_run(folder).grader == "a-better-grader"
    assert load_run(folder).verdicts == old.verdicts
    assert (folder / store.VERDICTS / f"{old.grader}.jsonl").read_bytes() == before


@pytest.mark.parametrize(
    ("prompt", "finish_reason", "status"),
    [
        ("r1", "length", Status.CUT_OFF),  # the prompt began the thinking, and the limit cut it off
        ("r1", "stop", Status.OK),  # the model let the tags be, and ended by itself
        ("boxed", "length", Status.OK),  # a complete box, then the cut
    ],
)
def test_an_answer_within_thinking_that_the_prompt_began_is_none(
    plan: MakePlan,
    tmp_path: Path,
    pool: GraderPool,
    monkeypatch: pytest.MonkeyPatch,
    prompt: str,
    finish_reason: str,
    status: Status,
) -> None:
    folder = tmp_path / "run"
    run(plan(prompts=(prompt,), samples=1), folder, FakeEngine(finish_reason=finish_reason))
    stored = load_run(folder)
    assert {verdict.status for verdict in stored.verdicts.values()} == {status}
    monkeypatch.setattr(regrade, "grader_hash", lambda: "again")
    regrade.grade_missing(stored, pool, NoWatch())
    assert load_run(folder).verdicts == stored.verdicts


def test_the_summary_is_right_when_recomputed_by_hand(plan: MakePlan, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    run(plan(), folder, FakeEngine())
    gold = {r["id"]: r["gold"] for r in map(json.loads, (folder / store.ITEMS).read_text().splitlines())}
    by_item: dict[tuple[str, str], list[bool]] = {}
    for record in map(json.loads, (folder / store.ROLLOUTS).read_text().splitlines()):
        answer = record["text"].split("{")[1].split("}")[0]
        by_item.setdefault((record["task"], record["item"]), []).append([answer] == gold[record["item"]])
    for row in summarise_run(load_run(folder)).tasks:
        means = [sum(marks) / 3 for (task, _), marks in by_item.items() if task == row.task]
        assert row.accuracy is not None
        assert row.accuracy.value == pytest.approx(sum(means) / 10)
