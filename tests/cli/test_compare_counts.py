"""`evalsuite compare` over counts files."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import Output, run_cli

Counts = dict[str, list[tuple[int, int]]]


def write(name: str, tasks: Counts) -> Path:
    lines = [
        {"task": task, "item": f"i{number}", "n": n, "c": c}
        for task, counts in tasks.items()
        for number, (n, c) in enumerate(counts)
    ]
    path = Path(f"{name}.jsonl")
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def compared(*arguments: object) -> Any:
    ended = run_cli("compare", *arguments, "--json")
    assert ended.code == 0, ended.err
    return json.loads(ended.out)["comparisons"]


def refused(said: str, *arguments: object) -> Output:
    ended = run_cli("compare", *arguments)
    assert ended.code == 2
    assert said in ended.err
    assert len(ended.err.splitlines()) == 1
    return ended


def test_tasks_and_their_average_with_all_that_is_asked_of_a_difference() -> None:
    base = write("base", {"large": [(4, 1)] * 400, "small": [(1, 0)] * 10})
    trained = write("trained", {"large": [(4, 2)] * 300 + [(4, 1)] * 100, "small": [(1, 1)] * 2 + [(1, 0)] * 8})
    [found] = compared(base, trained)
    large, small = found["tasks"]
    assert large["gain"]["value"] == pytest.approx(0.25 * 0.75)
    assert large["evidence"]["word"] == "gain"
    assert large["samples"] == [4, 4]
    # Two items only the second has right: p = 2 · (1/4) − 1/4, the mid-p of two heads in two throws.
    assert small["evidence"]["p"] == pytest.approx(0.25)
    assert small["evidence"]["adjusted"] == pytest.approx(0.25)
    assert small["evidence"]["word"] == "too small to tell"
    assert small["evidence"]["detectable"] > 0.03
    average = found["average"]
    assert average["gain"]["value"] == pytest.approx((0.1875 + 0.2) / 2)
    assert average["evidence"]["adjusted"] == average["evidence"]["p"]
    assert average["items"] == 410


def test_what_matters_decides_when_silence_means_something() -> None:
    base = write("base", {"t": [(8, 4)] * 500})
    same = write("same", {"t": [(8, 4)] * 250 + [(8, 5)] * 125 + [(8, 3)] * 125})
    assert compared(base, same)[0]["tasks"][0]["evidence"]["word"] == "no difference shown"
    assert compared(base, same, "--matters", 0.1)[0]["tasks"][0]["evidence"]["word"] == "too small to tell"


def test_several_against_one_and_a_task_that_one_file_lacks() -> None:
    base = write("base", {"t": [(4, 1)] * 20, "u": [(4, 1)] * 5})
    others = [write(name, {"t": [(4, c)] * 20}) for name, c in (("a", 1), ("b", 3))]
    found = compared(base, *others)
    assert [one["average"]["gain"]["value"] for one in found] == pytest.approx([0.0, 0.5])
    assert found[0]["only_one"] == ["u"]
    shown = run_cli("compare", base, *others).out
    assert "u: only one file has it" in shown
    assert max(map(len, shown.splitlines())) <= 80


def test_what_cannot_be_compared(run_folder: Path) -> None:
    base = write("base", {"t": [(4, 1)] * 20})
    refused(
        "t of base.jsonl and of fewer.jsonl: 20 items against 19, 1 of them on one side only (i19)",
        base,
        write("fewer", {"t": [(4, 1)] * 19}),
    )
    refused("no task in common (t against u)", base, write("other", {"u": [(4, 1)]}))
    refused("a comparison with itself", base, base)
    refused("not a counts file (.jsonl), as the others are", base, run_folder)
    refused("--matters 0", base, base, "--matters", 0)
    refused("c = 5 right of n = 4 samples is not possible", base, write("more", {"t": [(4, 5)]}))
