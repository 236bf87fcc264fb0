"""Which folders are the steps of a training run."""

from pathlib import Path

import pytest

from evalsuite.catalog.series import step_folders, step_of
from evalsuite.errors import RequestError
from tests.support.tiny import make_checkpoint


@pytest.mark.parametrize(
    ("path", "step"),
    [
        ("run/checkpoint-500", 500),
        ("run/global_step_40/actor/huggingface", 40),
        ("run/step_3", 3),
        ("run/iter_0000100", 100),
        ("run/epoch-2", 2),
        ("run/12", 12),
        ("models/Qwen2.5-3B", None),
        ("run/final", None),
        ("huggingface", None),
    ],
)
def test_the_step_in_a_path(path: str, step: int | None):
    assert step_of(path) == step


def test_steps_come_in_order_of_their_numbers_wherever_the_model_lies(tmp_path: Path):
    make_checkpoint(tmp_path / "checkpoint-1000")
    make_checkpoint(tmp_path / "checkpoint-200")
    make_checkpoint(tmp_path / "global_step_40" / "actor" / "huggingface")
    (tmp_path / "checkpoint-1200").mkdir()
    (tmp_path / "logs").mkdir()
    found = step_folders(tmp_path)
    assert found is not None
    assert {step: path.relative_to(tmp_path).as_posix() for step, path in found.steps.items()} == {
        40: "global_step_40/actor/huggingface",
        200: "checkpoint-200",
        1000: "checkpoint-1000",
    }
    [(path, why)] = found.left_out
    assert (path.name, why) == ("checkpoint-1200", "no config.json with *.safetensors beside it")


def test_a_checkpoint_is_no_series_even_with_steps_inside(tmp_path: Path):
    make_checkpoint(tmp_path)
    make_checkpoint(tmp_path / "checkpoint-5")
    assert step_folders(tmp_path) is None
    assert step_folders(tmp_path / "nowhere") is None


def test_two_folders_of_one_step_and_steps_without_a_model(tmp_path: Path):
    (tmp_path / "step_5").mkdir()
    with pytest.raises(RequestError, match="none of its 1 steps holds a model; step_5: no "):
        step_folders(tmp_path)
    make_checkpoint(tmp_path / "step_5")
    make_checkpoint(tmp_path / "checkpoint-5")
    with pytest.raises(RequestError, match="two folders are step 5"):
        step_folders(tmp_path)
