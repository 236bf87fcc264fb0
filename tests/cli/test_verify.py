"""`evalsuite baseline verify`: whatever is touched is found."""

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from evalsuite.rollouts import store
from tests.support.lab import Lab, records
from tests.support.sealed_files import edit, edit_line, put, rollouts_in

ANSWER = re.compile(r"The answer is (\d+)\.")


def test_an_untouched_file_is_verified_and_nothing_is_asked(copy: tuple[Lab, Path], content: Any) -> None:
    lab, file = copy
    stands_on = f"{rollouts_in(content)} rollouts, each graded again; seal {content['seal']}"
    assert lab.done("baseline", "verify", file).out == f"verified: {file} follows from its {stands_on}\n"
    told = lab.json("baseline", "verify", file)
    assert told == {"file": str(file), "seal_intact": True, "differences": [], "verified": True}
    assert lab.zoo.engines == []


SUMS, PLAIN_TASK = "models[0].tasks.sums", "models[0].tasks.plain"


@pytest.mark.parametrize(
    ("field", "value", "found"),
    [
        (f"{SUMS}.accuracy.value", 0.5, "0.666"),
        (f"{SUMS}.chosen[0].prompt", "bare", '"boxed"'),
        (f"{SUMS}.optimism", 0.1, "0.0"),
        (f"{SUMS}.dropped", 0, "2"),
        (f"{PLAIN_TASK}.accuracy.low", 0.5, "0.423"),
        (f"{PLAIN_TASK}.strict.high", 0.5, "0.113"),
        (f"{PLAIN_TASK}.chosen[3].chat", False, "true"),
        (f"{PLAIN_TASK}.choice.folds", 10, "5"),
        (f"{PLAIN_TASK}.choice.note", "", '"it has no dev source'),
        ("models[0].average.value", 0.5, "0.633"),
        ("models[0].sweep.complete", False, "true"),
        ("models[0].sweep.tokens", 9, "3384"),
        ("models[0].scored.rollouts_sha256", "0" * 16, '"'),
        ("models[0].checkpoint_sha256", "0" * 64, '"'),
        ("models[0].treatment.context", 9, "4096"),
        ("grid.prompts", ["boxed"], '["answer_line", "boxed"]'),
        ("grid.max_tokens[1]", 32, "12"),
        ("samples", 8, "1"),
        ("budget", 10**6, "null"),
        ("seed", 3, "0"),
        ("suite", "avg8", "null"),
    ],
)
def test_verify_names_the_field_that_was_edited(copy: tuple[Lab, Path], field: str, value: Any, found: str) -> None:
    lab, file = copy
    path = [int(step) if step.isdigit() else step for step in re.findall(r"\w+", field)]
    edit(file, put(*path, value=value))
    stated = json.dumps(value)
    said = f"{field}: the file says {stated if len(stated) <= 60 else stated[:57]}"
    line = lab.refused(said, "baseline", "verify", file)
    assert line.startswith(f"evalsuite: {file}: {said}")
    assert f", the rollouts say {found}" in line


@pytest.mark.parametrize("field", ["created", "command", "evalsuite", "seal"])
def test_verify_finds_an_edit_that_no_rollout_can_confirm(copy: tuple[Lab, Path], field: str) -> None:
    lab, file = copy
    edit(file, put(field, value="other"))
    said = f"{file}: a field that no rollout can confirm was changed after sealing (created, command, evalsuite"
    lab.refused(said, "baseline", "verify", file)


def test_a_forger_who_seals_again_is_found_by_the_rollouts(copy: tuple[Lab, Path]) -> None:
    lab, file = copy
    edit(file, put("models", 0, "tasks", "sums", "accuracy", "value", value=0.5), reseal=True)
    lab.refused("models[0].tasks.sums.accuracy.value: the file says 0.5", "baseline", "verify", file)


def test_all_differences_are_listed_as_json(copy: tuple[Lab, Path]) -> None:
    lab, file = copy
    edit(file, put("models", 0, "tasks", "sums", "accuracy", "value", value=0.5))
    edit(file, put("models", 0, "tasks", "plain", "dropped", value=1))
    edit(file, lambda content: content.update(extra=1))
    ended = lab.run("baseline", "verify", file, "--json")
    told = json.loads(ended.out)
    assert ended.code == 2
    assert "; and 1 more fields (--json lists them)" in ended.err
    assert (told["verified"], told["seal_intact"]) == (False, False)
    assert [line.split(":")[0] for line in told["differences"]] == [
        "models[0].tasks.sums.accuracy.value",
        "models[0].tasks.plain.dropped",
    ]


