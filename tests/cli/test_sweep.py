"""`evalsuite sweep` over models whose best setting is known."""

import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evalsuite.evaluate.run import load_run
from evalsuite.rollouts import store
from tests.support.lab import DEV, GRID, MODELS, PLAIN, Lab, records

CELLS, TASKS, FIRST_LOOK = 4, 2, 12
DIES = "the engine died"


@pytest.fixture(scope="session")
def swept(lab: Lab) -> Any:
    """What the sweep of the starting model says of itself."""
    return lab.json(*lab.sweep("start", *GRID))


def task(content: Any, name: str) -> Any:
    return next(one for one in content["tasks"] if one["task"] == name)


def share(name: str, numbers: Iterable[int], form: str) -> float:
    """The accuracy of a model on these numbers, by what it is known to know."""
    return float(np.mean([MODELS[name].knows(number, form) for number in numbers]))


def setting(prompt: str, chat: bool = True, limit: int = 64, parser: str = "lenient") -> dict[str, Any]:
    return {"prompt": prompt, "chat": chat, "max_tokens": limit, "parser": parser}


def scores(content: Any, name: str) -> dict[tuple[Any, ...], Any]:
    """The accuracy of each setting, by prompt, chat, limit and parser."""
    return {
        tuple(row[field] for field in ("prompt", "chat", "max_tokens", "parser")): row["accuracy"]
        for row in task(content, name)["settings"]
    }


def chosen(content: Any, name: str) -> list[Mapping[str, Any]]:
    fields = ("prompt", "chat", "max_tokens", "parser")
    return [{field: one[field] for field in fields} for one in task(content, name)["chosen"]]


# --- What is measured, and what is chosen ---


@pytest.mark.parametrize(("name", "numbers", "split"), [("sums", DEV, "dev: train"), ("plain", PLAIN, "test")])
def test_every_setting_scores_what_the_model_is_known_to_know(
    swept: Any, name: str, numbers: range, split: str
) -> None:
    found = scores(swept, name)
    assert len(found) == CELLS * 2 * 2  # two limits, two parsers
    assert task(swept, name)["choice"]["split"] == split
    for chat in (True, False):
        best = found["boxed", chat, 64, "lenient"]
        assert (best["value"], best["n"]) == (pytest.approx(share("start", numbers, "boxed")), 30)
        assert found["boxed", chat, 64, "strict"]["value"] == 0  # it never boxes what it says
        assert found["boxed", chat, 12, "lenient"]["value"] == 0  # cut off before the number


def test_the_known_best_setting_is_chosen_the_most_generous_of_those_that_tie(swept: Any) -> None:
    assert chosen(swept, "sums") == [setting("boxed")]
    assert chosen(swept, "plain") == 5 * [setting("boxed")]


def test_cells_that_cannot_win_are_dropped_early(lab: Lab, swept: Any) -> None:
    for name in ("sums", "plain"):
        assert task(swept, name)["dropped"] == 2
        assert {scores(swept, name)["answer_line", chat, 64, "lenient"]["n"] for chat in (True, False)} == {17}
    assert swept["complete"]
    (folder,) = lab.runs("start-sums+plain-sweep-*")
    stored = records(folder / store.ROLLOUTS)
    assert len(stored) == TASKS * (2 * 30 + 2 * 17)
    assert swept["tokens"] == sum(len(rollout["token_ids"]) for rollout in stored)


def test_the_tables_name_what_was_chosen_dropped_and_why(lab: Lab, swept: Any) -> None:
    ended = lab.done(*lab.sweep("start", *GRID))
    lines = [" ".join(line.split()) for line in ended.out.splitlines()]
    assert "sums · chosen on 30 items of dev: train · 4 cells, 2 of them dropped early" in lines
    assert "▸ boxed on 30 56.7 [39.2, 72.6] 0.0 0.0" in lines
    assert "· answer_line on 17 29.4 [13.3, 53.1] 0.0 0.0" in lines
    assert "chosen: boxed, chat, T=0, 64 tokens, lenient" in lines
    assert "chosen for 5 of 5 folds: boxed, chat, T=0, 64 tokens, lenient" in lines
    assert "it has no dev source: cross-fitted" in " ".join(lines)
    assert "choosing and scoring on the same 30 items would have claimed +0.0 points" in " ".join(lines)


