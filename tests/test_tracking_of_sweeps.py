"""Sweeps, sealed baselines and comparisons in MLflow, from the command to the store and back."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from mlflow import MlflowClient
from mlflow.entities import Run

from evalsuite.catalog.checkpoint import load_tokenizer
from evalsuite.engines.base import Request
from tests.support.command import Output, run_cli
from tests.support.fake_engine import FakeEngine
from tests.support.own_task import write_task
from tests.support.tiny import make_checkpoint

pytestmark = pytest.mark.slow

SECRET = "xyzzy"
ITEMS = 12
WHERE = ["--include", ".", "--data-dir", "data"]
GRID = [
    *["--tasks", "secret,demo_choice4", "--prompts", "boxed,choice_letter", "--temperatures", "0.6,1"],
    *["--max-tokens", "16,64", "--chat-template", "on", "--limit", ITEMS, "--samples", 2, *WHERE],
]
SETTINGS = {"prompt", "chat", "shots", "temperature", "top_p", "max_tokens", "parser"}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory, tiny: Path) -> Iterator[Path]:
    """The folder in which all commands of this file are given; the model says again what it is asked."""
    folder = tmp_path_factory.mktemp("tracking")
    sums = [{"question": f"What is one {SECRET} plus {n}?", "answer": str(n % 3)} for n in range(ITEMS)]
    dev = [{"question": f"What is two {SECRET}?", "answer": "2"}]  # too few to choose on
    write_task(folder, "secret", sums, dev, gated=True)
    tokenizer = load_tokenizer(tiny)

    def repeat(request: Request) -> str:
        return f"\\boxed{{{(request.seed or 0) % 3}}} to {tokenizer.decode(request.prompt_ids)}"

    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("COLUMNS", "80")
        patch.delenv("MLFLOW_TRACKING_URI", raising=False)
        patch.setattr("evalsuite.engines.vllm.VllmEngine", lambda *_: FakeEngine(repeat))
        yield folder


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = make_checkpoint(tmp_path_factory.mktemp("checkpoints") / "trained")
    (folder / "model.safetensors").write_bytes(b"other weights")
    return folder


@pytest.fixture(scope="module")
def halted(place: Path, tiny: Path) -> Path:
    """A sweep that was logged half-way: its engine died."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("evalsuite.engines.vllm.VllmEngine", lambda *_: FakeEngine(lambda _: "so it is", dies_after=30))
        assert run_cli("sweep", tiny, *GRID, "--seed", 7).code == 1
    (folder,) = (place / "results" / "runs").glob("*-sweep-*")
    assert run_cli("track", folder).code == 0
    return folder


@pytest.fixture(scope="module")
def swept(place: Path, tiny: Path, halted: Path) -> tuple[Path, Output]:
    before = set((place / "results" / "runs").iterdir())
    ended = run_cli("sweep", tiny, *GRID)
    assert ended.code == 0, ended.err
    (folder,) = set((place / "results" / "runs").iterdir()) - before
    return folder, ended


@pytest.fixture(scope="module")
def sealed(place: Path, tiny: Path, trained: Path, swept: tuple[Path, Output]) -> tuple[Path, Path]:
    """A starting model's sealed file, and that of a trained one."""
    assert run_cli("baseline", tiny, *GRID).code == 0
    (start,) = (place / "results" / "baselines").glob("*.json")
    ended = run_cli("baseline", trained, "--against", start, *WHERE)
    assert ended.code == 0, ended.err
    (other,) = set((place / "results" / "baselines").glob("*.json")) - {start}
    return start.relative_to(place), other.relative_to(place)


def store(place: Path) -> MlflowClient:
    return MlflowClient(tracking_uri=f"sqlite:///{place / 'results' / 'mlflow.db'}")


def logged(place: Path, experiment: str, filter_string: str = "") -> list[Run]:
    client = store(place)
    found = client.get_experiment_by_name(experiment)
    return list(client.search_runs([found.experiment_id], filter_string)) if found else []


def run_of(place: Path, note: Path) -> Run:
    state = json.loads(note.read_text())
    assert state["state"] == "logged"
    return store(place).get_run(state["mlflow_run_id"])


def children(place: Path, parent: Run, experiment: str = "tasks-sweep") -> list[Run]:
    return logged(place, experiment, f"tags.`mlflow.parentRunId` = '{parent.info.run_id}'")


