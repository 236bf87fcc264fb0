from pathlib import Path

import pytest

from evalsuite.catalog.index import Catalog
from evalsuite.catalog.paths import shipped
from evalsuite.catalog.pins import pin_file
from evalsuite.errors import RequestError
from tests.catalog.conftest import WriteTask

BENCHMARKS = {
    "gsm8k": 1319,
    "math500": 500,
    "aime24": 30,
    "aime25": 30,
    "aime26": 30,
    "amc": 83,
    "amc23": 40,
    "aqua": 254,
    "sat_math": 220,
    "sat_math_32": 32,
    "mmlu_math": 1064,
    "gpqa_diamond": 198,
    "hmmt_feb25": 30,
    "nq_open": 3610,
    "hotpotqa": 7405,
    "triviaqa": 11313,
    "popqa": 14267,
    "2wikimultihopqa": 12576,
    "musique": 2417,
    "bamboogle": 125,
}


@pytest.mark.parametrize(("name", "items"), BENCHMARKS.items())
def test_benchmarks_state_their_official_size(catalog: Catalog, name: str, items: int) -> None:
    assert catalog.task(name).items == items


def test_a_pin_comes_with_its_list_of_ids(catalog: Catalog) -> None:
    for task in catalog.tasks.values():
        assert (task.sha256 is not None) == pin_file(task).is_file()
        if task.sha256 is not None:
            assert len(pin_file(task).read_text().split()) == task.items


def test_files_name_only_tasks_that_exist_and_agree_on_what_contains_what(catalog: Catalog) -> None:
    for task in catalog.tasks.values():
        assert task.title
        assert task.about
        if task.dev and task.dev.task:
            assert task.dev.task in catalog.tasks
        for part in task.contains:
            assert task.name in catalog.task(part).part_of
        for whole in task.part_of:
            assert task.name in catalog.task(whole).contains


def test_a_choice_has_a_guess_rate(catalog: Catalog) -> None:
    for task in catalog.tasks.values():
        assert (task.kind == "choice") == (task.guess_rate > 0)


def test_unknown_task_offers_the_nearest(catalog: Catalog) -> None:
    with pytest.raises(RequestError, match=r"no task named 'gms8k' \(near: gsm8k"):
        catalog.task("gms8k")


def test_unknown_metadata_key_is_named_with_its_file(write_task: WriteTask, tmp_path: Path) -> None:
    with pytest.raises(RequestError, match=r"own\.yaml: unknown key `guess` under `metadata:`; known are .*guess_rate"):
        write_task({"guess": 0.2})


def test_wrong_metadata_value_is_named_with_its_file(write_task: WriteTask) -> None:
    with pytest.raises(RequestError, match=r"own\.yaml: `metadata: kind`"):
        write_task({"kind": "essay"})


def test_options_belong_to_choices(write_task: WriteTask) -> None:
    with pytest.raises(RequestError, match=r"own\.yaml: .*`options` names the column"):
        write_task({"kind": "choice"})


def test_broken_yaml_is_named_with_file_and_line(tmp_path: Path) -> None:
    (tmp_path / "broken.yaml").write_text("task: broken\nmetadata:\n  kind: [number\n  items: 3\n")
    with pytest.raises(RequestError, match=r"broken\.yaml, line 4: "):
        Catalog([tmp_path]).task("broken")


def test_broken_include_is_named_with_file_and_line(tmp_path: Path) -> None:
    (tmp_path / "_base").write_text("a: 1\nb: : 2\n")
    (tmp_path / "own.yaml").write_text("include: _base\ntask: own\n")
    with pytest.raises(RequestError, match=r"_base, line 2: "):
        Catalog([tmp_path]).task("own")


def test_missing_include_folder(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="no such folder"):
        Catalog([tmp_path / "nowhere"]).task("gsm8k")


def test_own_folder_overrides_with_a_warning(write_task: WriteTask, caplog: pytest.LogCaptureFixture) -> None:
    own = write_task(task="gsm8k")
    assert own.hub == "nobody/such-a-dataset"
    assert "task 'gsm8k'" in caplog.text
    assert "replaces" in caplog.text


def test_two_files_of_one_name_in_one_folder_are_refused(write_task: WriteTask, tmp_path: Path) -> None:
    own = write_task()
    own.path.with_name("twice.yaml").write_text(own.path.read_text())
    with pytest.raises(RequestError, match=r"twice\.yaml: task 'own' is already described by .*own\.yaml"):
        Catalog([own.path.parent]).task("own")


def test_other_yaml_files_are_let_alone(tmp_path: Path) -> None:
    (tmp_path / "notes.yaml").write_text("about: nothing\n")
    assert Catalog([tmp_path]).tasks.keys() == Catalog().tasks.keys()


def test_shipped_folders_are_found() -> None:
    assert (shipped("tasks") / "gsm8k.yaml").is_file()
    assert shipped("published").name == "published"


def test_selection(catalog: Catalog) -> None:
    assert [task.name for task in catalog.select(tasks="aime24, gsm8k,aime24")] == ["aime24", "gsm8k"]
    assert len(catalog.select(suite="avg8")) == 8
    assert len(catalog.select()) == len(catalog.tasks)
    with pytest.raises(RequestError, match="name one of them"):
        catalog.select("avg8", "gsm8k")
