from pathlib import Path

import pytest

from evalsuite.baselines.grid import offer, resolve
from evalsuite.catalog.checkpoint import open_checkpoint
from evalsuite.catalog.grids import GridAxes
from evalsuite.catalog.index import Catalog
from evalsuite.catalog.prompts import load_prompts
from evalsuite.errors import RequestError


def write_suite(folder: Path, tasks: str, metadata: str = "") -> Catalog:
    (folder / "mine.yaml").write_text(f"group: mine\ntask: {tasks}\n{metadata}")
    return Catalog([folder])


def grid_of(folder: Path, grid: str) -> GridAxes:
    return write_suite(folder, "[gsm8k]", f"metadata:\n  grid: {grid}\n").suite("mine").grid


@pytest.mark.parametrize(("name", "size"), [("avg8", 8), ("avg6", 6), ("contests", 5), ("demo", 6)])
def test_shipped_suites_pass_their_own_checks(catalog: Catalog, name: str, size: int) -> None:
    assert len(catalog.suite(name).tasks) == size


def test_every_shipped_suite_is_tested(catalog: Catalog) -> None:
    assert set(catalog.suites) == {"avg8", "avg6", "contests", "demo"}


def test_a_set_beside_its_own_part_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match=r"mine\.yaml: averages amc23 with amc, which contains it"):
        write_suite(tmp_path, "[amc23, gsm8k, amc]").suite("mine")


def test_unknown_member_offers_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match=r"mine\.yaml: no task named 'math50' \(near: math500"):
        write_suite(tmp_path, "[math50]").suite("mine")


def test_members_are_a_list_of_names(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match=r"mine\.yaml: `task:` must be a list of task names"):
        write_suite(tmp_path, "[{task: gsm8k}]").suite("mine")


def test_unknown_suite_offers_the_nearest(catalog: Catalog) -> None:
    with pytest.raises(RequestError, match=r"no suite named 'avg9' \(near: avg"):
        catalog.suite("avg9")


@pytest.mark.parametrize(
    ("name", "fewest", "most"), [("avg8", 20, 24), ("avg6", 20, 20), ("contests", 18, 18), ("demo", 5, 7)]
)
def test_a_shipped_grid_suits_every_task_of_its_suite(
    catalog: Catalog, tiny: Path, name: str, fewest: int, most: int
) -> None:
    checkpoint, prompts, suite = open_checkpoint(str(tiny)), load_prompts(), catalog.suite(name)
    grid = resolve(suite.grid, checkpoint)
    offered = {task: offer(grid, catalog.task(task), prompts, checkpoint) for task in suite.tasks}
    cells = [len(each.cells) for each in offered.values()]
    assert (min(cells), max(cells)) == (fewest, most)
    assert not any(each.impossible for each in offered.values())
    for task in suite.tasks:  # what a plain run would ask is among the settings of the sweep
        assert catalog.task(task).default_prompt in {cell.prompt for cell in offered[task].cells}


def test_a_suite_without_a_grid_has_the_default_one(tmp_path: Path) -> None:
    assert write_suite(tmp_path, "[gsm8k]").suite("mine").grid == GridAxes()
    assert grid_of(tmp_path, "") == GridAxes()


def test_what_a_grid_names_takes_the_place_of_the_default(tmp_path: Path) -> None:
    grid = grid_of(tmp_path, "{prompts: [mine], chat_template: [off], shots: [0, 8], temperatures: [1], top_p: [0.5]}")
    assert grid == GridAxes(
        prompts=("mine",), chat_template=("off",), shots=(0, 8), temperatures=(1.0,), top_p=(0.5,), max_tokens=None
    )


@pytest.mark.parametrize("ways", ["[on, off]", "['on', 'off']", "[true, false]"])
def test_on_and_off_may_be_truth_values_of_yaml(tmp_path: Path, ways: str) -> None:
    assert grid_of(tmp_path, f"{{chat_template: {ways}}}").chat_template == ("on", "off")


@pytest.mark.parametrize(
    ("grid", "said"),
    [
        ("[boxed]", "`metadata: grid`: must be a mapping of prompts, chat_template, "),
        ("{prompt: [boxed]}", "unknown key `prompt` under `metadata: grid:`; known are prompts, chat_template, "),
        ("{prompts: boxed}", "`metadata: grid: prompts`: must be a list, such as [a, b]"),
        ("{prompts: []}", "`metadata: grid: prompts`: is empty: name at least one value, or leave it out"),
        ("{prompts: [boxed, bare, boxed]}", "`metadata: grid: prompts`: names boxed twice: leave one out"),
        ("{prompts: [1]}", "`metadata: grid: prompts` (value 1): Input should be a valid string"),
        ("{chat_template: on}", "`metadata: grid: chat_template`: must be a list"),
        ("{chat_template: [on, true]}", "`metadata: grid: chat_template`: names on twice"),
        ("{chat_template: [on, auto]}", "`metadata: grid: chat_template` (value 2): Input should be 'on' or 'off'"),
        ("{shots: [-1]}", "`metadata: grid: shots` (value 1): Input should be greater than or equal to 0"),
        ("{shots: []}", "`metadata: grid: shots`: is empty"),
        ("{temperatures: [0, 0.0]}", "`metadata: grid: temperatures`: names 0.0 twice"),
        (
            "{temperatures: [0, 60]}",
            "`metadata: grid: temperatures` (value 2): Input should be less than or equal to 2",
        ),
        ("{temperatures: [.nan]}", "`metadata: grid: temperatures` (value 1): Input should be "),
        ("{temperatures: [yes]}", "`metadata: grid: temperatures` (value 1): Input should be a valid number"),
        ("{top_p: [0]}", "`metadata: grid: top_p` (value 1): Input should be greater than 0"),
        ("{top_p: [1.5]}", "`metadata: grid: top_p` (value 1): Input should be less than or equal to 1"),
        ("{max_tokens: [0]}", "`metadata: grid: max_tokens` (value 1): Input should be greater than or equal to 1"),
        ("{max_tokens: [10.5]}", "`metadata: grid: max_tokens` (value 1): Input should be a valid integer"),
        ("{parsers: [loose]}", "`metadata: grid: parsers` (value 1): Input should be 'lenient' or 'strict'"),
    ],
)
def test_a_grid_that_makes_no_sense_is_refused(tmp_path: Path, grid: str, said: str) -> None:
    with pytest.raises(RequestError) as error:
        grid_of(tmp_path, grid)
    assert str(error.value).startswith(f"{tmp_path}/mine.yaml: {said}")
    assert "\n" not in str(error.value)


def test_a_misspelt_key_beside_the_grid_is_refused_too(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match=r"unknown key `gird` under `metadata:`; known are title, about, version"):
        write_suite(tmp_path, "[gsm8k]", "metadata: {gird: {prompts: [boxed]}}\n").suite("mine")
    with pytest.raises(RequestError, match=r"mine\.yaml: `metadata`: must be a mapping of title, about, version"):
        write_suite(tmp_path, "[gsm8k]", "metadata: [grid]\n").suite("mine")