def test_each_setting_is_a_child_run(place: Path, swept: tuple[Path, Output]) -> None:
    folder, ended = swept
    assert "mlflow ui --backend-store-uri sqlite:///results/mlflow.db" in ended.err
    parent = run_of(place, folder / "tracking.json")
    found = children(place, parent)
    # Two prompts, two temperatures, two limits, two parsers.
    assert len({tuple(sorted(run.data.params.items())) for run in found}) == len(found) == 16
    assert all(run.data.params.keys() == SETTINGS and run.info.status == "FINISHED" for run in found)
    assert {run.data.params["chat"] for run in found} == {"on"}
    assert {run.data.params["max_tokens"] for run in found} == {"16", "64"}
    for run in found:
        numbers = run.data.metrics
        number_too = run.data.params["prompt"] == "boxed"
        assert ("secret.accuracy" in numbers) == ("accuracy" in numbers) == number_too
        assert numbers["demo_choice4.accuracy_low"] <= numbers["demo_choice4.accuracy"]
        assert numbers["demo_choice4.accuracy"] <= numbers["demo_choice4.accuracy_high"]
        assert 0 < numbers["demo_choice4.items"] <= ITEMS
        assert numbers["demo_choice4.tokens"] > 0
        if number_too:
            assert numbers["accuracy"] == pytest.approx(
                (numbers["secret.accuracy"] + numbers["demo_choice4.accuracy"]) / 2
            )
    assert any("secret" in run.data.tags["chosen"] for run in found)


def test_the_parent_says_what_was_offered_and_chosen(place: Path, swept: tuple[Path, Output]) -> None:
    folder, _ = swept
    parent = run_of(place, folder / "tracking.json")
    assert not parent.data.params.keys() & SETTINGS  # MLflow would take a list of limits for one more limit
    assert parent.data.params["grid.max_tokens"] == "64, 16"
    assert parent.data.metrics["tokens"] > 0
    assert "boxed, chat" in parent.data.tags["secret.chosen"]
    assert parent.data.tags["complete"] == "True"
    client = store(place)
    names = {file.path for file in client.list_artifacts(parent.info.run_id)}
    assert {"sweep.json", "table.md", "run.json"} <= names
    assert "| secret | boxed, chat" in parent.data.tags["mlflow.note.content"]


def test_a_sweep_that_goes_on_updates_its_children(place: Path, tiny: Path, halted: Path) -> None:
    parent = run_of(place, halted / "tracking.json")
    before = {run.info.run_id: run.data.metrics for run in children(place, parent)}
    assert (parent.data.tags["complete"], len(before)) == ("False", 16)
    assert any("demo_choice4.accuracy" not in numbers for numbers in before.values())
    assert run_cli("sweep", tiny, *GRID, "--seed", 7).code == 0
    parent = run_of(place, halted / "tracking.json")
    assert parent.data.tags["complete"] == "True"
    after = {run.info.run_id: run.data.metrics for run in children(place, parent)}
    assert after.keys() == before.keys()
    assert all("demo_choice4.accuracy" in numbers for numbers in after.values())


def test_what_is_logged_is_not_logged_again(place: Path, swept: tuple[Path, Output]) -> None:
    folder, _ = swept
    first = run_of(place, folder / "tracking.json")
    told = run_cli("track", folder)
    assert (told.code, told.out) == (0, f"{folder.name}: MLflow run {first.info.run_id}\n")
    # As if MLflow's answer had been lost.
    note = json.loads((folder / "tracking.json").read_text())
    (folder / "tracking.json").write_text(json.dumps({"state": "pending", "uri": note["uri"], "key": note["key"]}))
    ends = {run.info.run_id: run.info.end_time for run in children(place, first)}
    assert run_cli("track", folder).out == told.out
    assert {run.info.run_id: run.info.end_time for run in children(place, first)} == ends


def test_a_sealed_baseline_is_logged_with_its_file(place: Path, sealed: tuple[Path, Path]) -> None:
    file, _ = sealed
    content = json.loads(file.read_text())
    (run,) = logged(place, "tasks", f"tags.seal = '{content['seal']}'")
    entry = content["models"][0]["tasks"]["secret"]
    assert run.data.metrics["secret.accuracy_low"] == entry["accuracy"]["low"]
    assert run.data.metrics["secret.strict"] == entry["strict"]["value"]
    assert run.data.metrics["secret.optimism"] == entry["optimism"]
    assert run.data.metrics["average.accuracy"] == content["models"][0]["average"]["value"]
    assert run.data.params["checkpoint"] == "tiny"
    assert file.name in {artifact.path for artifact in store(place).list_artifacts(run.info.run_id)}
    assert run_cli("track", file).out == f"{file.name}: MLflow run {run.info.run_id}\n"


def test_several_starting_points_have_a_child_each(
    place: Path, tiny: Path, trained: Path, sealed: tuple[Path, Path]
) -> None:
    held = set((place / "results" / "baselines").glob("*.json"))
    assert run_cli("baseline", tiny, trained, *GRID).code == 0
    (file,) = set((place / "results" / "baselines").glob("*.json")) - held
    parent = run_of(place, file.parent / ".tracking" / file.name)
    found = {run.info.run_name: run.data for run in children(place, parent, "tasks")}
    assert found.keys() == {"tiny", "trained"}
    assert {"secret.accuracy", "secret.accuracy_high", "demo_choice4.strict_low"} <= found["trained"].metrics.keys()
    assert not parent.data.metrics


