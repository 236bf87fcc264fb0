"""Curves of sources: their numbers, what is said of a crossing, the notes, and the picture."""

import io
import json
from itertools import combinations

import pytest
from rich.console import Console

from evalsuite.errors import RequestError
from evalsuite.report.passk.curves import curve
from evalsuite.report.passk.data import PassK, pass_k, passk_json
from evalsuite.report.passk.plot import plot
from evalsuite.report.passk.view import passk_view
from evalsuite.report.sources import Source
from evalsuite.stats.majority import Votes

SETTING = {"prompt": "boxed", "temperature": "T=0.6", "seed": "seed 0", "engine": "vllm 1"}


def source(counts: list[tuple[int, int]], name: str = "run", **changes) -> Source:
    fields = {"task": "math", "origin": f"runs/{name}", "counts": {f"i{i:03}": pair for i, pair in enumerate(counts)}}
    return Source(name=name, **(fields | changes))


def shown(found: PassK) -> str:
    out = io.StringIO()
    Console(file=out, width=80).print(passk_view(found))
    return out.getvalue()


def words(found: PassK) -> str:
    return " ".join(shown(found).split())


# The base model solves every item now and then, the trained one half of them always: their curves cross.
BASE = source([(16, 4)] * 40, "base", setting=SETTING)
TRAINED = source([(16, 16)] * 20 + [(16, 0)] * 20, "trained", setting=SETTING)


def test_each_point_is_the_mean_over_items_of_all_subsets():
    counts = [(4, 1), (5, 3), (6, 0), (4, 4)]
    found = curve(source(counts))
    assert [point.k for point in found.points] == [1, 2, 4]
    for point in found.points:
        solved = [
            [any(i < c for i in subset) for subset in combinations(range(n), point.k)] for n, c in counts
        ]  # the first c samples are the right ones
        expected = sum(sum(subsets) / len(subsets) for subsets in solved) / len(counts)
        assert point.estimate.value == pytest.approx(expected)
        assert 0 <= point.estimate.low <= expected <= point.estimate.high <= 1
        assert point.resampled[0] <= expected <= point.resampled[1]
    assert found.average.value == pytest.approx((1 / 4 + 3 / 5 + 0 + 1) / 4)
    assert dict(found.cover)[0.5].value == pytest.approx(2 / 4)
    assert dict(found.cover)[1.0].value == pytest.approx(1 / 4)


def test_cover_of_single_samples_is_left_out_unless_asked_for():
    single = source([(1, 1), (1, 0)])
    assert curve(single).cover == ()
    assert [share for share, _ in curve(single, thresholds=[0.2]).cover] == [0.2]


def test_no_k_is_made_smaller_in_silence():
    with pytest.raises(RequestError, match=r"runs/run: pass@8 of math is undefined: it needs 1 <= k <= n, and an item"):
        curve(source([(8, 1), (4, 1)]), [8])


def test_other_items_are_refused_and_named():
    other = source([(16, 4)] * 39, "other")
    with pytest.raises(RequestError, match=r"40 items against 39, 1 of them on one side only \(i039\)"):
        pass_k([BASE, other])


def test_a_crossing_is_shown_where_both_ends_are_beyond_noise():
    found = pass_k([BASE, TRAINED])
    [meeting] = found.tasks[0].meetings
    assert meeting.lead_at_1.value == pytest.approx(0.5 - 0.25)
    assert meeting.lead_at_end.value == pytest.approx(-0.5)
    assert meeting.shown
    assert meeting.crossing.low <= meeting.crossing.k <= meeting.crossing.high
    assert "trained − base: +25.0" in words(found)
    assert "the curves cross at k ≈ " in words(found)


def test_a_crossing_within_noise_is_called_that():
    slight = source([(16, 5)] * 36 + [(16, 0)] * 4, "slight", setting=SETTING)
    found = pass_k([BASE, slight])
    assert not found.tasks[0].meetings[0].shown
    assert "no crossing is shown" in words(found)


def test_curves_that_do_not_cross_and_single_samples():
    assert "do not cross up to k = 16" in words(pass_k([BASE, source([(16, 12)] * 40, "better")]))
    found = pass_k([source([(1, 1), (1, 0), (1, 0)], "a"), source([(1, 1), (1, 1), (1, 0)], "b")])
    assert "b − a: +33.3 [" in words(found)
    assert "cross" not in words(found)


def test_what_differs_between_sources_is_named():
    hot = source([(16, 4)] * 40, "hot", setting=SETTING | {"temperature": "T=1", "engine": "vllm 1 and vllm 2"})
    notes = pass_k([BASE, hot, source([(16, 4)] * 39 + [(32, 4)], "bare")]).notes
    assert "the sources differ in temperature: T=0.6 (base); T=1 (hot)" in notes
    assert "hot: its samples come from several engines: vllm 1 and vllm 2" in notes
    assert "bare: counts alone; how they were sampled and graded is not known" in notes
    assert "bare: items have between 16 and 32 samples" in notes
    assert not any("seed" in note for note in notes)


def test_a_k_close_to_n_is_warned_of():
    assert any("k above n/2" in note for note in pass_k([BASE], [1, 9]).notes)
    assert not any("k above n/2" in note for note in pass_k([BASE], [1, 8]).notes)


def test_majority_stands_beside_pass_at_k():
    votes = {"a": Votes(3, (1,)), "b": Votes(1, (3,))}
    found = pass_k([source([(4, 3), (4, 1)], votes=votes)], [1, 3])
    assert dict(found.tasks[0].curves[0].majority)[3].value == pytest.approx((1.0 + 0.0) / 2)
    assert "maj@3" in shown(found)


def test_two_of_one_name_are_told_apart_by_their_paths():
    twins = [source([(4, 1)] * 4, "run", origin=origin) for origin in ("old/run", "new/run")]
    assert [one.source.name for one in pass_k(twins).tasks[0].curves] == ["old/run", "new/run"]


def test_the_view_fits_80_columns_and_the_json_is_plain():
    found = pass_k([BASE, TRAINED, source([(16, 2)] * 40, "third"), source([(16, 3)] * 40, "fourth")])
    assert max(map(len, shown(found).splitlines())) <= 80
    data = json.loads(json.dumps(passk_json(found)))
    row = data["rows"][0]
    assert (row["run"], row["task"], row["k"], row["items"], row["samples"]) == ("base", "math", 1, 40, 16)
    assert row["estimate"]["value"] == pytest.approx(0.25)
    assert [crossing["second"] for crossing in data["crossings"]] == ["trained", "third", "fourth"]
    assert [crossing["shown"] for crossing in data["crossings"]] == [True, False, False]


@pytest.mark.parametrize(("name", "begins"), [("a.png", b"\x89PNG"), ("a.svg", b"<?xml"), ("a.pdf", b"%PDF")])
def test_the_picture_is_of_the_kind_of_its_name(tmp_path, name, begins):
    plot(pass_k([BASE, TRAINED]), tmp_path / name)
    assert (tmp_path / name).read_bytes().startswith(begins)
