"""`evalsuite baseline`: what a sealed file holds, and how it is made."""

import hashlib
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evalsuite.evaluate.run import load_run
from evalsuite.protocol import digest
from evalsuite.rollouts import store
from evalsuite.stats.intervals import mean_interval
from tests.support.lab import DEV, GRID, MODELS, PLAIN, SCORED, Lab, records
from tests.support.sealed_files import edit, put, read, rollouts_in, seal_by_hand
from tests.support.tiny import make_checkpoint

ANSWER = re.compile(r"The answer is (\d+)\.")


# --- What is in the file ---


def test_scores_follow_from_the_rollouts_when_worked_out_by_hand(lab: Lab, content: Any) -> None:
    (model,) = content["models"]
    folder = lab.here / "results" / "runs" / model["scored"]["run"]
    gold = {(item["task"], item["id"]): item["gold"] for item in records(folder / store.ITEMS)}
    right: dict[str, list[bool]] = {"sums": [], "plain": []}
    for rollout in records(folder / store.ROLLOUTS):
        said = ANSWER.findall(rollout["text"])
        right[rollout["task"]].append(said == gold[rollout["task"], rollout["item"]])
    for name, marks in right.items():
        entry = model["tasks"][name]
        assert len(marks) == entry["scored"]["items"] == 30
        assert entry["accuracy"]["value"] == pytest.approx(sum(marks) / 30)
        assert entry["strict"]["value"] == 0  # it never boxes what it says
        interval = mean_interval([float(mark) for mark in marks])  # all folds agree: it is not widened
        assert (entry["accuracy"]["low"], entry["accuracy"]["high"]) == pytest.approx((interval.low, interval.high))
    both = [sum(marks) / 30 for marks in right.values()]
    assert model["average"]["value"] == pytest.approx(sum(both) / 2)


def test_scores_are_what_the_model_is_known_to_know(content: Any) -> None:
    tasks = content["models"][0]["tasks"]
    for name, numbers in (("sums", SCORED), ("plain", PLAIN)):
        known = [MODELS["start"].knows(number, "boxed") for number in numbers]
        assert tasks[name]["accuracy"]["value"] == pytest.approx(sum(known) / 30)
        for one in tasks[name]["chosen"]:
            assert (one["prompt"], one["chat"], one["max_tokens"], one["parser"]) == ("boxed", True, 64, "lenient")


def test_what_chose_is_not_what_is_scored(lab: Lab, content: Any) -> None:
    (model,) = content["models"]
    swept, scored = (load_run(lab.here / "results" / "runs" / model[part]["run"]) for part in ("sweep", "scored"))

    def asked(run: Any, task: str) -> list[str]:
        return sorted(item for name, item in run.items if name == task)

    def numbers(run: Any, task: str) -> set[int]:
        questions = [item.question for (name, _), item in run.items.items() if name == task]
        return {int(question.split()[2]) for question in questions}

    assert numbers(swept, "sums") == set(DEV)
    assert numbers(scored, "sums") == set(SCORED)
    sums, plain = model["tasks"]["sums"], model["tasks"]["plain"]
    assert sums["choice"] == {
        "split": "dev: train",
        "items": 30,
        "items_sha256": digest(asked(swept, "sums")),
        "folds": None,
        "note": "",
    }
    assert sums["scored"] == {"items": 30, "items_sha256": digest(asked(scored, "sums"))}
    ids = asked(scored, "plain")
    assert ids == asked(swept, "plain")
    assert plain["choice"]["folds"] == 5
    assert "it has no dev source" in plain["choice"]["note"]
    for fold, one in enumerate(plain["chosen"]):
        assert (one["fold"], one["items"], one["items_sha256"]) == (fold, 6, digest(ids[fold::5]))


def test_the_file_names_its_rollouts_by_hash_and_is_sealed_itself(lab: Lab, content: Any) -> None:
    for part in ("sweep", "scored"):
        stated = content["models"][0][part]
        lines = records(lab.here / "results" / "runs" / stated["run"] / store.ROLLOUTS)
        lines.sort(key=lambda line: (line["cell"], line["item"], line["sample"]))
        text = "".join(json.dumps(line, sort_keys=True) for line in lines)
        assert stated["rollouts"] == len(lines)
        assert stated["rollouts_sha256"] == hashlib.sha256(text.encode()).hexdigest()[:16]
    swept = records(lab.here / "results" / "runs" / content["models"][0]["sweep"]["run"] / store.ROLLOUTS)
    assert content["models"][0]["sweep"]["tokens"] == sum(len(line["token_ids"]) for line in swept)
    assert content["seal"] == seal_by_hand(content)


