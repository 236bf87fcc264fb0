"""Against a real SQLite store; the store is made once, as that takes seconds."""

import json
import time
from dataclasses import replace

import pytest
from mlflow import MlflowClient

from evalsuite.catalog.items import AnswerKind
from evalsuite.protocol import Protocol, Sampling
from evalsuite.report.summary import Summary, TaskRow, summarise_suite
from evalsuite.stats.intervals import wilson
from evalsuite.tracking.log import TrackingAwayError
from evalsuite.tracking.log import log as log_record
from evalsuite.tracking.numbers import summary_metrics
from evalsuite.tracking.record import Dataset, Upload
from evalsuite.tracking.run import run_record

SAMPLING = Sampling(temperature=0.6, top_p=0.95, samples=1, max_tokens=64, seed=0)
DATASETS = [Dataset("gsm8k", "d" * 64, "openai/gsm8k"), Dataset("pass@k [odd]", "e" * 64, "here")]


def protocol(task: str, prompt: str = "boxed", **sampling) -> Protocol:
    settings = replace(SAMPLING, **sampling)
    digits = "0" * 64
    return Protocol(
        task,
        "test",
        AnswerKind.NUMBER,
        digits,
        digits,
        8,
        prompt,
        digits,
        "boxed",
        (),
        0,
        None,
        None,
        settings,
        "number-1",
    )


def row(protocol: Protocol, right: int) -> TaskRow:
    score = wilson(right, 8)
    return TaskRow(
        protocol.task, protocol.cell, protocol.prompt, 8, 8, 1, 64,
        8, 8, score, score, None, 0.25, 0.0, 0, 0, 0, False, ()
    )  # fmt: skip


PROTOCOLS = [protocol("gsm8k"), protocol("pass@k [odd]", temperature=0.0)]


def summary(right: int = 2) -> Summary:
    rows = (row(PROTOCOLS[0], right), row(PROTOCOLS[1], 4))
    suite = summarise_suite("avg8", [p.task for p in PROTOCOLS], rows, {})
    return Summary("run-1", "model", rows, suite)


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    return tmp_path_factory.mktemp("results")


@pytest.fixture
def folder(results):
    folder = results / f"run-{len(list(results.glob('run-*')))}"
    (folder / "gsm8k").mkdir(parents=True)
    (folder / "run.json").write_text("{}")
    (folder / "gsm8k" / "rollouts.jsonl").write_text("{}\n")
    return folder


@pytest.fixture(autouse=True)
def _local_store(monkeypatch):
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)


def log(folder, results, content=None, protocols=PROTOCOLS, **tags):
    record = run_record(
        content or summary(),
        protocols,
        experiment="avg8",
        more_tags={"checkpoint": "c0ffee", **tags},
        more_params={"engine": "vllm"},
        artifacts=[Upload(folder / "run.json"), Upload(folder / "gsm8k" / "rollouts.jsonl", "gsm8k")],
        datasets=DATASETS,
    )
    return log_record(record, folder, results)


def store(results) -> MlflowClient:
    return MlflowClient(tracking_uri=f"sqlite:///{results / 'mlflow.db'}")


def runs_named(results, folder):
    client = store(results)
    found = client.search_runs([client.get_experiment_by_name("avg8").experiment_id])
    key = json.loads((folder / "tracking.json").read_text())["key"]
    return [run for run in found if run.data.tags["evalsuite.key"] == key]


