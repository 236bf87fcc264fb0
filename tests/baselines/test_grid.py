"""Which cells come out of which axes, for which task and which checkpoint."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from evalsuite.baselines.grid import Grid, Offered, offer, resolve
from evalsuite.catalog.checkpoint import Checkpoint, open_checkpoint
from evalsuite.catalog.grids import GridAxes
from evalsuite.catalog.index import Catalog
from evalsuite.catalog.prompts import load_prompts
from evalsuite.errors import RequestError
from evalsuite.evaluate.cells import Cell
from tests.support.tiny import make_checkpoint

Offer = Callable[..., Offered]


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Checkpoint:
    """A checkpoint without a chat template."""
    return open_checkpoint(str(make_checkpoint(tmp_path_factory.mktemp("checkpoints") / "base", chat_template=None)))


@pytest.fixture(scope="module")
def offered(tiny: Path) -> Offer:
    """What of some axes a task is offered, by the tiny checkpoint unless another is named."""
    catalog, prompts, own = Catalog(()), load_prompts(), open_checkpoint(str(tiny))

    def make(task: str, checkpoint: Checkpoint = own, **axes: Any) -> Offered:
        return offer(resolve(GridAxes(**axes), checkpoint), catalog.task(task), prompts, checkpoint)

    return make


def told(found: Offered) -> list[tuple[Any, ...]]:
    return [(cell.prompt, cell.chat, cell.shots, cell.temperature, cell.top_p) for cell in found.cells]


def test_a_prompt_format_is_asked_with_and_without_the_template_where_both_make_sense(offered: Offer) -> None:
    found = offered("demo_number", prompts=("boxed", "boxed_system", "few_shot"), temperatures=(0,))
    assert told(found) == [
        ("boxed", True, 0, 0, 1),
        ("boxed", False, 0, 0, 1),
        ("boxed_system", True, 0, 0, 1),  # required
        ("few_shot", False, 4, 0, 1),  # never
    ]
    assert found.impossible == ()
    on = offered("demo_number", prompts=("boxed", "few_shot"), temperatures=(0,), chat_template=("on",))
    assert told(on) == [("boxed", True, 0, 0, 1)]


def test_prompt_formats_of_another_kind_of_answer_are_no_cells(offered: Offer) -> None:
    default = {cell.prompt for cell in offered("demo_number").cells}
    assert default == {"boxed", "answer_line", "bare", "few_shot"}
    assert {cell.prompt for cell in offered("demo_choice4").cells} == default | {"choice_letter"}


def test_the_default_grid_of_a_task(offered: Offer) -> None:
    found = offered("demo_number")
    assert len(found.cells) == 3 * 2 * 2 + 2  # three formats, on and off, two temperatures; few_shot is raw text
    assert len(set(found.cells)) == len(found.cells)


def test_of_greedy_cells_there_is_one_whatever_the_top_p(offered: Offer) -> None:
    found = offered("demo_number", prompts=("few_shot",), temperatures=(0, 0.6), top_p=(0.9, 1, 0.5))
    assert told(found) == [
        ("few_shot", False, 4, 0, 1),
        ("few_shot", False, 4, 0.6, 0.9),
        ("few_shot", False, 4, 0.6, 1),
        ("few_shot", False, 4, 0.6, 0.5),
    ]


def test_shots_vary_only_where_a_format_shows_examples(offered: Offer) -> None:
    found = offered("demo_number", prompts=("few_shot", "boxed"), shots=(0, 2), temperatures=(0,))
    assert told(found) == [
        ("few_shot", False, 0, 0, 1),
        ("few_shot", False, 2, 0, 1),
        ("boxed", True, 0, 0, 1),
        ("boxed", False, 0, 0, 1),
    ]


def test_what_a_checkpoint_without_a_template_cannot_do_is_listed_and_the_rest_is_offered(
    offered: Offer, base: Checkpoint
) -> None:
    found = offered("demo_number", base, prompts=("boxed", "boxed_system", "few_shot"), temperatures=(0,))
    assert told(found) == [("boxed", False, 0, 0, 1), ("few_shot", False, 4, 0, 1)]
    assert found.impossible == (
        ("boxed, chat template on, 0 shots, temperature 0", "base has no chat template"),
        ("boxed_system, chat template on, 0 shots, temperature 0", "base has no chat template"),
    )


@pytest.mark.parametrize(
    ("task", "axes", "said"),
    [
        ("demo_number", {"prompts": ("boxed_system",)}, r"no cell for it: base has no chat template; name other"),
        ("demo_number", {"prompts": ("bare",), "chat_template": ("on",)}, r"no cell for it: base has no chat template"),
        ("demo_number", {"prompts": ("choice_letter",)}, r"'choice_letter' is for choice answers; demo_number asks"),
        ("demo_choice4", {"prompts": ("short_answer",)}, r"'short_answer' is for qa, number answers; demo_choice4 "),
        (
            "demo_number",
            {"prompts": ("few_shot",), "chat_template": ("on",)},
            r"for it: .*'few_shot' is raw text: it can",
        ),
        ("demo_number", {"prompts": ("boxd",)}, r"no prompt format named 'boxd' \(nearest: boxed"),
    ],
)
def test_a_grid_without_a_cell_is_refused(
    offered: Offer, base: Checkpoint, task: str, axes: dict[str, Any], said: str
) -> None:
    with pytest.raises(RequestError, match=said):
        offered(task, base, **axes)


def test_token_limits_follow_from_the_context_where_none_are_named(tiny: Path, tmp_path: Path) -> None:
    short, long = open_checkpoint(str(tiny)), open_checkpoint(str(make_checkpoint(tmp_path / "long", context=131_072)))
    assert resolve(GridAxes(), short).max_tokens == (3072, 1536, 768, 384)  # three quarters of 4,096, and parts of it
    assert resolve(GridAxes(), long).max_tokens == (16_384, 8192, 4096, 2048)


def test_limits_and_parsers_stand_from_the_most_to_the_least_generous(tiny: Path) -> None:
    grid = resolve(GridAxes(max_tokens=(8, 64, 32), parsers=("strict", "lenient")), open_checkpoint(str(tiny)))
    assert grid.readings == (
        *((64, "lenient"), (64, "strict")),
        *((32, "lenient"), (32, "strict")),
        *((8, "lenient"), (8, "strict")),
    )
    assert Grid.from_dict(grid.as_dict()) == grid


def test_a_limit_above_the_context_is_refused(tiny: Path) -> None:
    model = open_checkpoint(str(tiny))
    assert resolve(GridAxes(max_tokens=(4095,)), model).max_tokens == (4095,)
    with pytest.raises(RequestError, match="--max-tokens 4096 leaves no room for a prompt"):
        resolve(GridAxes(max_tokens=(64, 4096)), model)


@pytest.mark.parametrize(
    ("axis", "values"),
    [
        ("temperatures", (0, 0.0)),
        ("temperatures", (-0.1,)),
        ("temperatures", (float("nan"),)),
        ("temperatures", (float("inf"),)),
        ("temperatures", ()),
        ("top_p", (0,)),
        ("top_p", (1.1,)),
        ("max_tokens", (0,)),
        ("max_tokens", (64, 64)),
        ("shots", (-1,)),
        ("chat_template", ("maybe",)),
        ("parsers", ("lenient", "lenient")),
        ("prompts", ("boxed", "boxed")),
        ("prompts", ()),
    ],
)
def test_values_that_make_no_sense(axis: str, values: tuple[Any, ...]) -> None:
    with pytest.raises(ValidationError):
        GridAxes(**{axis: values})


def test_a_bare_on_in_yaml_is_the_word() -> None:
    assert GridAxes.model_validate({"chat_template": [True, False]}).chat_template == ("on", "off")


def test_a_cell_says_what_it_is() -> None:
    assert str(Cell("boxed")) == "boxed, temperature 0"
    assert (
        str(Cell("few_shot", False, 4, 0.6, 0.9)) == "few_shot, chat template off, 4 shots, temperature 0.6, top-p 0.9"
    )
