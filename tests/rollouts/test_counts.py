from pathlib import Path

import pytest

from evalsuite.errors import RequestError
from evalsuite.rollouts.counts import read_counts


def test_items_without_a_task_belong_to_one_named_like_the_file(tmp_path: Path):
    file = tmp_path / "mine.jsonl"
    file.write_text('{"item": 1, "n": 8, "c": 3}\n\n{"task": "amc", "item": "x", "n": 4, "c": 4}\n')
    assert read_counts(file) == {"mine": {"1": (8, 3)}, "amc": {"x": (4, 4)}}


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('{"item": "b", "n": 4, "c": 5}', "line 2: c = 5 right of n = 4"),
        ('{"item": "b", "n": 0, "c": 0}', "n ≥ 1"),
        ('{"item": "b", "n": 4}', "no field 'c'"),
        ('{"item": "a", "n": 4, "c": 1}', "already counted"),
        ('{"item": "b", "n": 4.0, "c": 1}', "whole numbers"),
        ("[1]", "not a JSON object"),
        ("{", "not a JSON object"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, line: str, said: str):
    file = tmp_path / "c.jsonl"
    file.write_text('{"item": "a", "n": 4, "c": 1}\n' + line + "\n")
    with pytest.raises(RequestError, match=said):
        read_counts(file)


def test_an_empty_file_holds_no_counts(tmp_path: Path):
    file = tmp_path / "c.jsonl"
    file.write_text("\n")
    with pytest.raises(RequestError, match="holds no counts"):
        read_counts(file)
