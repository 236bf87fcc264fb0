"""Logs of lm-eval: a real one becomes a run, and a run becomes one and comes back the same."""

import json
from pathlib import Path
from typing import Any

import pytest

from evalsuite.catalog.paths import shipped
from evalsuite.evaluate.run import Run, load_run
from evalsuite.rollouts.record import FinishReason
from tests.cli.test_bad_input import assert_refused
from tests.support.command import run_cli

pytestmark = pytest.mark.slow

TASKS = ["demo_number", "demo_qa", "demo_choice4"]


@pytest.fixture(scope="module")
def real_log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What lm-eval itself writes of three demo tasks, answered by a rule."""
    from lm_eval import simple_evaluate
    from lm_eval.loggers import EvaluationTracker
    from lm_eval.models.dummy import DummyLM
    from lm_eval.tasks import TaskManager

    class Rule(DummyLM):
        tokenizer = None

        def generate_until(self, requests: list[Any], disable_tqdm: bool = False) -> list[str]:
            answers = {"number": "It is\n#### 15", "qa": "Paris", "choice4": "Answer: A"}
            return [answers[request.task_name.removeprefix("demo_")] for request in requests]

    folder = tmp_path_factory.mktemp("log")
    manager = TaskManager(include_path=str(shipped("tasks")), include_defaults=False)
    tracker = EvaluationTracker(output_path=str(folder))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        results = simple_evaluate(
            Rule(), tasks=TASKS, task_manager=manager, bootstrap_iters=0, log_samples=True, evaluation_tracker=tracker
        )
    samples = results.pop("samples")
    tracker.save_results_aggregated(results=results, samples=samples)
    for task in results["configs"]:
        tracker.save_results_samples(task_name=task, samples=samples[task])
    return folder


def graded(folder: Path) -> Run:
    ended = run_cli("grade", folder, "--json")
    assert ended.code == 0, ended.err
    return load_run(folder)


def test_a_real_log_becomes_a_run(real_log: Path, tmp_path: Path) -> None:
    ended = run_cli("import", "lm-eval", real_log, "--out", tmp_path / "run", "--json")
    assert ended.code == 0, ended.err
    run = graded(tmp_path / "run")
    logged = [json.loads(line) for path in real_log.rglob("samples_*") for line in path.read_text().splitlines()]
    assert len(run.rollouts) == len({row["doc_hash"] for row in logged}) < len(logged)
    for row in (row for row in logged if row["filter"] == "extracted"):
        item = next(item for item in run.items.values() if item.question == row["doc"]["question"])
        (verdict,) = (verdict for key, verdict in run.verdicts.items() if key[1] == item.id)
        assert verdict.correct == bool(row["exact_match"]), row
    rollout = next(iter(run.rollouts.values()))
    assert (rollout.seed, rollout.prompt_tokens, rollout.token_ids) == (None, None, None)
    assert rollout.finish_reason is FinishReason.UNKNOWN
    sampling = run.protocols[0].sampling
    assert (sampling.temperature, sampling.top_p, sampling.max_tokens, sampling.seed) == (0.0, None, 2048, None)


def test_what_is_unknown_is_shown_as_unknown(real_log: Path, tmp_path: Path) -> None:
    run_cli("import", "lm-eval", real_log, "--out", tmp_path / "run")
    graded(tmp_path / "run")
    (summary,) = json.loads(run_cli("table", tmp_path / "run", "--json").out)["runs"]
    assert [row["cut_off"] for row in summary["tasks"]] == [None] * 3
    assert all(row["complete"] and row["done"] == row["items"] > 0 for row in summary["tasks"])
    shown = run_cli("table", tmp_path / "run").out
    assert "–" in shown
    assert "strict takes any" in " ".join(shown.split())
    assert run_cli("passk", tmp_path / "run").code == 0


def test_items_have_the_ids_that_they_have_here(real_log: Path, tmp_path: Path) -> None:
    from evalsuite.catalog.index import Catalog
    from evalsuite.catalog.load import load

    run_cli("import", "lm-eval", real_log, "--out", tmp_path / "run")
    run = load_run(tmp_path / "run")
    for name in TASKS:
        own = {(item.id, item.options, item.gold) for item in load(Catalog().task(name), None).items}
        assert {(item.id, item.options, item.gold) for item in run.items.values() if item.task == name} == own


def outcome(run: Run) -> dict[tuple[str, str, int], tuple[Any, ...]]:
    task_of = {protocol.cell: protocol.task for protocol in run.protocols}
    return {
        (task_of[cell], item, sample): (rollout.text, run.verdicts[cell, item, sample])
        for (cell, item, sample), rollout in run.rollouts.items()
    }


def test_there_and_back(run_folder: Path, tmp_path: Path) -> None:
    exported = json.loads(run_cli("export", "lm-eval", run_folder, "--out", tmp_path / "log", "--json").out)
    assert len(exported["files"]) == 3
    ended = run_cli("import", "lm-eval", tmp_path / "log", "--out", tmp_path / "run")
    assert ended.code == 0, ended.err
    assert outcome(graded(tmp_path / "run")) == outcome(load_run(run_folder))
    assert load_run(tmp_path / "run").manifest["checkpoint"]["name"] == "tiny"


def test_an_export_looks_like_a_log_of_lm_eval(run_folder: Path, real_log: Path, tmp_path: Path) -> None:
    from lm_eval.utils import get_results_filenames, get_sample_results_filenames

    run_cli("export", "lm-eval", run_folder, "--out", tmp_path / "log")
    names = [str(path) for path in (tmp_path / "log").iterdir()]
    assert len(get_results_filenames(names)) == 1
    assert len(get_sample_results_filenames(names)) == 2
    theirs = json.loads(next(real_log.rglob("samples_demo_number*")).read_text().splitlines()[0])
    ours = json.loads(next(tmp_path.rglob("samples_demo_number*")).read_text().splitlines()[0])
    assert ours.keys() == theirs.keys()
    assert ours["arguments"]["gen_args_0"].keys() == theirs["arguments"]["gen_args_0"].keys()
    results = json.loads(next(tmp_path.rglob("results_*")).read_text())["results"]
    (summary,) = json.loads(run_cli("table", run_folder, "--json").out)["runs"]
    for row in summary["tasks"]:
        assert results[row["task"]]["exact_match,evalsuite"] == pytest.approx(row["accuracy"]["value"])


def test_gated_tasks_are_left_out(real_log: Path, tmp_path: Path) -> None:
    run_cli("import", "lm-eval", real_log, "--out", tmp_path / "run")
    graded(tmp_path / "run")
    manifest = json.loads((tmp_path / "run" / "run.json").read_text())
    manifest["tasks"][0]["gated"] = True
    (tmp_path / "run" / "run.json").write_text(json.dumps(manifest))
    ended = run_cli("export", "lm-eval", tmp_path / "run")
    assert "demo_choice4: left out: it is gated" in ended.out
    assert not list((tmp_path / "run" / "lm-eval").glob("*choice4*"))
    assert "Sparrow" not in "".join(path.read_text() for path in (tmp_path / "run" / "lm-eval").iterdir())
    for task in manifest["tasks"]:
        task["gated"] = True
    (tmp_path / "run" / "run.json").write_text(json.dumps(manifest))
    assert_refused(run_cli("export", "lm-eval", tmp_path / "run"), "all of its tasks are gated")


def sample(task: str, folder: Path, **fields: Any) -> None:
    row = {
        "doc_id": 0,
        "doc": {"q": "?"},
        "target": "Long way.\n#### 18",
        "arguments": {"gen_args_0": {"arg_0": "?", "arg_1": {"until": "\n"}}},
        "resps": [["18", "19"]],
        "filter": "none",
        "doc_hash": "x",
    }
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / f"samples_{task}_2026-01-02T03-04-05.678.jsonl").open("a") as file:
        file.write(json.dumps(row | fields) + "\n")


def test_a_task_that_is_not_ours_needs_a_kind(tmp_path: Path) -> None:
    sample("theirs", tmp_path / "log", resps=[["\ud800 The answer is 18.", "19"]])
    sample("theirs", tmp_path / "log")  # an equal document is another one, another filter is not
    sample("theirs", tmp_path / "log", filter="other", doc_id=9)
    assert_refused(run_cli("import", "lm-eval", tmp_path / "log"), "theirs: no task of evalsuite's: say with --kind")
    assert [path.name for path in tmp_path.iterdir()] == ["log"]
    ended = run_cli("import", "lm-eval", tmp_path / "log", "--kind", "number", "--out", tmp_path / "run")
    assert ended.code == 0, ended.err
    run = graded(tmp_path / "run")
    assert [len(run.items), len(run.rollouts)] == [2, 4]
    assert [verdict.correct for verdict in run.verdicts.values()] == [True, False] * 2
    (protocol,) = run.protocols
    assert (protocol.stop, protocol.sampling.temperature, protocol.sampling.max_tokens) == (("\n",), None, None)


def test_what_is_no_log_is_refused(tmp_path: Path) -> None:
    def refused(folder: str, said: str) -> None:
        assert_refused(run_cli("import", "lm-eval", tmp_path / folder, "--kind", "number"), said)

    refused("nowhere", "nowhere: no such folder")
    (tmp_path / "empty").mkdir()
    refused("empty", "no samples_TASK_TIME.jsonl there")
    sample("one", tmp_path / "models" / "a")
    sample("one", tmp_path / "models" / "b")
    refused("models", "logs of several models (a, b, …)")
    sample("likelihood", tmp_path / "likelihood", resps=[[[-1.5, False]], [[-2.5, False]]])
    refused("likelihood", "row 1: likelihoods, not texts")
    sample("odd", tmp_path / "odd", arguments=[])
    refused("odd", "row 1 is no sample of lm-eval")
    sample("damaged", tmp_path / "damaged")
    next((tmp_path / "damaged").iterdir()).write_text("no JSON\n")
    refused("damaged", "line 1 is damaged")
    sample("used", tmp_path / "used")
    ended = run_cli("import", "lm-eval", tmp_path / "used", "--kind", "number", "--out", tmp_path / "used")
    assert_refused(ended, "is not empty: name another folder with --out")
