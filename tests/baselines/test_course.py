"""Races over scores that are known: who is dropped when, what is needed next, and who wins each fold."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from evalsuite.baselines.course import fold_numbers, run_course, winners
from evalsuite.baselines.plan import FOLDS
from evalsuite.baselines.race import rounds
from evalsuite.baselines.scores import ScoreTable, score_table
from evalsuite.catalog.items import AnswerKind
from evalsuite.evaluate.run import Run
from evalsuite.grading.verdict import Status, Verdict
from evalsuite.protocol import Protocol, Sampling
from evalsuite.rollouts.record import FinishReason, Rollout

N = 60
PROTOCOL = Protocol(
    *("own", "test", AnswerKind.NUMBER, "", "", N, "boxed", "", "boxed", (), 0, None, None),
    sampling=Sampling(0.7, 1.0, 1, 64, 0),
    grader="",
)


def table(*cells: np.ndarray) -> ScoreTable:
    """Cells with one reading; what is NaN was not generated."""
    values = np.stack(cells)[:, None].astype(float)
    protocols = tuple(replace(PROTOCOL, prompt=f"prompt{number}") for number in range(len(cells)))
    items = tuple(f"item{number:02}" for number in range(values.shape[2]))
    return ScoreTable(protocols, ((64, "lenient"),), items, values, np.full((len(cells), len(items)), 10))


def seen(scores: np.ndarray, n: int) -> np.ndarray:
    return np.where(np.arange(len(scores)) < n, scores, np.nan)


ALWAYS, NEVER, HALF = np.ones(N), np.zeros(N), np.arange(N) % 2.0
OTHER_HALF = 1 - HALF


@pytest.mark.parametrize("folds", [None, FOLDS])
def test_the_first_round_needs_the_first_items_of_every_cell(folds: int | None) -> None:
    course = run_course(table(seen(ALWAYS, 0), seen(NEVER, 0)), folds, racing=True)
    first = rounds(N)[0]
    assert course.needs.tolist() == 2 * [[place < first for place in range(N)]]
    assert (course.round, course.of_rounds, course.over) == (1, len(rounds(N)), False)
    assert all(race.looked == 0 for race in course.races)


def test_a_cell_that_cannot_win_is_asked_no_more() -> None:
    first, second = rounds(N)[:2]
    course = run_course(table(seen(HALF, first), seen(OTHER_HALF, first), seen(NEVER, first)), None, racing=True)
    (race,) = course.races
    assert race.alive.tolist() == [True, True, False]
    assert course.needs.sum(axis=1).tolist() == [second, second, 0]


def test_a_race_with_one_setting_left_is_over_before_all_is_seen() -> None:
    first = rounds(N)[0]
    scores = table(seen(ALWAYS, first), seen(NEVER, first))
    course = run_course(scores, None, racing=True)
    assert course.over
    assert winners(scores, course) == [0]


def test_without_a_race_the_one_round_is_everything() -> None:
    first = rounds(N)[0]
    assert run_course(table(seen(ALWAYS, first), seen(NEVER, first)), None, racing=False).needs.all()
    whole = table(HALF, ALWAYS, NEVER)
    course = run_course(whole, FOLDS, racing=False)
    assert (course.over, course.of_rounds) == (True, 1)
    assert winners(whole, course) == FOLDS * [1]


def test_each_fold_takes_what_is_best_on_the_others_and_never_looks_at_its_own() -> None:
    """One cell is right on the items of fold 0 alone, the other a little more often elsewhere."""
    fold = fold_numbers(N, FOLDS)
    zero = (fold == 0).astype(float)
    rest = ((fold != 0) & (np.arange(N) % 3 == 0)).astype(float)
    scores = table(zero, rest)
    course = run_course(scores, FOLDS, racing=False)
    assert [race.chooses.tolist() for race in course.races] == [(fold != number).tolist() for number in range(FOLDS)]
    expected = [int(rest[fold != number].mean() > zero[fold != number].mean()) for number in range(FOLDS)]
    assert winners(scores, course) == expected
    assert winners(scores, course)[0] == 1
    turned = table(np.where(fold == 0, 1 - zero, zero), rest)
    assert winners(turned, run_course(turned, FOLDS, racing=False))[0] == 1


def test_the_same_scores_give_the_same_course_however_they_came() -> None:
    rng = np.random.default_rng(1)
    cells = (rng.random((6, N)) < np.array([0.7, 0.68, 0.5, 0.4, 0.3, 0.1])[:, None]).astype(float)
    known = np.full_like(cells, np.nan)
    spent = []
    while True:
        course = run_course(table(*known), FOLDS, racing=True)
        if course.over:
            break
        new = course.needs & np.isnan(known)
        assert new.any()
        spent.append(int(new.sum()))
        known[new] = cells[new]
    again = run_course(table(*known), FOLDS, racing=True)
    assert [race.alive.tolist() for race in again.races] == [race.alive.tolist() for race in course.races]
    assert winners(table(*known), again) == winners(table(*known), course)
    assert sum(spent) < cells.size
    assert winners(table(*cells), run_course(table(*cells), FOLDS, racing=False)) == winners(table(*known), course)


# --- The table of scores ---


def run_of(*rollouts: tuple[str, int, FinishReason, bool | None], cell: str) -> Run:
    """A run with these answers: item, sample, why it ended, whether it was right (None: it was not graded)."""
    stored, verdicts = {}, {}
    for item, sample, reason, right in rollouts:
        one = Rollout(cell, "own", item, sample, 0, 5, "text", (1, 2, 3), reason)
        stored[one.key] = one
        if right is not None:
            verdicts[one.key] = Verdict(right, False, float(right), "1", "boxed", Status.OK, False, "")
    return Run(Path("run"), {}, (), {}, {}, stored, verdicts, "")


def test_an_items_score_is_the_mean_of_its_first_samples() -> None:
    protocol = replace(PROTOCOL, sampling=Sampling(0.7, 1.0, 2, 64, 0))
    stop, error, long = FinishReason.STOP, FinishReason.ERROR, FinishReason.PROMPT_TOO_LONG
    run = run_of(
        *(("half", 0, stop, True), ("half", 1, stop, False), ("half", 2, stop, True)),  # the third is not asked for
        *(("one missing", 0, stop, True), ("failed", 0, stop, True), ("failed", 1, error, None)),
        *(("too long", 0, long, None), ("too long", 1, long, None)),
        *(("ungraded", 0, stop, True), ("ungraded", 1, stop, None)),
        cell=protocol.cell,
    )
    items = ("half", "one missing", "failed", "too long", "ungraded", "not there")
    found = score_table({64: run}, [protocol], [(64, "lenient"), (64, "strict")], items)
    nan = float("nan")
    np.testing.assert_array_equal(found.values[0, 0], [0.5, nan, nan, 0, nan, nan])
    np.testing.assert_array_equal(found.values[0, 1], [0, nan, nan, 0, nan, nan])
    assert found.tokens[0].tolist() == [6, 3, 3, 6, 6, 0]
    assert (found.setting(0).parser, found.setting(1).parser) == ("lenient", "strict")
