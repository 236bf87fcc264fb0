"""`evalsuite eval STEPS` and `evalsuite series` over models of known ability."""

from typing import Any

import pytest

from tests.support.known_model import KnownModel, Zoo
from tests.support.lab import PLAIN, SCORED, Lab
from tests.support.tiny import make_checkpoint

ABILITY = {"start": 0.3, "checkpoint-5": 0.3, "checkpoint-20": 0.32, "checkpoint-100": 0.95}
ASKED = ("--prompt", "boxed", "--temperature", 0, "--max-tokens", 64)


@pytest.fixture(scope="module")
def training(lab: Lab, tmp_path_factory: pytest.TempPathFactory) -> Lab:
    """A lab with a training run in `run` that was evaluated, and its starting model's run in `results/start`."""
    here = tmp_path_factory.mktemp("training")
    own = lab.empty(here)
    own.zoo = Zoo({name: KnownModel(otherwise=share) for name, share in ABILITY.items()})
    for name in ABILITY:
        make_checkpoint(here / "run" / name if "-" in name else here / name, weights=name.encode())
    (here / "run" / "checkpoint-200").mkdir()
    (here / "series.json").write_text(own.done(*evaluating(own, "run"), "--json").out)
    own.done(*evaluating(own, "start"), "--out", here / "results" / "start")
    return own


def evaluating(lab: Lab, folder: str) -> tuple[object, ...]:
    return ("eval", lab.here / folder, *lab.eval("start", *ASKED)[2:])


def knows(name: str) -> float:
    shares = [
        sum(KnownModel(otherwise=ABILITY[name]).knows(n, "boxed") for n in numbers) / len(numbers)
        for numbers in (SCORED, PLAIN)
    ]
    return sum(shares) / 2


def series(lab: Lab, *arguments: object) -> Any:
    return lab.json("series", *arguments)


def test_a_folder_of_steps_is_evaluated_step_by_step(training: Lab) -> None:
    again = training.done(*evaluating(training, "run"))
    assert "left out" in again.err
    assert "checkpoint-200: no config.json" in again.err.replace("\n", "")
    assert "step 20, 2 of 3" in again.err
    assert "2 steps against step 5 · 60 items in 2 tasks" in again.out
    assert len(training.runs("run-checkpoint-*")) == 3


def test_the_steps_and_their_leads(training: Lab) -> None:
    found = series(
        training, *reversed(training.runs("run-checkpoint-*")), "--baseline", training.here / "results/start"
    )
    assert [step["step"] for step in found["steps"]] == [5, 20, 100]
    assert found["baseline"]["name"] == "start"
    for step in found["steps"]:
        name = f"checkpoint-{step['step']}"
        assert step["average"]["value"] == pytest.approx(knows(name))
        assert step["lead"]["difference"]["value"] == pytest.approx(knows(name) - knows("start"))
    assert [step["lead"]["beyond_noise"] for step in found["steps"]] == [False, False, True]
    assert found["steps"][2]["leads"]["sums"]["beyond_noise"]
    assert 1.96 < found["critical"] < 2.40
    assert found["conclusion"][0] == "Above start beyond noise at step 100, corrected for looking at 3 steps."
    assert found["conclusion"][1].startswith("The highest is step 100, picked after looking at these very items")


def test_without_a_baseline_the_earliest_step_is_it(training: Lab) -> None:
    found = series(training, *training.runs("run-checkpoint-*"))
    assert found["baseline"]["name"] == "step 5"
    assert [step["step"] for step in found["steps"]] == [20, 100]


def test_a_look_that_shows_nothing_says_what_it_would_have_shown(training: Lab) -> None:
    runs = [run for run in training.runs("run-checkpoint-*") if "-100-" not in run.name]
    found = series(training, *runs)
    [said] = found["conclusion"]
    assert said.startswith("At no step does the run leave step 5 beyond noise, corrected for looking at one step.")
    assert f"A true difference of {100 * found['detectable']:.1f} points" in said


def test_the_table_fits_and_the_picture_is_drawn(training: Lab) -> None:
    shown = training.done("series", *training.runs("run-checkpoint-*"), "--plot", training.here / "curves.png")
    assert max(map(len, shown.out.splitlines())) <= 80
    assert "▲" in shown.out
    assert (training.here / "curves.png").read_bytes().startswith(b"\x89PNG")


def test_what_is_no_series(training: Lab) -> None:
    runs = training.runs("run-checkpoint-*")
    start = training.here / "results/start"
    training.refused("one step alone", "series", runs[0])
    training.refused("names no training step", "series", start, *runs)
    training.refused("are both step 100", "series", runs[0], runs[0])
    training.refused("a picture ends in", "series", *runs, "--plot", "curves.gif")
    fewer = training.here / "results/fewer"
    training.done(*evaluating(training, "start"), "--limit", 10, "--out", fewer)
    training.refused("10 items against 30", "series", *runs, "--baseline", fewer)
