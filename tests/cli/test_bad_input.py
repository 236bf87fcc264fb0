"""Bad input: one clear line on standard error, exit code 2, and nothing left behind."""

import json
from pathlib import Path

import pytest

from evalsuite.catalog import source
from tests.support.command import Output, run_cli
from tests.support.fake_engine import FakeEngine
from tests.support.own_task import sums, write_task
from tests.support.tiny import make_checkpoint


@pytest.fixture(autouse=True)
def _no_network_no_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "hub_answers", lambda: False)
    monkeypatch.setattr("evalsuite.engines.vllm.VllmEngine", lambda *_: FakeEngine())


def assert_refused(ended: Output, said: str) -> None:
    lines = ended.err.splitlines()
    assert ended.code == 2
    assert len(lines) == 1
    assert lines[0].startswith("evalsuite: ")
    assert said in lines[0]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--tasks", "demo_numbr"), "no task named 'demo_numbr' (near: demo_number"),
        (("--tasks", ""), "names no task"),
        (("--suite", "dmo"), "no suite named 'dmo' (near: demo"),
        (("--prompt", "boxd"), "no prompt format named 'boxd' (nearest: boxed"),
        (("--suite", "demo", "--tasks", "demo_qa"), "name one of them"),
        (("--tasks", "nq_open"), "`evalsuite data fetch --tasks nq_open --data-dir DIR` fetches it"),
        (("--tasks", "demo_qa", "--prompt", "choice_letter"), "demo_qa asks for qa"),
        (("--temperature", "0", "--samples", "2"), "greedy answers are all the same"),
        (("--temperature", "-1"), "--temperature"),
        (("--temperature", "nan"), "--temperature"),
        (("--top-p", "0"), "--top-p"),
        (("--limit", "0"), "--limit"),
        (("--samples", "many"), "--samples"),
        (("--max-tokens", "4096"), "leaves no room for a prompt"),
        (("--max-model-len", "100", "--max-tokens", "200"), "leaves no room for a prompt"),
        (("--engine-arg", "seed"), "--engine-arg seed: write it as NAME=VALUE"),
        (("--engine-arg", "a=["), "--engine-arg a=[: the value is not valid YAML"),
        (("--include", "nowhere"), "nowhere: no such folder"),
        (("--no-such-option",), "--no-such-option"),
        (("one-more",), "one-more"),
    ],
)
def test_eval_refuses(tiny: Path, tmp_path: Path, arguments: tuple[str, ...], said: str) -> None:
    assert_refused(run_cli("eval", tiny, *arguments), said)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("lacks", "said"),
    [("config.json", "no config.json"), ("model.safetensors", "no weights"), ("tokenizer.json", "no tokenizer")],
)
def test_a_folder_that_is_no_checkpoint(tmp_path: Path, lacks: str, said: str) -> None:
    folder = make_checkpoint(tmp_path / "mine")
    (folder / lacks).unlink()
    assert_refused(run_cli("eval", folder), f"{folder}: {said}")
    assert_refused(run_cli("eval", "./nowhere"), "./nowhere: no such folder")


def test_broken_files_are_named_with_their_line(tiny: Path, tmp_path: Path) -> None:
    (tmp_path / "own.yaml").write_text("task: own\nmetadata: [\n")
    assert_refused(run_cli("eval", tiny, "--include", tmp_path), "own.yaml, line 3: ")
    (tmp_path / "own.yaml").rename(tmp_path / "own.txt")
    (tmp_path / "own.jinja").write_text("---\nabout: own\nanswer: free\n---\n{% block user %}\n{{ }}\n{% endblock %}")
    for command in (["eval", tiny], ["prompts"]):
        assert_refused(run_cli(*command, "--include", tmp_path), "own.jinja: line 6: ")


def test_a_folder_that_holds_another_run(tiny: Path, run_folder: Path) -> None:
    before = {file.name: file.stat().st_mtime_ns for file in run_folder.iterdir()}
    settings = ["--tasks", "demo_number,demo_arithmetic", "--limit", 6, "--samples", 4, "--max-tokens", 64]
    ended = run_cli("eval", tiny, *settings, "--out", run_folder)
    assert_refused(ended, f"{run_folder}: holds another run (demo_number: n_items is 5 there, 6 here)")
    assert {file.name: file.stat().st_mtime_ns for file in run_folder.iterdir()} == before


