"""What commands print: one JSON object with --json, tables that fit 80 columns, and help at once."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from evalsuite.catalog.index import Catalog
from evalsuite.catalog.prompts import load_prompts
from tests.support.command import run_cli
from tests.support.own_task import sums, write_task

HEAVY = ("torch", "vllm", "lm_eval", "pydantic", "datasets", "transformers", "mlflow", "numpy", "scipy", "jinja2")


def as_json(*arguments: object) -> Any:
    ended = run_cli(*arguments, "--json")
    assert ended.code == 0
    content = json.loads(ended.out)
    assert isinstance(content, dict)
    return content


def test_tasks_as_json() -> None:
    content = as_json("tasks", "--suite", "demo")
    assert len(content["tasks"]) == 6
    assert "avg8" in content["suites"]
    one = as_json("tasks", "demo_choice4")
    assert one["task"]["name"] == one["item"]["task"] == "demo_choice4"
    assert len(one["item"]["options"]) == 4


def test_prompts_as_json(tiny: Path) -> None:
    assert as_json("prompts")["prompts"].keys() == load_prompts().keys()
    assert as_json("prompts", "few_shot")["shots"] == 4
    exact = as_json("prompts", "bare", "--task", "demo_number", "--checkpoint", tiny)
    assert exact["text"].startswith("<|user|>")
    assert exact["text"].endswith("<|end|><|assistant|>")
    same = as_json("prompts", "bare", "--task", "demo_number", "--checkpoint", tiny, "--item", exact["item"][:6])
    assert same == exact


def test_data_status_as_json() -> None:
    content = as_json("data", "status", "--suite", "demo")
    assert {report["from"] for report in content["tasks"]} == {"shipped"}


def test_tables_of_a_run_as_json(run_folder: Path) -> None:
    (from_table,) = as_json("table", run_folder)["runs"]
    from_grade = as_json("grade", run_folder)
    assert from_table == from_grade
    assert [(row["task"], row["items"], row["samples"]) for row in from_grade["tasks"]] == [
        ("demo_number", 5, 4),
        ("demo_arithmetic", 5, 4),
    ]
    rows = as_json("passk", run_folder)["rows"]
    assert [(row["task"], row["k"]) for row in rows] == [
        (task, k) for task in ("demo_number", "demo_arithmetic") for k in (1, 2, 4)
    ]
    assert [row["k"] for row in as_json("passk", run_folder, "--k", "3,1")["rows"]] == [3, 1, 3, 1]
    accuracies = [row["accuracy"]["value"] for row in from_table["tasks"]]
    assert [row["estimate"]["value"] for row in rows if row["k"] == 1] == pytest.approx(accuracies)


def test_a_run_is_a_table_for_people_and_markdown_for_readmes(run_folder: Path) -> None:
    for command in ("table", "grade", "passk"):
        assert "demo_arithmetic" in run_cli(command, run_folder).out
    assert "| demo_arithmetic |" in run_cli("table", run_folder, "--format", "md").out


def test_a_run_under_smaller_limits_has_a_row_for_each(run_folder: Path) -> None:
    (run,) = as_json("table", run_folder, "--max-tokens", "64,8")["runs"]
    rows = [(row["task"], row["max_tokens"], row["cut_off"]) for row in run["tasks"]]
    assert rows == [(task, n, c) for task in ("demo_number", "demo_arithmetic") for n, c in ((64, 0.0), (8, 1.0))]
    assert run["tasks"][1]["accuracy"]["value"] == 0, "every box comes behind the eighth token"
    (whole,) = as_json("table", run_folder)["runs"]
    assert run["tasks"][::2] == whole["tasks"]
    shown = run_cli("table", run_folder, "--max-tokens", "64,8")
    assert ["demo_number", "8", "0.0"] in [line.split()[:3] for line in shown.out.splitlines()]


def test_the_exact_prompt_is_printed(tiny: Path) -> None:
    shown = run_cli("prompts", "bare", "--task", "demo_number", "--checkpoint", tiny)
    exact = as_json("prompts", "bare", "--task", "demo_number", "--checkpoint", tiny)
    assert exact["text"] in shown.out
    assert str(exact["token_ids"]) in shown.out


def test_lists_fit_80_columns(mirror: Path) -> None:
    catalog = Catalog()
    tasks, status, prompts = (
        run_cli(*command).out for command in (["tasks"], ["data", "status", "--data-dir", mirror], ["prompts"])
    )
    assert all(len(line) <= 80 for output in (tasks, status, prompts) for line in output.splitlines())
    assert "…" not in tasks + status
    assert str(mirror) not in status  # files are named as they are called in the mirror
    for name, task in catalog.tasks.items():
        (line,) = (line for line in tasks.splitlines() if line.startswith(f"{name} "))
        assert task.title in line
        assert any(line.startswith(f"{name} ") and f" {task.items:,} " in line for line in status.splitlines())
    for name, prompt in load_prompts().items():
        assert any(
            line.startswith(f"{name} ")
            and f" {prompt.head.answer} " in line
            and f" {prompt.head.chat_template} " in line
            for line in prompts.splitlines()
        )


def test_a_sum_to_pin_is_one_whole_line(tmp_path: Path) -> None:
    write_task(tmp_path, "own", sums(1, 2))
    where = ["--tasks", "own", "--include", tmp_path, "--data-dir", tmp_path / "data"]
    (report,) = as_json("data", "verify", *where)["tasks"]
    assert f"  sha256: {report['sha256']}" in run_cli("data", "verify", *where).out.splitlines()


def test_help_imports_nothing_heavy() -> None:
    script = (
        "import sys\nfrom evalsuite.cli.main import main\nsys.argv = ['evalsuite', '--help']\n"
        f"try: main()\nexcept SystemExit as end: sys.exit(str(sorted(set({HEAVY}) & set(sys.modules))))"
    )
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert "passk" in ended.stdout
    assert ended.stderr == "[]\n"


def test_help_is_there_at_once() -> None:
    took = []
    for _ in range(3):
        began = time.perf_counter()
        subprocess.run([Path(sys.executable).with_name("evalsuite"), "--help"], capture_output=True, check=True)
        took.append(time.perf_counter() - began)
    assert min(took) < 0.5


@pytest.mark.parametrize("arguments", [["--help"], ["-h"], ["eval", "--help"], ["data", "verify", "-h"]])
def test_help_is_no_error(arguments: list[str]) -> None:
    ended = run_cli(*arguments)
    assert (ended.code, ended.err) == (0, "")
    assert "Usage: evalsuite" in ended.out


def test_nothing_asked_is_answered_with_the_help() -> None:
    ended = run_cli()
    assert ended.code == 2
    assert "Usage: evalsuite" in ended.out + ended.err


def test_a_reader_that_goes_away_is_no_error_worth_a_word() -> None:
    script = "import sys; from evalsuite.cli.main import main; sys.argv = ['evalsuite', 'prompts', '--json']; main()"
    read, write = os.pipe()
    os.close(read)
    ended = subprocess.run([sys.executable, "-c", script], stdout=write, stderr=subprocess.PIPE, text=True, check=False)
    os.close(write)
    assert ended.stderr == ""