def test_choosing_on_what_is_scored_claims_more_and_says_how_much(lab: Lab) -> None:
    """Eighteen settings of a model that is right half of the time under each: the best of them is luck."""
    axes = ["--prompts", "boxed,answer_line,bare", "--temperatures", "0.6,0.8,1", "--max-tokens", 64]
    command = lab.sweep("moody", *axes, "--parsers", "lenient", "--full", tasks="plain")
    content = lab.json(*command)
    run = load_run(Path(lab.here / content["folder"]))
    rows = [p.cell for p in run.protocols]
    items = sorted({item for _, item in run.items})
    right = np.array([[run.verdicts[cell, item, 0].correct for item in items] for cell in rows], dtype=float)
    honest = []
    for place in range(len(items)):
        others = [number for number in range(len(items)) if number % 5 != place % 5]
        honest.append(right[right[:, others].mean(axis=1).argmax(), place])
    claimed = right.mean(axis=1).max()
    assert right.shape == (18, 30)
    assert task(content, "plain")["optimism"] == pytest.approx(claimed - np.mean(honest))
    assert task(content, "plain")["optimism"] > 0.05
    words = " ".join(lab.done(*command).out.split())
    points = f"{100 * (claimed - np.mean(honest)):+.1f}"
    assert f"choosing and scoring on the same 30 items would have claimed {points} points over an honest score" in words


# --- What is asked, and of whom ---


def test_a_finished_sweep_asks_nothing_and_says_the_same(lab: Lab, swept: Any) -> None:
    before = len(lab.zoo.requests)
    assert lab.json(*lab.sweep("start", *GRID)) == swept
    assert len(lab.zoo.requests) == before


def test_without_a_race_every_cell_is_asked_every_item(lab: Lab, swept: Any, tmp_path: Path) -> None:
    copy = lab.copy(tmp_path)
    content = copy.json(*copy.sweep("start", *GRID, "--full"))
    assert len(copy.zoo.requests) == TASKS * CELLS * 30 - TASKS * (2 * 30 + 2 * 17)  # the rest is taken over
    assert {one["n"] for name in ("sums", "plain") for one in scores(content, name).values()} == {30}
    answer_line = scores(content, "plain")["answer_line", True, 64, "lenient"]["value"]
    assert answer_line == pytest.approx(share("start", PLAIN, "answer_line"))
    assert [chosen(content, name) for name in ("sums", "plain")] == [chosen(swept, name) for name in ("sums", "plain")]


@pytest.mark.slow
@pytest.mark.parametrize("dies_after", [0, 5, 110, 170])
def test_a_sweep_that_is_killed_goes_on_as_if_nothing_had_been(
    lab: Lab, swept: Any, tmp_path: Path, dies_after: int
) -> None:
    here = lab.empty(tmp_path)
    died = here.run(*here.sweep("start", *GRID), dies_after=dies_after)
    assert (died.code, DIES in died.err) == (1, True)
    (folder,) = here.runs()
    done = len(store.rollouts(folder))
    assert done <= dies_after
    asked = len(here.zoo.requests)
    assert here.json(*here.sweep("start", *GRID)) == swept | {"folder": str(folder.relative_to(tmp_path))}
    assert len(here.zoo.requests) - asked == TASKS * (2 * 30 + 2 * 17) - done
    (whole,) = lab.runs("start-sums+plain-sweep-*")
    assert store.rollouts(folder) == store.rollouts(whole)
    assert load_run(folder).verdicts == load_run(whole).verdicts
    assert load_run(folder).prompts == load_run(whole).prompts


def test_failed_requests_end_the_sweep_with_a_word_and_are_tried_again(lab: Lab, swept: Any, tmp_path: Path) -> None:
    here = lab.empty(tmp_path)
    here.zoo.fails = lambda request: request.id.split("-")[1] < "4"  # about a quarter of the items
    ended = here.run(*here.sweep("start", *GRID))
    assert ended.code == 1
    assert "some requests failed; the same command tries them again" in ended.err
    here.zoo.fails = lambda _: False
    assert here.json(*here.sweep("start", *GRID))["tasks"] == swept["tasks"]


def test_an_eval_of_a_swept_cell_takes_its_answers_over(lab: Lab, swept: Any, tmp_path: Path) -> None:
    here = lab.empty(tmp_path)
    (folder,) = lab.runs("start-sums+plain-sweep-*")
    shutil.copytree(folder, tmp_path / "results" / "runs" / folder.name)
    named = ["--prompt", "boxed", "--temperature", 0, "--max-tokens", 64]
    ended = here.done(*here.eval("start", *named, tasks="plain"))
    assert f"taken over from {folder.name}: 30 rollouts" in ended.err
    assert here.zoo.engines == []
    again = here.done(*here.eval("start", *named, "--seed", 1, tasks="plain"))
    assert "taken over" not in again.err
    assert len(here.zoo.requests) == 30


# --- Budget ---


