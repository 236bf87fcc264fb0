"""`evalsuite compare` over models of known ability: what the naive gain is made of, and what is left of it."""

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evalsuite.catalog.items import content_id
from evalsuite.evaluate.run import load_run
from tests.support.lab import GRID, MODELS, PLAIN, SCORED, Lab, records

NUMBERS = {"sums": SCORED, "plain": PLAIN}
BOXED = ("--prompt", "boxed", "--temperature", 0, "--max-tokens", 64)
SOME = ("--prompt", "boxed,answer_line,bare", "--temperature", 0, "--max-tokens", 64)
POINTS = re.compile(r"([+-]\d+\.\d|0\.0) +(?:\[|the same)")
MARK = "UNEQUAL EFFORT"


def knows(name: str, task: str, form: str) -> np.ndarray:
    """Of each item of a task, in the order of their ids, whether a model is right about it."""
    ids = {content_id(f"What is {number} plus one?", (), (str(number + 1),)): number for number in NUMBERS[task]}
    return np.array([MODELS[name].knows(ids[item], form) for item in sorted(ids)], dtype=float)


def one(lab: Lab, *arguments: object) -> Any:
    """The only comparison that a command makes, as JSON."""
    (comparison,) = lab.json(*lab.compare(*arguments))["comparisons"]
    return comparison


def rows(comparison: Any) -> dict[str, Any]:
    return {row["task"]: row for row in comparison["tasks"]}


def gain(row: Any, reading: str) -> float:
    return float(row[reading]["gain"]["value"])


def words(lab: Lab, *arguments: object) -> str:
    return " ".join(lab.done(*lab.compare(*arguments)).out.split())