@pytest.mark.parametrize("part", ["sweep", "scored"])
def test_verify_finds_an_edited_verdict(copy: tuple[Lab, Path], content: Any, part: str) -> None:
    lab, file = copy
    folder = lab.here / "results" / "runs" / content["models"][0][part]["run"]
    (verdicts,) = (folder / store.VERDICTS).glob("*.jsonl")
    wrong = next(number for number, line in enumerate(records(verdicts)) if not line["correct"])
    edit_line(verdicts, wrong, lambda line: line.update(correct=True))
    item = records(verdicts)[wrong]["item"]
    said = f"1 stored verdicts are not what the grader says, the first of item {item}, sample 0"
    assert "delete" in lab.refused(said, "baseline", "verify", file)
    shutil.rmtree(folder / store.VERDICTS)
    assert lab.done("baseline", "verify", file).out.startswith("verified: ")


@pytest.mark.parametrize("part", ["sweep", "scored"])
@pytest.mark.parametrize("number", [0, -1])
def test_verify_finds_an_edited_rollout(copy: tuple[Lab, Path], content: Any, part: str, number: int) -> None:
    """The answer stays what it was, so that every verdict still fits."""
    lab, file = copy
    folder = lab.here / "results" / "runs" / content["models"][0][part]["run"]
    edit_line(folder / store.ROLLOUTS, number, lambda line: line.update(text=f"Well. {line['text']}"))
    lab.refused(f"models[0].{part}.rollouts_sha256: the file says", "baseline", "verify", file)


def test_verify_finds_a_rollout_that_is_gone(copy: tuple[Lab, Path], content: Any) -> None:
    lab, file = copy
    rollouts = lab.here / "results" / "runs" / content["models"][0]["scored"]["run"] / store.ROLLOUTS
    lines = rollouts.read_text().splitlines(keepends=True)
    rollouts.write_text("".join(lines[:-1]))
    lab.refused("models[0].scored.rollouts: the file says 60, the rollouts say 59", "baseline", "verify", file)


def test_verify_without_the_checkpoint_says_what_it_needs(copy: tuple[Lab, Path], content: Any) -> None:
    lab, file = copy
    manifest = lab.here / "results" / "runs" / content["models"][0]["sweep"]["run"] / store.MANIFEST
    edit(manifest, put("checkpoint", "path", value="/moved/away"))
    lab.refused("/moved/away: no such folder: the checkpoint's tokenizer is needed", "baseline", "verify", file)


@pytest.mark.parametrize("part", ["sweep", "scored"])
def test_verify_names_a_run_folder_that_is_not_here(copy: tuple[Lab, Path], content: Any, part: str) -> None:
    lab, file = copy
    folder = lab.here / "results" / "runs" / content["models"][0][part]["run"]
    shutil.rmtree(folder)
    said = f"{file}: its rollouts are not here: no folder {folder}; copy it there"
    lab.refused(said, "baseline", "verify", file)


def test_verify_by_another_grader_is_refused(copy: tuple[Lab, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    lab, file = copy
    monkeypatch.setattr("evalsuite.cli.verifying.grader_hash", lambda: "a-better-grader")
    lab.refused("and this evalsuite has a-better-grader: verify it with the version", "baseline", "verify", file)


@pytest.mark.parametrize(
    ("written", "said"),
    [
        (None, "no such file: `evalsuite baseline CHECKPOINT` makes one"),
        ("{", "not a baseline file (Expecting property name"),
        ("[]", "not a baseline file: "),
        ("{}", "not a baseline file: "),
        ('{"models": [], "grid": {}, "seal": "", "format": 9}', "written by another version of evalsuite (format 9)"),
        ("\xff", "not a baseline file ("),
    ],
)
def test_files_that_are_no_baseline(lab: Lab, tmp_path: Path, written: str | None, said: str) -> None:
    file = tmp_path / "mine.json"
    if written is not None:
        file.write_bytes(written.encode("latin-1"))
    for command in (
        ("baseline", "verify", file),
        lab.baseline("start", options=["--against", file], tasks=None),
        lab.compare(file, file),
    ):
        assert lab.refused(said, *command).startswith(f"evalsuite: {file}: ")