@pytest.mark.parametrize("budget", [1, 2000])
def test_a_budget_ends_the_sweep_between_rounds_but_not_before_the_first(lab: Lab, tmp_path: Path, budget: int) -> None:
    here = lab.empty(tmp_path)
    content = here.json(*here.sweep("start", *GRID, "--budget", budget))
    assert len(here.zoo.requests) == TASKS * CELLS * FIRST_LOOK
    assert (content["complete"], content["budget"]) == (False, budget)
    assert content["tokens"] == sum(len(one["token_ids"]) for one in records(here.runs()[0] / store.ROLLOUTS))
    assert 1600 < content["tokens"] < 2000
    assert chosen(content, "sums") == [setting("boxed")]
    assert {one["n"] for one in scores(content, "sums").values()} == {FIRST_LOOK}
    words = " ".join(here.done(*here.sweep("start", *GRID, "--budget", budget)).out.split())
    left = max(0, budget - content["tokens"])
    said = f"{content['tokens']:,} tokens of a budget of {budget:,}, {left:,} left, the next round would cost more"
    assert said in words
    assert len(here.zoo.requests) == TASKS * CELLS * FIRST_LOOK


def test_a_budget_that_is_enough_changes_nothing_and_counts_what_is_taken_over(
    lab: Lab, swept: Any, tmp_path: Path
) -> None:
    copy = lab.copy(tmp_path)
    content = copy.json(*copy.sweep("start", *GRID, "--budget", 1_000_000))
    assert content["tasks"] == swept["tasks"]
    assert (content["complete"], content["tokens"]) == (True, swept["tokens"])
    assert copy.zoo.requests == []


# --- Bad input ---


def test_what_a_checkpoint_without_a_template_cannot_do_is_listed_and_the_rest_is_swept(lab: Lab) -> None:
    axes = ["--prompts", "boxed,boxed_system", "--temperatures", 0, "--max-tokens", 64]
    content = lab.json(*lab.sweep("base", *axes, tasks="plain"))
    assert [(row["prompt"], row["chat"]) for row in task(content, "plain")["settings"]] == 2 * [("boxed", False)]
    words = " ".join(lab.done(*lab.sweep("base", *axes, tasks="plain")).out.split())
    for prompt in ("boxed", "boxed_system"):
        cell = f"{prompt}, chat template on, 0 shots, temperature 0"
        assert [cell, "base has no chat template"] in task(content, "plain")["choice"]["impossible"]
        assert f"not possible: {cell}: base has no chat template" in words


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--prompts", "boxed_system"), "plain: the grid has no cell for it: base has no chat template; name other"),
        (("--prompts", "boxed", "--chat-template", "on"), "the grid has no cell for it: base has no chat template"),
        (("--prompts", "choice_letter"), "the grid has no cell for it: prompt format 'choice_letter' is for choice"),
        (("--prompts", "few_shot"), "the grid has no cell for it: prompt format 'few_shot' needs 4 examples"),
        (("--prompts", "boxd"), "no prompt format named 'boxd' (nearest: boxed"),
        (("--prompts", ""), "--prompts: is empty: name at least one value"),
        (("--max-tokens", "64,4096"), "--max-tokens 4096 leaves no room for a prompt: the context of base is 4096"),
        (("--max-tokens", "64", "--max-model-len", "64"), "--max-tokens 64 leaves no room for a prompt"),
        (("--max-tokens", "64,64"), "--max-tokens: names 64 twice"),
        (("--max-tokens", "0"), "--max-tokens: "),
        (("--max-tokens", "few"), "--max-tokens few: write whole numbers"),
        (("--temperatures", "0,0.0"), "--temperatures: names 0.0 twice"),
        (("--temperatures", "-1"), "--temperatures: "),
        (("--temperatures", "nan"), "--temperatures: "),
        (("--temperatures", "inf"), "--temperatures: "),
        (("--temperatures", "warm"), "--temperatures warm: write numbers with commas"),
        (("--top-p", "0"), "--top-p: "),
        (("--top-p", "1.5"), "--top-p: "),
        (("--shots", "-1"), "--shots: "),
        (("--chat-template", "maybe"), "--chat-template maybe: 'maybe' is none of on, off"),
        (("--parsers", "lenient,lenient"), "--parsers: names lenient twice"),
        (("--samples", "0"), "--samples"),
        (("--budget", "0"), "--budget"),
        (("--dev-items", "19"), "--dev-items"),
        (("--limit", "9"), "9 items are too few to choose settings by cross-fitting: ask for at least 10"),
        (("--suite", "demo"), "--suite and --tasks together"),
    ],
)
def test_sweep_refuses(lab: Lab, tmp_path: Path, arguments: tuple[str, ...], said: str) -> None:
    here = lab.empty(tmp_path)
    here.refused(said, *here.sweep("base", *arguments, tasks="plain"))
    assert not list(tmp_path.iterdir())


def test_a_folder_with_another_sweep_is_refused(lab: Lab, swept: Any, tmp_path: Path) -> None:
    copy = lab.copy(tmp_path)
    (folder,) = copy.runs("start-sums+plain-sweep-*")
    said = f"{folder}: holds another run"
    copy.refused(said, *copy.sweep("trained", *GRID, "--out", folder))
    copy.refused(said, *copy.sweep("start", *GRID, "--seed", 1, "--out", folder))
    copy.refused(said, *copy.sweep("start", *GRID, "--budget", 5000, "--out", folder))