def test_what_was_offered_is_in_the_file(content: Any) -> None:
    assert content["grid"] == {
        "prompts": ["answer_line", "boxed"],
        "chat_template": ["on", "off"],
        "shots": None,
        "temperatures": [0.0],
        "top_p": [1.0],
        "max_tokens": [64, 12],
        "parsers": ["lenient", "strict"],
    }
    assert (content["suite"], content["tasks_asked"]) == (None, "sums,plain")
    named = ("samples", "limit", "dev_items", "budget", "seed", "race")
    assert [content[name] for name in named] == [1, None, 200, None, 0, True]
    assert content["models"][0]["sweep"]["complete"]
    assert "baseline" in content["command"]


# --- Making it ---


def test_sealing_the_same_again_makes_no_second_file_and_asks_nothing(copy: tuple[Lab, Path]) -> None:
    lab, file = copy
    before = file.read_bytes()
    ended = lab.done(*lab.baseline("start"))
    assert f"sealed     results/baselines/{file.name}" in ended.err
    assert [path.name for path in file.parent.glob("start-*")] == [file.name]
    assert file.read_bytes() == before
    told = lab.json(*lab.baseline("start"))
    assert told.pop("file") == f"results/baselines/{file.name}"
    assert told == read(file)
    assert lab.zoo.engines == []


@pytest.mark.parametrize("spoil", [put("created", value="never"), put("models", 0, "average", "value", value=0.9)])
def test_sealing_again_heals_a_file_that_was_changed(copy: tuple[Lab, Path], spoil: Callable[[Any], None]) -> None:
    lab, file = copy
    edit(file, spoil)
    assert lab.run("baseline", "verify", file).code == 2
    lab.done(*lab.baseline("start"))
    assert lab.done("baseline", "verify", file).out.startswith("verified: ")
    assert [path.name for path in file.parent.glob("start-*")] == [file.name]


def test_several_checkpoints_are_sealed_in_one_file(copy: tuple[Lab, Path], sealed: dict[str, Path]) -> None:
    lab, _ = copy
    both = lab.json(*lab.baseline("start", "trained"))
    assert [model["name"] for model in both["models"]] == ["start", "trained"]
    assert both["models"] == [read(sealed[name])["models"][0] for name in ("start", "trained")]
    assert lab.zoo.engines == []  # it was all there
    file = lab.here / both["file"]
    assert file.name.startswith("start+trained-sums+plain-")
    verified = lab.done("baseline", "verify", file).out
    assert verified == f"verified: {file} follows from its {rollouts_in(both)} rollouts, each graded again; " + (
        f"seal {both['seal']}\n"
    )


def test_against_offers_what_the_sealed_file_offered(sealed: dict[str, Path], content: Any) -> None:
    other = read(sealed["trained"])
    same = ("grid", "suite", "tasks_asked", "samples", "limit", "dev_items", "budget", "seed", "race", "grader")
    assert {name: other[name] for name in same} == {name: content[name] for name in same}
    for name, entry in other["models"][0]["tasks"].items():
        held = content["models"][0]["tasks"][name]
        assert [entry[key] for key in ("choice", "scored", "data_sha256")] == [
            held[key] for key in ("choice", "scored", "data_sha256")
        ]


@pytest.mark.parametrize(
    "option", [("--prompts", "bare"), ("--samples", 2), ("--seed", 0), ("--budget", 9), ("--full",), ("--limit", 20)]
)
def test_nothing_offered_is_named_beside_against(lab: Lab, sealed: dict[str, Path], option: tuple[object, ...]) -> None:
    against = ["--against", sealed["start"], *option]
    lab.refused(f"so {option[0]} cannot be named beside it", *lab.baseline("trained", options=against, tasks=None))
    lab.refused("so --tasks cannot be", *lab.baseline("trained", options=against[:2]))


