import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from evalsuite.catalog import source
from evalsuite.catalog.index import Catalog
from evalsuite.catalog.items import canonical
from evalsuite.catalog.load import load, load_dev, read_items
from evalsuite.catalog.tasks import Task
from evalsuite.errors import RequestError
from tests.catalog.conftest import Loaded, WriteTask

pytestmark = pytest.mark.slow

ROWS = [{"question": f"What is {n} plus one?", "answer": str(n + 1)} for n in range(20)]


def write_rows(file: Path, rows: list[dict[str, Any]]) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    text = "".join(json.dumps(row) + "\n" for row in rows)
    file.write_bytes(gzip.compress(text.encode()) if file.suffix == ".gz" else text.encode())
    return file


def questions(loaded: Loaded, name: str) -> set[str]:
    return {canonical(item.question) for item in loaded(name).items}


# --- The shipped benchmarks, where the mirror is at hand ---


@pytest.mark.parametrize("name", [name for name, task in Catalog().tasks.items() if task.sha256])
def test_pinned_items_come_out_of_the_mirror(loaded: Loaded, name: str) -> None:
    result = loaded(name)
    assert result.pinned
    assert not result.notes
    assert len(result.items) == result.task.items
    assert all(item.question.strip() and item.gold and item.gold[0].strip() for item in result.items)


def test_a_sample_loads_and_says_that_it_is_one(loaded: Loaded) -> None:
    result = loaded("hotpotqa")
    assert not result.pinned
    assert result.notes == ("100 of 7,405 official items; not pinned",)


def test_amc23_is_part_of_amc(loaded: Loaded) -> None:
    assert questions(loaded, "amc23") < questions(loaded, "amc")


def test_aime24_is_part_of_its_dev_source_and_taken_out_of_it(loaded: Loaded, catalog: Catalog, mirror: Path) -> None:
    assert questions(loaded, "aime24") < questions(loaded, "aimo_aime")
    dev = load_dev(catalog.task("aime24"), catalog, mirror)
    assert (len(dev.items), dev.removed) == (60, 30)


def test_dev_items_of_gsm8k_are_its_training_split(catalog: Catalog, mirror: Path) -> None:
    dev = load_dev(catalog.task("gsm8k"), catalog, mirror)
    assert len(dev.items) == 7473
    assert not any("<<" in (item.solution or "<<") or "####" in (item.solution or "") for item in dev.items)


def test_numbers_are_bare(loaded: Loaded) -> None:
    for name in ("gsm8k", "aime24", "aime25", "aime26", "amc"):
        assert all(item.gold[0].lstrip("-").isdigit() for item in loaded(name).items)
    assert all(item.gold[0] == str(int(item.gold[0])) for item in loaded("aime24").items)


def test_options_are_bare_and_in_the_official_order(loaded: Loaded, mirror: Path) -> None:
    rows = [json.loads(line) for line in (mirror / "aqua_rat" / "test.jsonl").read_text().splitlines()]
    official = {canonical(row["question"]): row for row in rows}
    for item in loaded("aqua").items:
        row = official[canonical(item.question)]
        assert [f"{letter}){text}" for letter, text in zip(item.letters, item.options, strict=True)] == [
            option[:2] + option[2:].lstrip() for option in row["options"]
        ]
        assert item.gold == (row["correct"],)


def test_options_in_one_string_are_split(loaded: Loaded) -> None:
    items = loaded("sat_math_32").items
    assert all(len(item.options) == 4 for item in items)
    assert Counter(item.gold[0] for item in items)["A"] == 11  # always A would score 34.4 %


def test_right_answers_of_gpqa_are_spread_and_stay_where_they_are(loaded: Loaded, catalog: Catalog) -> None:
    items = loaded("gpqa_diamond").items
    assert min(Counter(item.gold[0] for item in items).values()) > len(items) // 8
    by_question = {item.question: item for item in loaded("gpqa_main").items}
    # The same question has the same order in another set and another position: it depends on its content alone.
    assert all(by_question[item.question].options == item.options for item in items)


def test_sat_math_reads_the_same_from_both_of_its_forms(catalog: Catalog, tmp_path: Path) -> None:
    texts = ["3", "5", "7", "(9)"]
    lettered = [f"({letter}){text}" for letter, text in zip("ABCD", texts, strict=True)]
    query = f"Q: What is 2 + 3? Answer Choices: {' '.join(lettered)}\nA: Among A through D, the answer is"
    agieval = {
        "passage": "",
        "question": "What is 2 + 3?",
        "options": lettered,
        "label": "B",
        "other": {"solution": ""},
    }
    write_rows(tmp_path / "here" / "sat_math" / "test.jsonl", [agieval])
    write_rows(tmp_path / "hub" / "sat_math" / "test.jsonl", [{"query": query, "choices": lettered, "gold": [1]}])
    ours, hubs = (read_items(catalog.task("sat_math"), "test", tmp_path / name) for name in ("here", "hub"))
    assert ours == hubs
    assert (ours[0].options, ours[0].gold) == (tuple(texts), ("B",))


# --- The user's own tasks ---