def test_a_comparison_is_logged_whole(place: Path, sealed: tuple[Path, Path]) -> None:
    ended = run_cli("compare", *sealed, "--json")
    assert ended.code == 0
    (told,) = json.loads(ended.out)["comparisons"]
    (folder,) = (place / "results" / "comparisons").iterdir()
    run = run_of(place, folder / "tracking.json")
    gain = told["tasks"][0]["best"]["gain"]
    task = told["tasks"][0]["task"]
    ends = [f"{task}.best.gain", f"{task}.best.gain_low", f"{task}.best.gain_high"]
    assert [run.data.metrics[name] for name in ends] == [gain["value"], gain["low"], gain["high"]]
    assert run.data.metrics["average.naive.gain"] == told["average"]["naive"]["gain"]["value"]
    assert run.data.metrics["average.matched_start.gain"] == told["average"]["matched_start"]["gain"]["value"]
    parts = {name: part["value"] for name, part in told["average"]["parts"].items()}
    assert {name: run.data.metrics[f"average.part.{name}"] for name in parts} == parts
    params = run.data.params
    assert (params["start"], params["trained"], params["naive.parser"]) == ("tiny", "trained", "strict")
    assert params["start.seal"] == json.loads(sealed[0].read_text())["seal"]
    assert params["trained.source"] == sealed[1].name
    assert "unequal" not in run.data.tags
    assert {file.path for file in store(place).list_artifacts(run.info.run_id)} == {"comparison.json", "table.md"}

    assert run_cli("compare", *sealed, "--naive", "temperature=1").code == 0
    assert len(list((place / "results" / "comparisons").iterdir())) == len(logged(place, "tasks-compare")) == 2
    assert run_cli("compare", *sealed).code == 0
    assert len(logged(place, "tasks-compare")) == 2


def test_unequal_effort_stays_on_the_run(place: Path, trained: Path, sealed: tuple[Path, Path]) -> None:
    run_folder = Path("results/runs/by-hand")
    settings = ["--samples", 2, "--max-tokens", 64, "--limit", ITEMS, "--out", run_folder, *WHERE]
    assert run_cli("eval", trained, "--tasks", "secret", *settings, "--no-mlflow").code == 0
    ended = run_cli("compare", sealed[0], run_folder, "--allow-unequal")
    assert ended.code == 0, ended.err
    (run,) = logged(place, "tasks-compare", "tags.unequal LIKE '%chosen from a grid%'")
    assert run.info.run_name == "trained against tiny · UNEQUAL EFFORT"
    assert "unequal: " in run.data.tags["mlflow.note.content"]
    assert run.data.params["trained.source"] == "by-hand"
    assert "trained.seal" not in run.data.params


def test_mlflow_away_leaves_all_for_later(
    place: Path, sealed: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    known = set((place / "results" / "comparisons").glob("*"))
    with monkeypatch.context() as away:
        away.setenv("MLFLOW_TRACKING_URI", "http://127.0.0.1:9")
        ended = run_cli("compare", *sealed, "--naive", "max_tokens=16")
        assert ended.code == 0
        assert "warning: MLflow at http://127.0.0.1:9 did not take the run" in ended.err
    (folder,) = set((place / "results" / "comparisons").glob("*")) - known
    assert f"evalsuite track {folder.relative_to(place)}" in ended.err
    assert json.loads((folder / "tracking.json").read_text())["state"] == "pending"
    told = run_cli("track", folder)
    assert told.out == f"{folder.name}: MLflow run {run_of(place, folder / 'tracking.json').info.run_id}\n"


def test_no_mlflow_leaves_it_out(place: Path, tiny: Path, sealed: tuple[Path, Path]) -> None:
    known = set((place / "results" / "comparisons").glob("*"))
    compared = run_cli("compare", *sealed, "--naive", "prompt=boxed", "--no-mlflow")
    swept = run_cli("sweep", tiny, *GRID, "--seed", 3, "--out", "without", "--no-mlflow")
    assert (compared.code, swept.code) == (0, 0)
    assert "MLflow" not in compared.err + swept.err
    assert set((place / "results" / "comparisons").glob("*")) == known
    assert not (place / "without" / "tracking.json").exists()


def test_gated_text_never_reaches_mlflow(place: Path, sealed: tuple[Path, Path], swept: tuple[Path, Output]) -> None:
    assert run_cli("compare", *sealed).code == 0
    folder, _ = swept
    assert SECRET in (folder / "rollouts.jsonl").read_text()
    artifacts = [path for path in (place / "results" / "mlartifacts").rglob("*") if path.is_file()]
    names = {path.name for path in artifacts}
    assert {"rollouts.jsonl", "sweep.json", "comparison.json", "table.md", sealed[0].name} <= names
    for path in [*artifacts, place / "results" / "mlflow.db"]:
        assert SECRET.encode() not in path.read_bytes(), path.name


@pytest.mark.parametrize("content", [None, "{", "[]", "{}"])
def test_a_folder_that_holds_no_comparison_is_refused_in_one_line(place: Path, content: str | None) -> None:
    folder = place / "damaged"
    folder.mkdir(exist_ok=True)
    if content is not None:
        (folder / "comparison.json").write_text(content)
    told = run_cli("track", folder)
    assert told.code == 2
    assert len(told.err.splitlines()) == 1
    assert str(folder) in told.err
