"""Published tables held against noise: implied counts, what no count can give, tests, and files that make no sense."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from evalsuite.claims.check import check
from evalsuite.claims.implied import counts_of, samples_that_fit
from evalsuite.claims.registry import all_claims, find_claim
from evalsuite.report.claim_words import quotable
from evalsuite.report.claims import check_json
from tests.support.command import run_cli

CLAIM: dict[str, Any] = {
    "title": "Ours against theirs",
    "source": "a paper",
    "model": "some model",
    "columns": [{"name": "Small", "items": 40}, {"name": "Large", "items": 2000}],
    "average": {"name": "Mean", "of": 2},
    "reference": "theirs",
    "rows": [
        {"name": "theirs", "values": {"Small": 50.0, "Large": 50.0}, "average": 50.0},
        {"name": "ours", "values": {"Small": 60.0, "Large": 60.0}, "average": 60.0},
    ],
}


@pytest.mark.parametrize(
    ("percent", "n", "counts"),
    [
        (71.88, 32, [23]),
        (10.84, 83, [9]),
        (35.43, 254, [90]),
        (65.62, 32, [21]),  # 65.625, rounded down
        (65.63, 32, [21]),  # and up
        (0.0, 30, [0]),
        (100.0, 30, [30]),
        (50.01, 32, []),
    ],
)
def test_a_percentage_turned_back_into_a_count(percent: float, n: int, counts: list[int]) -> None:
    assert counts_of(percent, n, 2) == counts


@pytest.mark.parametrize("n", [30, 83, 1319])
@pytest.mark.parametrize("decimals", [0, 1, 2])
def test_every_count_is_among_those_that_its_rounding_implies(n: int, decimals: int) -> None:
    for c in range(n + 1):
        assert c in counts_of(round(100 * c / n, decimals), n, decimals)


def test_coarse_rounding_leaves_several_counts_and_samples_give_finer_ones() -> None:
    assert counts_of(50.0, 2000, 1) == [999, 1000, 1001]
    assert samples_that_fit(50.01, 32, 2) is None
    assert samples_that_fit(12.5, 4, 2) == 2


def test_the_rows_of_a_published_table_by_their_counts() -> None:
    found = check(find_claim("signbalance-0.5b"))
    counts = {(number.row, number.column): number.counts for number in found.numbers}
    assert counts["SignBalance", "SAT-Math"] == (23,)
    assert counts["SignBalance", "AMC"] == (9,)
    assert counts["SignBalance", "AQuA"] == (90,)
    assert counts["GRPO", "GSM8K"] == (658,)
    [average] = [one for one in found.average_differences if one.row == "SignBalance"]
    assert average.difference == pytest.approx(0.0237)
    assert (average.known, average.of) == (5, 8)
    stated = {one.row: one for one in found.averages}["SignBalance"]
    assert stated.others == pytest.approx((36.61 * 8 - (49.66 + 53.60 + 71.88 + 35.43 + 10.84)) / 3)


def test_an_average_of_benchmarks_that_are_not_shown_is_not_judged() -> None:
    for name in ("signbalance-0.5b", "signbalance-3b"):
        for one in check(find_claim(name)).average_differences:
            assert one.known < one.of
            assert one.word == "too small to tell"


def test_differences_are_tested_and_corrected(tmp_path: Path) -> None:
    found = check(find_claim(str(written(tmp_path, CLAIM))))
    small, large = found.differences
    assert (small.found.difference.value, large.found.difference.value) == pytest.approx((0.1, 0.1))
    assert large.word == "gain"
    assert large.adjusted == pytest.approx(2 * large.found.p)
    assert small.word == "too small to tell"
    assert small.found.difference.low < 0 < large.found.difference.low
    # Independent sides: √(p(1−p)·2/n) and 2.80 of it, with two made-up items a side.
    assert large.detectable == pytest.approx(2.80 * (0.5 / 2000) ** 0.5, rel=0.02)
    [average] = found.average_differences
    assert average.error == pytest.approx(((0.49 / 40 + 0.49 / 2000) ** 0.5) / 2, rel=0.05)


@pytest.mark.parametrize("name", sorted(all_claims()))
def test_every_shipped_claim_can_be_checked_and_quoted(name: str) -> None:
    found = check(find_claim(name))
    sentences = list(quotable(found))
    assert sentences
    assert all(sentence.endswith(".") for sentence in sentences)
    assert check_json(found)["sentences"] == sentences
    shown = run_cli("claims", "check", name)
    assert shown.code == 0
    assert max(map(len, shown.out.splitlines())) <= 80
    assert found.claim.source in " ".join(shown.out.split())


def test_a_number_that_no_count_gives_is_named(tmp_path: Path) -> None:
    claim = CLAIM | {"rows": [CLAIM["rows"][0], {"name": "ours", "values": {"Small": 51.23}}]}
    shown = run_cli("claims", "check", written(tmp_path, claim))
    assert shown.code == 0
    assert "no count of 40 gives it" in " ".join(shown.out.split())


def test_an_unknown_size_is_said_and_not_tested(tmp_path: Path) -> None:
    columns = [{"name": "Small", "items": "unknown"}, CLAIM["columns"][1]]
    found = check(find_claim(str(written(tmp_path, CLAIM | {"columns": columns}))))
    assert [one.column for one in found.differences] == ["Large"]
    assert any("Small is not known" in sentence for sentence in quotable(found))


def without_size() -> dict[str, Any]:
    return CLAIM | {"columns": [{"name": "Small"}, CLAIM["columns"][1]]}


@pytest.mark.parametrize(
    ("claim", "said"),
    [
        (without_size(), "column `Small` has no `items`: give its size, or `items: unknown`"),
        (CLAIM | {"columns": [{"name": "Small", "items": 0}, CLAIM["columns"][1]]}, "`columns.0.items`"),
        (CLAIM | {"reference": "nobody"}, "reference `nobody` is no row; there are theirs, ours"),
        (CLAIM | {"rows": [*CLAIM["rows"], CLAIM["rows"][0]]}, "row `theirs` is there twice"),
        (CLAIM | {"rows": [{"name": "theirs", "values": {"Small": 120}}]}, "120 for Small is not between 0 and 100"),
        (CLAIM | {"rows": [{"name": "theirs", "values": {"Other": 1}}]}, "`Other` is no column"),
        (CLAIM | {"rows": []}, "`rows`"),
        (CLAIM | {"average": None}, "has an average, but `average:` does not say over how many"),
        (CLAIM | {"average": {"name": "Mean", "of": 1}}, "`average: of` is 1, fewer than the 2 columns"),
        (CLAIM | {"surprise": 1}, "`surprise`"),
        ([1, 2], "not a claim"),
    ],
)
def test_a_file_that_makes_no_sense(tmp_path: Path, claim: Any, said: str) -> None:
    refused(written(tmp_path, claim), said)


def test_names_and_files_that_are_not_there(tmp_path: Path) -> None:
    refused("signbalance", "no claim named 'signbalance' (nearest: ")
    refused(tmp_path / "nowhere.yaml", "nowhere.yaml: no such file")
    (tmp_path / "broken.yaml").write_text("rows: [")
    refused(tmp_path / "broken.yaml", "cannot be read as YAML")


def test_the_list_names_every_claim() -> None:
    listed = run_cli("claims", "list").out
    assert all(name in listed for name in all_claims())


def written(folder: Path, claim: Any) -> Path:
    path = folder / "claim.yaml"
    path.write_text(yaml.safe_dump(claim))
    return path


def refused(name: object, said: str) -> None:
    ended = run_cli("claims", "check", name)
    assert ended.code == 2
    [line] = ended.err.splitlines()
    assert said in line