def test_own_task_from_the_mirror(write_task: WriteTask, tmp_path: Path) -> None:
    task = write_task({"items": 20, "dev": {"split": "train"}})
    write_rows(tmp_path / "own" / "test.jsonl", ROWS)
    write_rows(tmp_path / "own" / "train.jsonl.gz", [*ROWS[:2], {"question": "What is 50 plus one?", "answer": "51"}])
    loaded = load(task, tmp_path)
    assert (loaded.origin, loaded.pinned, loaded.notes) == ("mirror", False, ("not pinned",))
    assert len(loaded.items) == 20
    dev = load_dev(task, Catalog(), tmp_path)
    assert ([item.gold for item in dev.items], dev.removed) == ([("51",)], 2)


def test_the_example_of_the_documentation(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "tasks.md").read_text()
    (tmp_path / "my_sums.yaml").write_text(page.split("```yaml\n")[1].split("```")[0])
    (tmp_path / "my_suite.yaml").write_text(page.split("```yaml\n")[2].split("```")[0])
    write_rows(tmp_path / "my_sums" / "test.jsonl", ROWS)
    catalog = Catalog([tmp_path])
    assert len(load(catalog.task("my_sums"), tmp_path).items) == 20
    assert catalog.suite("my_suite").tasks == ("gsm8k", "my_sums")


def test_items_do_not_follow_the_order_of_their_file(write_task: WriteTask, tmp_path: Path) -> None:
    task = write_task()
    write_rows(tmp_path / "own" / "test.jsonl", ROWS)
    forth = load(task, tmp_path)
    write_rows(tmp_path / "own" / "test.jsonl", ROWS[::-1])
    assert load(task, tmp_path) == forth
    assert [item.id for item in forth.items] == sorted(item.id for item in forth.items)
    assert [item.question for item in forth.items] != [row["question"] for row in ROWS]


def test_equal_items_are_told_apart(write_task: WriteTask, tmp_path: Path) -> None:
    task = write_task()
    write_rows(tmp_path / "own" / "test.jsonl", [ROWS[0], ROWS[1], ROWS[0], ROWS[0]])
    ids = [item.id for item in load(task, tmp_path).items if item.question == ROWS[0]["question"]]
    assert ids == [ids[0], f"{ids[0]}-2", f"{ids[0]}-3"]


def test_items_without_an_answer_are_noted(write_task: WriteTask, tmp_path: Path) -> None:
    task = write_task()
    write_rows(tmp_path / "own" / "test.jsonl", [ROWS[0], {"question": "What?", "answer": " "}])
    assert "1 items without a gold answer" in load(task, tmp_path).notes


def test_data_that_is_nowhere(write_task: WriteTask, tmp_path: Path, no_network: None) -> None:
    task = write_task()
    with pytest.raises(RequestError, match="evalsuite data fetch --tasks own --data-dir DIR") as refused:
        load(task, tmp_path)
    assert "\n" not in str(refused.value)


def test_a_column_that_is_not_there_is_not_taken_for_a_text(write_task: WriteTask, tmp_path: Path) -> None:
    task = write_task({"question": "qestion"})
    write_rows(tmp_path / "own" / "test.jsonl", ROWS)
    with pytest.raises(RequestError, match=r"own\.yaml: no column 'qestion'; there are question, answer"):
        load(task, tmp_path)


def test_a_template_that_fails_is_named_with_its_file(write_task: WriteTask, tmp_path: Path) -> None:
    task = write_task(doc_to_target="{{anser}}")
    write_rows(tmp_path / "own" / "test.jsonl", ROWS)
    with pytest.raises(RequestError, match=r"own\.yaml: .*'anser' is undefined"):
        load(task, tmp_path)


def test_a_torn_row_is_named_with_its_line(write_task: WriteTask, tmp_path: Path) -> None:
    task = write_task()
    file = write_rows(tmp_path / "own" / "test.jsonl", ROWS[:3])
    file.write_text(file.read_text()[:-5])
    with pytest.raises(RequestError, match=r"test\.jsonl, line 3: not a JSON object"):
        load(task, tmp_path)


def test_a_gold_that_is_no_letter_is_refused(write_task: WriteTask, tmp_path: Path) -> None:
    task = write_task({"kind": "choice", "options": "options"})
    write_rows(tmp_path / "own" / "test.jsonl", [{"question": "Which?", "options": ["x", "y"], "answer": "C"}])
    with pytest.raises(RequestError, match="its gold is not one of the letters A, B"):
        load(task, tmp_path)


def test_an_archive_without_its_password(catalog: Catalog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(source.GPQA_PASSWORD, raising=False)
    write_rows(tmp_path / "gpqa" / "dataset.zip", [])
    with pytest.raises(RequestError, match=f"set {source.GPQA_PASSWORD}"):
        load(gpqa(catalog), tmp_path)


def test_what_is_no_archive(catalog: Catalog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(source.GPQA_PASSWORD, "wrong")
    write_rows(tmp_path / "gpqa" / "dataset.zip", [])
    with pytest.raises(RequestError, match=r"cannot read dataset/gpqa_diamond\.csv"):
        load(gpqa(catalog), tmp_path)


def gpqa(catalog: Catalog) -> Task:
    return catalog.task("gpqa_diamond")
