"""Plans: the defaults, what contradicts itself, what is left out, and which examples may be shown."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from evalsuite.catalog import source
from evalsuite.catalog.checkpoint import open_checkpoint
from evalsuite.catalog.items import canonical
from evalsuite.errors import RequestError, UnavailableError
from evalsuite.evaluate import cells
from evalsuite.evaluate.plan import Plan, Wish, make_plan, unreadable_golds
from evalsuite.evaluate.run import default_folder
from evalsuite.protocol import Sampling
from tests.support.own_task import sums, write_task
from tests.support.tiny import make_checkpoint

DEFAULTS = Wish(None, "demo_number", (), None, 1.0, 1, None, None, 0)
MakePlan = Callable[..., Plan]


@pytest.fixture
def plan(tiny: Path) -> MakePlan:
    """Plans the wish above with some changes."""

    def make(
        checkpoint: Path = tiny, includes: tuple[Path, ...] = (), data_dir: Path | None = None, **changes: Any
    ) -> Plan:
        wish = Wish(**{name: changes.get(name, getattr(DEFAULTS, name)) for name in Wish.__slots__})
        return make_plan(open_checkpoint(str(checkpoint)), wish, includes, data_dir)

    return make


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "hub_answers", lambda: False)


def sampling(plan: Plan) -> Sampling:
    return plan.planned[0].protocol.sampling


def examples(plan: Plan) -> set[str]:
    return {canonical(example.question) for planned in plan.planned for example in planned.examples}


def asked(plan: Plan) -> set[str]:
    return {canonical(item.question) for planned in plan.planned for item in planned.loaded.items}


# --- Sampling ---


def test_defaults_are_greedy_for_one_sample_and_not_for_several(plan: MakePlan) -> None:
    assert sampling(plan()) == Sampling(0.0, 1.0, 1, 3072, 0)  # three quarters of a context of 4,096
    assert sampling(plan(samples=4, top_p=0.9)) == Sampling(0.6, 0.9, 4, 3072, 0)
    assert sampling(plan(top_p=0.9)).top_p == 1.0  # of no effect on greedy answers, and so the same protocol


def test_default_token_limit_of_a_long_context(plan: MakePlan, tmp_path: Path) -> None:
    assert sampling(plan(make_checkpoint(tmp_path / "long", context=131_072))).max_tokens == 16_384
    assert sampling(plan(make_checkpoint(tmp_path / "short", context=20_000))).max_tokens == 15_000


def test_greedy_with_several_samples_is_explained(plan: MakePlan) -> None:
    with pytest.raises(RequestError, match="--temperature 0 with --samples 3: greedy answers are all the same"):
        plan(temperature=0.0, samples=3)


def test_a_limit_that_fills_the_context_is_refused(plan: MakePlan) -> None:
    assert sampling(plan(max_tokens=4095)).max_tokens == 4095
    with pytest.raises(RequestError, match=r"--max-tokens 4096 leaves no room for a prompt.*4096 tokens"):
        plan(max_tokens=4096)


# --- Prompt formats ---


def test_each_task_gets_the_prompt_of_its_kind(plan: MakePlan) -> None:
    by_task = {p.protocol.task: p.protocol.prompt for p in plan(tasks=None, suite="demo").planned}
    assert by_task == {
        "demo_arithmetic": "boxed",
        "demo_number": "boxed",
        "demo_math": "boxed",
        "demo_choice4": "choice_letter",
        "demo_choice5": "choice_letter",
        "demo_qa": "short_answer",
    }


def test_a_prompt_of_the_wrong_kind_is_refused(plan: MakePlan) -> None:
    said = "prompt format 'choice_letter' is for choice answers; demo_number asks for number"
    with pytest.raises(RequestError, match=said):
        plan(prompts=("choice_letter",))


def test_a_prompt_that_needs_a_template_is_refused_without_one(plan: MakePlan, tmp_path: Path) -> None:
    base = make_checkpoint(tmp_path / "base", chat_template=None)
    with pytest.raises(RequestError, match=r"'boxed_system' needs a chat template and .*base has none"):
        plan(base, prompts=("boxed_system",))
    (planned,) = plan(base, prompts=("boxed",)).planned
    assert planned.protocol.template_sha256 is None
    (planned,) = plan(prompts=("few_shot",)).planned
    assert planned.protocol.template_sha256 is None  # raw text, whatever the checkpoint has


def test_a_prompt_named_twice_is_asked_once(plan: MakePlan) -> None:
    assert [p.protocol.prompt for p in plan(prompts=("boxed", "bare", "boxed")).planned] == ["boxed", "bare"]


# --- Names ---


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"tasks": "demo_numbr"}, r"no task named 'demo_numbr' \(near: demo_number"),
        ({"prompts": ("boxd",)}, r"no prompt format named 'boxd' \(nearest: boxed"),
        ({"tasks": None, "suite": "avg9"}, r"no suite named 'avg9' \(near: avg8, avg6"),
        ({"suite": "demo"}, "--suite and --tasks together"),
        ({"tasks": " , "}, "names no task"),
        ({"tasks": ""}, "names no task"),
        ({"tasks": None, "suite": ""}, "no suite named ''"),
    ],
)
def test_names_that_lead_nowhere(plan: MakePlan, changes: dict[str, Any], said: str) -> None:
    with pytest.raises(RequestError, match=said):
        plan(**changes)


# --- Missing data ---


def test_a_suite_leaves_out_what_has_no_data_and_says_why(plan: MakePlan, tmp_path: Path, no_network: None) -> None:
    write_task(tmp_path, "own", sums(1))
    (tmp_path / "mine.yaml").write_text(yaml.safe_dump({"group": "mine", "task": ["own", "nq_open", "demo_number"]}))
    found = plan(tasks=None, suite="mine", includes=(tmp_path,), data_dir=tmp_path / "data")
    assert [p.protocol.task for p in found.planned] == ["own", "demo_number"]
    assert found.members == ("own", "nq_open", "demo_number")
    ((name, why),) = found.left_out
    assert name == "nq_open"
    assert "evalsuite data fetch --tasks nq_open" in why
    with pytest.raises(UnavailableError, match="evalsuite data fetch --tasks nq_open"):
        plan(tasks="own,nq_open", includes=(tmp_path,), data_dir=tmp_path / "data")
    with pytest.raises(RequestError, match="none of the tasks has data here: "):
        plan(tasks=None, suite="avg6", data_dir=tmp_path)


def test_a_suite_with_a_part_of_its_own_member_is_refused_but_not_a_list_of_tasks(
    plan: MakePlan, tmp_path: Path
) -> None:
    write_task(tmp_path, "whole", sums(1, 2), contains=["part"])
    write_task(tmp_path, "part", sums(1))
    (tmp_path / "mine.yaml").write_text(yaml.safe_dump({"group": "mine", "task": ["whole", "part"]}))
    where: dict[str, Any] = {"includes": (tmp_path,), "data_dir": tmp_path / "data"}
    with pytest.raises(RequestError, match="averages part with whole, which contains it"):
        plan(tasks=None, suite="mine", **where)
    both = plan(tasks="whole,part", **where)  # shown side by side, not averaged
    assert both.suite is None
    assert len(both.planned) == 2


# --- Examples ---


def test_examples_are_never_scored_anywhere_in_the_run(plan: MakePlan, tmp_path: Path) -> None:
    spaced = [{"question": "  What is 3\u00a0plus\n one? ", "answer": "4"}]
    write_task(tmp_path, "first", sums(1, 2), sums(1) + sums(10, 11, 12, 13, 14) + spaced)
    write_task(tmp_path, "second", sums(3, 10), sums(20, 21, 22, 23))
    where: dict[str, Any] = {"prompts": ("few_shot",), "includes": (tmp_path,), "data_dir": tmp_path / "data"}
    alone = plan(tasks="first", **where)
    together = plan(tasks="first,second", limit=1, **where)
    shown = {question for question in examples(together) if question.startswith("What is 1")}
    assert shown == {canonical(row["question"]) for row in sums(11, 12, 13, 14)}
    assert not examples(together) & asked(together)
    assert not examples(alone) & asked(alone)
    assert alone.planned[0].protocol.examples != together.planned[0].protocol.examples


def test_too_few_examples_are_said(plan: MakePlan, tmp_path: Path) -> None:
    write_task(tmp_path, "few", sums(1, 2), sums(1, 10, 11, 12))
    said = "few: prompt format 'few_shot' needs 4 examples and its dev source has 3"
    with pytest.raises(UnavailableError, match=said):
        plan(tasks="few", prompts=("few_shot",), includes=(tmp_path,), data_dir=tmp_path / "data")


def test_gated_text_does_not_reach_another_task_as_an_example(plan: MakePlan, tmp_path: Path) -> None:
    write_task(tmp_path, "secret", sums(10, 11, 12, 13), gated=True)
    write_task(tmp_path, "open", sums(1), dev={"task": "secret"})
    where: dict[str, Any] = {"tasks": "open", "includes": (tmp_path,), "data_dir": tmp_path / "data"}
    with pytest.raises(RequestError, match="its examples would come from secret, which is gated"):
        plan(prompts=("few_shot",), **where)
    assert plan(prompts=("boxed",), **where).total == 1


@pytest.mark.parametrize("prompt", ["few_shot", "few_shot_chat"])
def test_examples_of_the_contests_are_no_items_of_them(plan: MakePlan, mirror: Path, prompt: str) -> None:
    found = plan(tasks=None, suite="contests", prompts=(prompt,), data_dir=mirror)
    # The dev source of AIME 2025 holds AIME 2024, which this suite scores too.
    assert [p.protocol.task for p in found.planned] == ["aime24", "aime25", "aime26"]
    assert {task for task, _ in found.left_out} == {"hmmt_feb25", "amc"}
    assert all(len(p.examples) == p.protocol.shots == 4 for p in found.planned)
    assert not examples(found) & asked(found)


def test_examples_of_gsm8k_are_worked_and_no_items_of_it(plan: MakePlan, mirror: Path) -> None:
    found = plan(tasks="gsm8k", prompts=("few_shot",), data_dir=mirror, limit=8)
    assert len(found.planned[0].examples) == 4
    assert all(example.solution for example in found.planned[0].examples)
    assert len(asked(found)) == 1319
    assert not examples(found) & asked(found)
    text = found.planned[0].prompt.turns(found.planned[0].items[0], found.planned[0].examples)
    assert sum(turn["content"].startswith("Question: ") for turn in text) == 5


# --- Identity ---


def test_the_same_wish_has_the_same_identity_and_folder(plan: MakePlan, tmp_path: Path) -> None:
    first, again = plan(samples=2), plan(samples=2, temperature=0.6)
    assert first.identity == again.identity
    assert default_folder(first, tmp_path) == default_folder(again, tmp_path)
    assert default_folder(first, tmp_path).name == f"tiny-demo_number-{first.identity[:8]}"
    assert plan(tasks="demo_qa,demo_number").identity == plan(tasks="demo_number,demo_qa").identity


@pytest.mark.parametrize(
    "changes",
    [{"seed": 1}, {"limit": 3}, {"max_tokens": 9}, {"samples": 2}, {"prompts": ("bare",)}, {"tasks": "demo_qa"}],
)
def test_another_wish_has_another_identity(plan: MakePlan, changes: dict[str, Any]) -> None:
    assert plan(**changes).identity != plan().identity


def test_another_checkpoint_has_another_identity(plan: MakePlan, tmp_path: Path) -> None:
    other = make_checkpoint(tmp_path / "tiny")
    assert plan(other).identity == plan().identity  # the same bytes elsewhere
    (other / "model.safetensors").write_bytes(b"trained")
    assert plan(other).identity != plan().identity


def test_another_grader_asks_nothing_anew(plan: MakePlan, monkeypatch: pytest.MonkeyPatch) -> None:
    before = plan()
    monkeypatch.setattr(cells, "grader_hash", lambda: "a-better-grader")
    after = plan()
    assert after.identity == before.identity
    assert after.planned[0].protocol.cell == before.planned[0].protocol.cell
    assert after.planned[0].protocol.hash != before.planned[0].protocol.hash


def test_a_limit_asks_the_first_items_by_id_and_nothing_of_its_texts_changes(plan: MakePlan) -> None:
    whole, part = plan().planned[0], plan(limit=3).planned[0]
    assert part.items == whole.items[:3]
    assert part.protocol.n_items == 3
    assert part.protocol.cell == whole.protocol.cell


def test_golds_that_no_grader_reads_are_named_but_not_quoted_where_gated(plan: MakePlan, tmp_path: Path) -> None:
    rows = [*sums(1), {"question": "How many?", "answer": "a secret"}]
    write_task(tmp_path, "open", rows)
    write_task(tmp_path, "gated", rows, gated=True)
    found = plan(tasks="open,gated", includes=(tmp_path,), data_dir=tmp_path / "data")
    (open_fault,), (gated_fault,) = map(unreadable_golds, found.planned)
    assert open_fault[0] == gated_fault[0]
    assert "a secret" in open_fault[1]
    assert gated_fault[1] == "cannot be read as number"