def spoil(file: Path, **changes: Any) -> None:
    """Change a sealed file and seal it again, so that only what it says is wrong."""
    content = json.loads(file.read_text()) | changes
    plain = {name: value for name, value in content.items() if name != "seal"}
    text = json.dumps(plain, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    file.write_text(json.dumps(content | {"seal": hashlib.sha256(text.encode()).hexdigest()[:16]}))


@pytest.fixture
def copy(lab: Lab, sealed: dict[str, Path], tmp_path: Path) -> tuple[Lab, dict[str, Path]]:
    """Another folder with the same results, to be spoiled or added to."""
    return lab.copy(tmp_path), {name: tmp_path / file.relative_to(lab.here) for name, file in sealed.items()}


@pytest.fixture(scope="module")
def filled(lab: Lab, sealed: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> tuple[Lab, Any, Any]:
    """The start against a model that prefers another format, before and after what is missing was generated."""
    here = lab.copy(tmp_path_factory.mktemp("filled"))
    before = one(here, sealed["start"], sealed["liner"])
    return here, before, one(here, sealed["start"], sealed["liner"], "--generate")


# --- Equal ability, but only one side boxes its answers ---


def test_a_gain_that_is_all_parser_is_taken_away(lab: Lab, sealed: dict[str, Path]) -> None:
    found = one(lab, sealed["start"], sealed["trained"])
    assert (found["unequal"], found["lacking"], found["only_one"]) == ([], [], [])
    for task, row in rows(found).items():
        share = knows("trained", task, "boxed").mean()
        assert row["naive"]["start"]["value"] == 0
        assert gain(row, "naive") == pytest.approx(share)
        assert row["parts"].keys() == {"parser"}
        assert row["parts"]["parser"]["value"] == pytest.approx(-share)
        for reading in ("best", "matched_trained", "matched_start"):
            assert row[reading]["start"]["value"] == row[reading]["trained"]["value"] == pytest.approx(share)
            assert gain(row, reading) == 0
            assert row[reading]["gain"]["low"] < 0 < row[reading]["gain"]["high"]
        assert row["trained_setting"] == row["start_setting"] == "boxed, chat, T=0, 64 tokens, lenient"
        assert row["naive_setting"] == "boxed, chat, T=0, 64 tokens, strict"
    average = found["average"]
    assert gain(average, "naive") > 0.5
    assert average["parts"]["parser"]["value"] == pytest.approx(-gain(average, "naive"))


def test_the_table_says_so(lab: Lab, sealed: dict[str, Path]) -> None:
    said = words(lab, sealed["start"], sealed["trained"])
    assert "trained against start" in said
    assert MARK not in said
    assert "naive gain, both by boxed, chat, T=0, 64 tokens, strict +63.3" in said
    assert "a parser that takes any unambiguous form -63.3" in said
    assert "each side's own prompt format 0.0 the same" in said
    assert "left: best against best +0.0 [-4.3, +4.3]" in said
    assert "equal effort kept" in said
    assert "chosen on dev items (sums) and cross-fitted (plain)" in said


# --- Another format on either side ---


def test_what_is_missing_is_named_and_what_is_there_is_told(filled: tuple[Lab, Any, Any]) -> None:
    _, before, _ = filled
    lacks = {(lack["side"], lack["task"]): lack for lack in before["lacking"]}
    assert lacks.keys() == {(side, task) for side in ("start", "liner") for task in ("sums", "plain")}
    assert lacks["start", "sums"]["setting"]["prompt"] == "answer_line"
    assert lacks["liner", "sums"]["setting"]["prompt"] == "boxed"
    assert lacks["start", "sums"]["items"] == lacks["liner", "sums"]["items"] == 30
    assert 0 < lacks["start", "plain"]["items"] < 30  # the sweep had begun with the others
    for task, row in rows(before).items():
        assert row["naive"]["gain"] is row["matched_start"]["gain"] is row["parts"] is None
        share = knows("liner", task, "answer_line").mean() - knows("start", task, "boxed").mean()
        assert gain(row, "best") == pytest.approx(share)


def test_generate_fills_just_what_was_missing(filled: tuple[Lab, Any, Any], sealed: dict[str, Path]) -> None:
    here, before, after = filled
    assert len(here.zoo.requests) == sum(lack["items"] for lack in before["lacking"])
    assert after["lacking"] == []
    assert one(here, sealed["start"], sealed["liner"], "--generate") == after
    assert one(here, sealed["start"], sealed["liner"]) == after
    assert len(here.zoo.requests) == sum(lack["items"] for lack in before["lacking"])


def test_parts_are_those_worked_out_by_hand_and_add_up(filled: tuple[Lab, Any, Any]) -> None:
    """Two things move, the parser and the start's format: the mean over both orders, from what the models know."""
    _, _, after = filled
    for task, row in rows(after).items():
        liner, start = (knows(name, task, "answer_line") for name in ("liner", "start"))
        boxed = knows("start", task, "boxed")
        naive, parser, form, both = liner, liner - start, liner, liner - boxed  # strict, the start knows nothing
        parts = {name: part["value"] for name, part in row["parts"].items()}
        assert parts == pytest.approx(
            {
                "parser": ((parser - naive) + (both - form)).mean() / 2,
                "format": ((form - naive) + (both - parser)).mean() / 2,
            }
        )
        assert gain(row, "naive") + sum(parts.values()) == pytest.approx(gain(row, "best"), abs=1e-12)
        assert gain(row, "matched_trained") == pytest.approx(parser.mean())
        assert gain(row, "matched_start") == pytest.approx((knows("liner", task, "boxed") - boxed).mean())
    average = after["average"]
    for name, part in average["parts"].items():
        of_tasks = [row["parts"][name]["value"] for row in after["tasks"]]
        assert part["value"] == pytest.approx(sum(of_tasks) / 2)
        assert part["low"] < part["value"] < part["high"] < 0


def test_the_printed_parts_add_up_to_the_last_digit(filled: tuple[Lab, Any, Any], sealed: dict[str, Path]) -> None:
    here, _, _ = filled
    printed = here.done(*here.compare(sealed["start"], sealed["liner"])).out
    steps = printed.split("from the naive gain to the fair one")[1]
    naive, *parts, left = (round(10 * float(points)) for points in POINTS.findall(steps))
    assert len(parts) == 4
    assert naive + sum(parts) == left
    assert naive > 600 > left > 0


def test_the_naive_comparison_is_what_the_user_says(filled: tuple[Lab, Any, Any], sealed: dict[str, Path]) -> None:
    here, _, _ = filled
    both = (sealed["start"], sealed["liner"])
    few = one(here, *both, "--naive", "max_tokens=12,parser=lenient")
    for row in few["tasks"]:
        assert gain(row, "naive") == 0  # everything is cut off before the answer
        assert set(row["parts"]) == {"format", "tokens"}
        assert sum(part["value"] for part in row["parts"].values()) == pytest.approx(gain(row, "best"))
    for task, row in rows(one(here, *both, "--naive", "prompt=boxed,parser=lenient")).items():
        assert gain(row, "naive") == gain(row, "matched_start")
        assert row["parts"]["format"]["value"] == pytest.approx(gain(row, "best") - gain(row, "naive"))
        assert row["naive"]["start"]["value"] == pytest.approx(knows("start", task, "boxed").mean())


# --- Refusals ---


def test_what_cannot_be_compared_is_refused(lab: Lab, sealed: dict[str, Path], tmp_path: Path) -> None:
    start, trained = sealed["start"], sealed["trained"]
    (sweep,) = lab.runs("start-sums+plain-sweep-*")
    lab.refused(f"{start}: a comparison with itself", *lab.compare(start, start))
    lab.refused(f"{sweep}: a sweep, whose items only choose settings", *lab.compare(start, sweep))
    lab.refused(f"{sweep}: a sweep, whose items only choose settings", *lab.compare(sweep, trained))
    lab.refused("nowhere: no such file", *lab.compare("nowhere", trained))
    lab.refused(f"{tmp_path}: no run here", *lab.compare(start, tmp_path))
    lab.refused("Missing argument 'TRAINED...'", *lab.compare(start))


@pytest.mark.parametrize(
    ("naive", "said"),
    [
        ("promt=boxed", "--naive promt=boxed: no setting named 'promt'; there are prompt, chat, shots"),
        ("parser=kind", "--naive parser=kind: 'kind' is no value of parser"),
        ("chat=maybe", "--naive chat=maybe: 'maybe' is no value of chat"),
        ("temperature=warm", "--naive temperature=warm: 'warm' is no value of temperature"),
        ("prompt=boxd", "no prompt format named 'boxd' (nearest: boxed"),
        ("prompt", "no prompt format named ''"),
        ("max_tokens=-1", "--naive max_tokens=-1: '-1' is no value of max_tokens"),
        ("max_tokens=0", "--naive max_tokens=0: '0' is no value of max_tokens"),
        ("shots=-1", "--naive shots=-1: '-1' is no value of shots"),
        ("temperature=nan", "--naive temperature=nan: 'nan' is no value of temperature"),
        ("top_p=0", "--naive top_p=0: '0' is no value of top_p"),
        (",", "no setting named ''"),
    ],
)
def test_a_naive_setting_that_is_none_is_refused(lab: Lab, sealed: dict[str, Path], naive: str, said: str) -> None:
    lab.refused(said, *lab.compare(sealed["start"], sealed["trained"], "--naive", naive))


def test_other_rulers_are_refused(copy: tuple[Lab, dict[str, Path]]) -> None:
    lab, files = copy
    few = lab.json(*lab.baseline("trained", options=[*GRID, "--limit", 20]))["file"]
    said = f"another ruler: plain of {files['start']} and of {few}: 30 items against 20, 10 of them on one side only"
    lab.refused(said, *lab.compare(files["start"], few))
    sums, plain = (
        lab.json(*lab.baseline(name, tasks=task))["file"] for name, task in (("start", "sums"), ("trained", "plain"))
    )
    lab.refused("have no task in common (sums against plain)", *lab.compare(sums, plain))
    models = json.loads(files["trained"].read_text())["models"]
    models[0]["tasks"]["sums"]["data_sha256"] = "0" * 64
    spoil(files["trained"], models=models)
    lab.refused("another ruler: sums of", *lab.compare(files["start"], files["trained"]))
    spoil(files["trained"], grader="an-older-grader")
    said = f"{files['trained']}: another ruler: sealed with grader an-older-grader, and the present one is"
    lab.refused(said, *lab.compare(files["start"], files["trained"]))


def test_a_task_that_only_one_side_has_is_in_no_average(copy: tuple[Lab, dict[str, Path]]) -> None:
    lab, files = copy
    plain = lab.json(*lab.baseline("trained", tasks="plain"))["file"]
    found = one(lab, files["start"], plain, "--allow-unequal")
    assert (found["only_one"], list(rows(found))) == (["sums"], ["plain"])
    assert found["average"]["items"] == 30
    assert "sums: only one side has it, so it is in no average" in words(lab, files["start"], plain, "--allow-unequal")


def test_what_was_changed_after_sealing_is_refused(copy: tuple[Lab, dict[str, Path]]) -> None:
    lab, files = copy
    both = (files["start"], files["trained"])
    sealed = files["start"].read_text()
    files["start"].write_text(sealed.replace('"samples": 1', '"samples": 2'))
    lab.refused(f"{files['start']}: changed after it was sealed", *lab.compare(*both))
    files["start"].write_text(sealed)
    run = lab.here / "results" / "runs" / json.loads(sealed)["models"][0]["scored"]["run"]
    lines = records(run / "rollouts.jsonl")
    for line in lines:
        line.update(text="I do not know.")
    (run / "rollouts.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    for verdicts in run.glob("verdicts/*.jsonl"):
        verdicts.unlink()
    lab.refused(f"the rollouts in {run} are not those that were sealed", *lab.compare(*both))


# --- Unequal effort ---


def test_an_unequal_grid_is_refused_with_the_difference_and_marked_where_it_is_allowed(
    copy: tuple[Lab, dict[str, Path]],
) -> None:
    lab, files = copy
    other = lab.json(*lab.baseline("trained", options=[*GRID[:4], "--max-tokens", 64, "--budget", 10**6]))["file"]
    line = lab.refused("the two sides were not offered the same: ", *lab.compare(files["start"], other))
    assert "grid max_tokens [64, 12] against [64]; budget null against 1000000 (--allow-unequal compares" in line
    found = one(lab, files["start"], other, "--allow-unequal")
    assert found["unequal"] == ["grid max_tokens [64, 12] against [64]", "budget null against 1000000"]
    assert (
        "equal effort    broken: grid max_tokens [64, 12] against [64]; budget null against 1000000" in found["seals"]
    )
    said = words(lab, files["start"], other, "--allow-unequal")
    assert f"trained against start · {MARK}" in said
    several = words(lab, files["start"], other, files["liner"], "--allow-unequal")
    assert several.count(f"start · {MARK}") == 2  # its own heading, and its row of the overview
    assert "liner against start task" in several


def test_a_run_against_a_sealed_file_is_unequal(copy: tuple[Lab, dict[str, Path]]) -> None:
    lab, files = copy
    run = lab.here / "results" / "runs" / "by-hand"
    lab.done(*lab.eval("trained", *BOXED, "--out", run))
    said = (
        f"{files['start'].name} had its settings chosen from a grid; by-hand is a run with settings given by hand: "
        f"seal it too, by `evalsuite baseline CHECKPOINT --against {files['start']}`"
    )
    lab.refused(said, *lab.compare(files["start"], run))
    found = one(lab, files["start"], run, "--allow-unequal")
    assert found["unequal"] == [said]
    assert gain(found["average"], "best") == 0
    assert (found["start"]["sealed"], found["trained"]["sealed"]) == (True, False)
    assert "no peeking      not known: the settings of by-hand were given, not chosen here" in found["seals"]
    assert lab.zoo.engines == []  # all was taken over, or is there


# --- Runs ---


def test_run_against_run(lab: Lab, tmp_path: Path) -> None:
    here = lab.empty(tmp_path)
    for name in ("start", "trained"):
        here.done(*here.eval(name, *BOXED))
    start, trained = here.runs()
    found = one(here, start, trained)
    assert found["unequal"] == []
    for task, row in rows(found).items():
        assert gain(row, "naive") == pytest.approx(knows("trained", task, "boxed").mean())
        assert (gain(row, "best"), row["parts"].keys()) == (0, {"parser"})
    assert any("no peeking      not known: the settings of" in seal for seal in found["seals"])
    assert words(here, start, trained).count("left: best against best +0.0") == 1
    here.refused(f"{start}: a comparison with itself", *here.compare(start, start))


def test_a_run_with_several_settings_is_cross_fitted(lab: Lab, tmp_path: Path) -> None:
    """Each fifth of the items, by id, is scored with what was best on the others: here worked out again."""
    here = lab.empty(tmp_path)
    for name in ("moody", "trained"):
        here.done(*here.eval(name, *SOME, tasks="plain"))
    moody, trained = here.runs()
    forms = ("boxed+chat", "answer_line+chat", "bare+chat")
    right = np.array([knows("moody", "plain", form) for form in forms])
    honest, settings = [], []
    for place in range(30):
        others = [number for number in range(30) if number % 5 != place % 5]
        settings.append(right[:, others].mean(axis=1).argmax())
        honest.append(right[settings[-1], place])
    row = rows(one(here, moody, trained))["plain"]
    assert row["best"]["start"]["value"] == pytest.approx(np.mean(honest))
    assert len(set(settings)) == row["start_setting"].count(" items)") or len(set(settings)) == 1
    assert row["best"]["trained"]["value"] == pytest.approx(knows("trained", "plain", "boxed").mean())
    assert row["trained_setting"] == "boxed, chat, T=0, 64 tokens, lenient"


def test_runs_with_other_settings_are_unequal(lab: Lab, tmp_path: Path) -> None:
    here = lab.empty(tmp_path)
    here.done(*here.eval("start", *SOME, tasks="plain"))
    here.done(*here.eval("trained", *BOXED, tasks="plain"))
    start, trained = here.runs()
    line = here.refused("the two sides were not offered the same: plain: cells [", *here.compare(start, trained))
    assert '"boxed, chat, T=0, 64 tokens, lenient"] against ["boxed, chat, T=0, 64 tokens, lenient"]' in line


def test_a_run_that_cannot_choose_is_refused(lab: Lab, tmp_path: Path) -> None:
    here = lab.empty(tmp_path)
    here.done(*here.eval("trained", *BOXED, tasks="plain"))
    here.done(*here.eval("moody", *SOME, "--limit", 9, tasks="plain"))
    few, trained = here.runs()
    said = f"{few}: plain was run under 3 settings on 9 items, too few to choose one of them by cross-fitting"
    here.refused(said, *here.compare(few, trained))
    assert here.run(*here.eval("start", *SOME, tasks="plain"), dies_after=50).code == 1
    (died,) = here.runs("start-*")
    here.refused(f"{died}: plain is not complete: `evalsuite eval` finishes it", *here.compare(died, trained))


def test_generate_reaches_the_larger_limit_of_the_two(lab: Lab, tmp_path: Path) -> None:
    here = lab.empty(tmp_path)
    short = [*BOXED[:-1], 12]
    here.done(*here.eval("start", *short, "--suite", "mine", tasks=None))
    here.done(*here.eval("trained", *BOXED, "--suite", "mine", tasks=None))
    start, trained = here.runs()
    asked = len(here.zoo.requests)
    found = one(here, start, trained, "--allow-unequal", "--generate")
    assert len(here.zoo.requests) - asked == 60
    assert found["lacking"] == []
    for task, row in rows(found).items():
        share = knows("trained", task, "boxed").mean()
        assert gain(row, "best") == pytest.approx(share)  # at 12 tokens the start comes to no answer
        assert gain(row, "matched_trained") == 0
        assert {name: part["value"] for name, part in row["parts"].items()} == pytest.approx(
            {"parser": -share / 2, "tokens": share / 2}
        )


def test_another_seed_of_the_same_checkpoint_can_be_compared(lab: Lab, tmp_path: Path) -> None:
    here = lab.empty(tmp_path)
    for seed in (0, 1):
        sampled = ["--prompt", "boxed", "--temperature", 0.8, "--samples", 2, "--max-tokens", 64, "--seed", seed]
        here.done(*here.eval("warm", *sampled, tasks="plain"))
    runs = here.runs()
    assert len(here.zoo.requests) == 2 * 60
    right = [np.mean([bool(v.correct) for v in load_run(folder).verdicts.values()]) for folder in runs]
    (row,) = one(here, *runs)["tasks"]
    assert gain(row, "best") == pytest.approx(right[1] - right[0])
    assert gain(row, "naive") == pytest.approx(gain(row, "best"))  # it boxes what it says


# --- What the checkpoints bring along ---


def test_another_chat_template_is_shown(lab: Lab, sealed: dict[str, Path]) -> None:
    found = one(lab, sealed["start"], sealed["themed"])
    assert gain(found["average"], "best") == 0
    assert "chat_template" in found["treatment"]
    said = words(lab, sealed["start"], sealed["themed"])
    assert "treatment: chat_template is" in said
    assert "Be brief." in json.dumps(found["treatment"])
    assert one(lab, sealed["start"], sealed["trained"])["treatment"] == {}


def test_a_start_without_a_template_is_asked_in_raw_text_and_told_of(copy: tuple[Lab, dict[str, Path]]) -> None:
    lab, files = copy
    base = lab.json(*lab.baseline("base", options=["--against", files["start"]], tasks=None))["file"]
    asked = len(lab.zoo.requests)
    found = one(lab, base, files["trained"], "--generate")
    assert len(lab.zoo.requests) - asked == 30  # the trained model's raw text on the items of sums
    assert "plain: boxed, chat template on, 0 shots, temperature 0 was not possible for base: base has no chat" in (
        " ".join(found["impossible"])
    )
    for row in found["tasks"]:
        assert gain(row, "best") == gain(row, "matched_start") == gain(row, "matched_trained") == 0
        assert row["parts"] is not None
    assert found["lacking"] == []
    said = words(lab, base, files["trained"])
    assert "base has no chat template: what the other side was asked through one, it was asked as raw text" in said


def test_what_is_missing_is_generated_with_the_engine_options_of_its_side(copy: tuple[Lab, dict[str, Path]]) -> None:
    lab, _ = copy
    precise = ("--dtype", "float32")
    start = lab.json(*lab.baseline("start"), *precise)["file"]
    other = lab.json(*lab.baseline("liner", options=["--against", start], tasks=None), *precise)["file"]
    assert one(lab, start, other)["lacking"] != []
    assert one(lab, start, other, "--generate")["lacking"] == []


# --- Several ---


def test_several_starts_and_several_trained_models_make_every_pair(copy: tuple[Lab, dict[str, Path]]) -> None:
    lab, files = copy
    both = lab.json(*lab.baseline("start", "themed"))["file"]
    found = lab.json(*lab.compare(both, files["trained"], files["liner"]))["comparisons"]
    pairs = [(one["start"]["name"], one["trained"]["name"]) for one in found]
    assert pairs == [(start, trained) for trained in ("trained", "liner") for start in ("start", "themed")]
    assert gain(found[0]["average"], "best") == 0
    overview = words(lab, both, files["trained"], files["liner"]).split("naive gain best against best")[1]
    assert "trained start +63.3" in overview
    assert "trained themed +0.0" in overview


def test_each_difference_carries_its_evidence(lab: Lab, tmp_path: Path) -> None:
    runs = [tmp_path / name for name in ("start", "liner")]
    for run in runs:
        lab.done(*lab.eval(run.name, "--prompt", "answer_line", "--temperature", 0, "--max-tokens", 64), "--out", run)
    comparison = one(lab, *runs)
    ps = []
    for task, row in rows(comparison).items():
        ahead = knows("liner", task, "answer_line") - knows("start", task, "answer_line")
        evidence = row["best"]["evidence"]
        # All items that differ favour one side: b heads in b throws, at half the weight, on both tails.
        b = int(ahead.sum())
        assert (ahead >= 0).all()
        assert evidence["p"] == pytest.approx(2 * 0.5**b - 0.5**b)
        assert evidence["detectable"] > 0
        assert evidence["word"] == "gain"
        ps.append(evidence["p"])
    adjusted = [row["best"]["evidence"]["adjusted"] for row in comparison["tasks"]]
    assert adjusted == pytest.approx([min(1.0, max(2 * min(ps), p)) if p > min(ps) else 2 * p for p in ps])
    average = comparison["average"]["best"]["evidence"]
    assert average["p"] == average["adjusted"] < 0.001
    assert average["word"] == "gain"