def test_against_a_file_that_was_changed_is_refused(copy: tuple[Lab, Path]) -> None:
    lab, file = copy
    edit(file, put("grid", "max_tokens", value=[64]))
    said = f"{file}: changed after it was sealed: `evalsuite baseline verify {file}` names what differs"
    lab.refused(said, *lab.baseline("trained", options=["--against", file], tasks=None))


def test_against_with_a_limit_above_the_context_is_refused(lab: Lab, sealed: dict[str, Path], tmp_path: Path) -> None:
    small = make_checkpoint(tmp_path / "small", context=64)
    said = "--max-tokens 64 leaves no room for a prompt: the context of small is 64 tokens"
    lab.refused(said, "baseline", small, "--against", sealed["start"])
    named = ["--against", sealed["start"], "--max-model-len", 50]
    lab.refused("the context of trained is 50 tokens", *lab.baseline("trained", options=named, tasks=None))


def test_the_limits_of_several_checkpoints_suit_the_one_with_the_shortest_context(lab: Lab, tmp_path: Path) -> None:
    """Both are offered the same: three quarters of 1,024, and parts of it."""
    here = lab.empty(tmp_path)
    short = make_checkpoint(tmp_path / "trained", context=1024)
    one, *rest = here.baseline("start", tasks="plain", options=["--prompts", "boxed", "--temperatures", 0])
    assert here.json(one, short, *rest)["grid"]["max_tokens"] == [768, 384, 192, 96]


def test_of_several_samples_an_items_score_is_their_mean(lab: Lab, tmp_path: Path) -> None:
    """A model that is better when it is sampled: greedy answers are asked once, the others three times."""
    here = lab.empty(tmp_path)
    axes = ["--prompts", "boxed", "--chat-template", "on", "--temperatures", "0,0.8", "--max-tokens", 64]
    said = here.json(*here.baseline("warm", options=[*axes, "--samples", 3, "--full"], tasks="sums"))
    (model,) = said["models"]
    (chosen,) = model["tasks"]["sums"]["chosen"]
    assert (chosen["temperature"], said["samples"]) == (0.8, 3)
    assert (model["sweep"]["rollouts"], model["scored"]["rollouts"]) == (30 + 30 * 3, 30 * 3)
    folder = here.here / "results" / "runs" / model["scored"]["run"]
    gold = {item["id"]: item["gold"] for item in records(folder / store.ITEMS)}
    marks: dict[str, list[bool]] = {}
    for line in records(folder / store.ROLLOUTS):
        marks.setdefault(line["item"], []).append(re.findall(r"boxed{(\d+)}", line["text"]) == gold[line["item"]])
    means = [sum(of_item) / 3 for of_item in marks.values()]
    assert len(means) == 30
    assert any(0 < mean < 1 for mean in means)
    assert model["tasks"]["sums"]["accuracy"]["value"] == pytest.approx(sum(means) / 30)
    assert model["tasks"]["sums"]["strict"] == model["tasks"]["sums"]["accuracy"]  # it boxes what it says
    assert here.done("baseline", "verify", said["file"]).out.startswith("verified: ")


@pytest.mark.slow
@pytest.mark.parametrize("dies_after", [100, 190])
def test_a_baseline_that_is_killed_goes_on_to_the_same_file(
    lab: Lab, content: Any, tmp_path: Path, dies_after: int
) -> None:
    """In its sweep, of 188 answers, or in the run over the scored items."""
    here = lab.empty(tmp_path)
    assert here.run(*here.baseline("start"), dies_after=dies_after).code == 1
    assert len(here.runs()) == (1 if dies_after < 188 else 2)
    assert not (tmp_path / "results" / "baselines").exists()
    again = here.json(*here.baseline("start"))
    del again["file"]
    free = ("created", "command", "seal")
    assert {k: v for k, v in again.items() if k not in free} == {k: v for k, v in content.items() if k not in free}


def test_a_budget_that_ended_the_choice_is_in_the_file(lab: Lab, tmp_path: Path) -> None:
    here = lab.empty(tmp_path)
    said = here.json(*here.baseline("start", options=[*GRID, "--budget", 2000]))
    assert said["budget"] == 2000
    assert said["models"][0]["sweep"]["complete"] is False
    assert said["models"][0]["sweep"]["rollouts"] == 96
    assert said["models"][0]["tasks"]["sums"]["accuracy"]["n"] == 30
    assert here.done("baseline", "verify", said["file"]).code == 0