def test_a_folder_that_holds_something_else(tiny: Path, tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text("{}")
    assert_refused(run_cli("eval", tiny, "--suite", "demo", "--out", tmp_path), "not written by evalsuite")


def test_a_full_disk(tiny: Path, tmp_path: Path) -> None:
    command = ["eval", tiny, "--tasks", "demo_number", "--limit", 2, "--out", tmp_path / "run", "--no-mlflow"]
    assert run_cli(*command).code == 0
    rollouts = tmp_path / "run" / "rollouts.jsonl"
    rollouts.unlink()
    rollouts.symlink_to("/dev/full")
    ended = run_cli(*command)
    assert ended.code == 2
    assert ended.err.splitlines()[-1].startswith(f"evalsuite: {rollouts}: the disk is full: free some space")
    rollouts.unlink()
    assert run_cli(*command).code == 0


@pytest.mark.parametrize(
    ("k", "said"),
    [
        ("5", "pass@5 of demo_number is undefined: it needs 1 <= k <= n, and an item has n = 4 samples"),
        ("1,8", "pass@8"),
        ("0", "pass@0 is undefined: k starts at 1"),
        ("-1", "pass@-1 is undefined: k starts at 1"),
        ("two", "--k two: write whole numbers"),
        ("", "write whole numbers"),
    ],
)
def test_a_k_that_has_no_pass_at_k(run_folder: Path, k: str, said: str) -> None:
    assert_refused(run_cli("passk", run_folder, "--k", k), said)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("RUN", "--cover", "0"), "--cover 0: a share of right samples lies above 0 and up to 1"),
        (("RUN", "--cover", "half"), "--cover half"),
        (("RUN", "--plot", "curves.gif"), "--plot curves.gif: a picture ends in .png, .svg, .pdf"),
        (("RUN", "--plot", "nowhere/curves.png"), "there is no folder nowhere"),
        (("RUN", "RUN"), "named twice"),
        (("RUN", "missing.jsonl"), "missing.jsonl: cannot be read (No such file or directory)"),
        (("counts.jsonl", "--maj"), "--maj: counts.jsonl holds counts alone"),
        (("counts.jsonl", "others.jsonl"), "2 items against 2, 2 of them on one side only (b, c)"),
        (("counts.jsonl", "more.jsonl"), "more.jsonl, line 1: c = 5 right of n = 4 samples is not possible"),
    ],
)
def test_curves_that_cannot_be(run_folder: Path, tmp_path: Path, monkeypatch, arguments, said: str) -> None:
    monkeypatch.chdir(tmp_path)
    for name, other, right in (("counts", "b", 1), ("others", "c", 1), ("more", "b", 5)):
        lines = [{"item": item, "n": 4, "c": right, "task": "t"} for item in ("a", other)]
        Path(f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert_refused(run_cli("passk", *(run_folder if one == "RUN" else one for one in arguments)), said)


@pytest.mark.parametrize(
    ("limits", "said"),
    [
        ("65", "demo_number was run with at most 64 tokens, which says nothing of 65: ask for 1 to 64"),
        ("16,0", "says nothing of 0"),
        ("few", "--max-tokens few: write whole numbers"),
    ],
)
def test_a_token_limit_that_a_run_does_not_reach(run_folder: Path, limits: str, said: str) -> None:
    assert_refused(run_cli("table", run_folder, "--max-tokens", limits), said)


def test_a_run_of_another_version(run_folder: Path, tmp_path: Path) -> None:
    manifest = (run_folder / "run.json").read_text()
    (tmp_path / "run.json").write_text(manifest.replace('"format": 3', '"format": 1'))
    assert_refused(run_cli("table", tmp_path), "written by another version of evalsuite (format 1)")


@pytest.mark.parametrize("command", ["table", "passk", "grade", "track"])
def test_commands_over_runs_need_one(tmp_path: Path, command: str) -> None:
    assert_refused(run_cli(command, "nowhere"), "nowhere: no run here (no run.json)")
    assert not list(tmp_path.iterdir())
    assert_refused(run_cli(command), "RUN")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("tasks", "gms8k"), "no task named 'gms8k' (near: gsm8k"),
        (("tasks", "demo_qa", "--item", "zzz"), "demo_qa has no item 'zzz'"),
        (("tasks", "--suite", "avg"), "no suite named 'avg' (near: avg"),
        (("prompts", "boxd"), "(nearest: boxed"),
        (("prompts", "--task", "demo_qa"), "name the prompt format too"),
        (("prompts", "bare", "--task", "demo_qa"), "name the model too, with --checkpoint"),
        (("prompts", "bare", "--item", "0"), "name it with --task"),
        (("data", "fetch", "--tasks", "gsm8k"), "--data-dir DIR or EVALSUITE_DATA"),
        (("data", "verify", "--tasks", "nq_open"), "`evalsuite data fetch --tasks nq_open"),
        (("data", "status", "--tasks", "gms8k"), "(near: gsm8k"),
        (("sing",), "No such command 'sing'"),
    ],
)
def test_other_commands_refuse(arguments: tuple[str, ...], said: str) -> None:
    assert_refused(run_cli(*arguments), said)


def test_gated_items_are_not_shown(tiny: Path, tmp_path: Path) -> None:
    write_task(tmp_path, "secret", [{"question": "What is xyzzy?", "answer": "1"}], gated=True)
    where = ["--include", tmp_path, "--data-dir", tmp_path / "data"]
    shown = run_cli("tasks", "secret", *where)
    assert shown.code == 0
    assert "its items are gated" in shown.out
    refused = run_cli("prompts", "bare", "--task", "secret", "--checkpoint", tiny, *where)
    assert_refused(refused, "secret is gated: its items are not shown")
    as_json = run_cli("tasks", "secret", *where, "--json")
    assert "xyzzy" not in shown.out + refused.out + as_json.out


def test_square_brackets_in_a_users_file_are_text(tmp_path: Path) -> None:
    write_task(tmp_path, "own", sums(1), title="A [red]B[/nothing] C", licence="[x]", about="see [1], [b]")
    where = ["--include", tmp_path, "--data-dir", tmp_path / "data"]
    assert "A [red]B[/nothing] C" in run_cli("tasks", "--tasks", "own", *where).out
    assert "see [1], [b]" in run_cli("tasks", "own", *where).out
    assert "[x]" in run_cli("data", "status", "--tasks", "own", *where).out