def test_everything_reads_back(results, folder, capfd):
    run_id = log(folder, results)
    assert capfd.readouterr() == ("", "")
    run = store(results).get_run(run_id)
    assert (run.info.run_name, run.info.status) == ("run-1", "FINISHED")
    low, high = wilson(2, 8).low, wilson(2, 8).high
    found = run.data.metrics
    assert (found["gsm8k.accuracy"], found["gsm8k.accuracy_low"], found["gsm8k.accuracy_high"]) == (0.25, low, high)
    assert (found["avg8.accuracy"], found["gsm8k.items"], found["gsm8k.cut_off"]) == (0.375, 8, 0.25)
    assert found["pass_at_k__odd_.accuracy"] == 0.5
    params = run.data.params
    assert (params["prompt"], params["gsm8k.temperature"], params["engine"]) == ("boxed", "0.6", "vllm")
    assert "temperature" not in params
    assert run.data.tags["checkpoint"] == "c0ffee"
    assert run.data.tags["gsm8k.protocol"] == PROTOCOLS[0].hash
    datasets = {data.dataset.name: data for data in run.inputs.dataset_inputs}
    assert datasets["gsm8k"].dataset.digest == "d" * 32
    assert {tag.key: tag.value for tag in datasets["gsm8k"].tags}["sha256"] == "d" * 64
    client = store(results)
    assert {file.path for file in client.list_artifacts(run_id)} == {"gsm8k", "run.json", "table.json", "table.md"}
    assert [file.path for file in client.list_artifacts(run_id, "gsm8k")] == ["gsm8k/rollouts.jsonl"]
    assert run.info.artifact_uri.startswith((results / "mlartifacts").as_uri())


def test_the_same_content_is_logged_once(results, folder):
    first = log(folder, results)
    ended = store(results).get_run(first).info.end_time
    assert log(folder, results) == first
    assert store(results).get_run(first).info.end_time == ended
    assert len(runs_named(results, folder)) == 1


def test_changed_content_goes_to_the_same_run(results, folder):
    first = log(folder, results)
    (folder / "gsm8k" / "rollouts.jsonl").write_text("{}\n{}\n")
    resumed = [replace(p, sampling=replace(p.sampling, samples=4)) for p in PROTOCOLS]
    assert log(folder, results, summary(right=6), resumed, regraded="yes") == first
    run = store(results).get_run(first)
    assert run.data.metrics["gsm8k.accuracy"] == 0.75
    assert (run.data.params["samples"], run.data.tags["changed.samples"]) == ("1", "4")
    assert run.data.tags["regraded"] == "yes"
    assert len(run.inputs.dataset_inputs) == 2
    assert len(runs_named(results, folder)) == 1


def test_a_lost_answer_makes_no_second_run(results, folder):
    first = log(folder, results)
    state = json.loads((folder / "tracking.json").read_text())
    (folder / "tracking.json").write_text(json.dumps({"state": "pending", "uri": state["uri"], "key": state["key"]}))
    assert log(folder, results) == first


@pytest.mark.parametrize("uri", ["http://user:secret@127.0.0.1:9", "nonsense://nowhere"])
def test_mlflow_away_costs_nothing(results, folder, monkeypatch, uri):
    monkeypatch.setenv("MLFLOW_TRACKING_URI", uri)
    began = time.monotonic()
    with pytest.raises(TrackingAwayError, match="nothing is lost") as caught:
        log(folder, results)
    assert time.monotonic() - began < 8
    message, state = str(caught.value), (folder / "tracking.json").read_text()
    print(message)
    assert "\n" not in message
    assert "secret" not in message + state
    assert json.loads(state)["state"] == "pending"

    monkeypatch.delenv("MLFLOW_TRACKING_URI")
    run_id = log(folder, results)
    state = json.loads((folder / "tracking.json").read_text())
    assert (state["state"], state["mlflow_run_id"]) == ("logged", run_id)


def test_many_tasks_fit(results, folder):
    protocols = [protocol(f"task{i}", temperature=float(i), seed=i, max_tokens=i + 1) for i in range(60)]
    rows = tuple(row(p, 4) for p in protocols)
    run_id = log(folder, results, Summary("wide", "model", rows, None), protocols)
    assert store(results).get_run(run_id).data.params["task59.temperature"] == "59.0"


def test_one_task_under_several_prompts_and_cells_keeps_its_numbers_apart():
    protocols = [protocol("gsm8k"), protocol("gsm8k", "plain"), protocol("gsm8k", "plain", temperature=0.0)]
    names = summary_metrics(Summary("run-1", "model", tuple(row(p, 4) for p in protocols), None))
    plain = [f"gsm8k.plain.{p.cell[:8]}.accuracy" for p in protocols[1:]]
    assert {name for name in names if name.endswith(".accuracy")} == {"gsm8k.boxed.accuracy", *plain}
