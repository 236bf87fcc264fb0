import numpy as np
import pytest

from evalsuite.baselines.race import is_over, replay, rounds, survivors

NAN = float("nan")


def cells(*accuracies: float, items: int, seed: int = 0) -> np.ndarray:
    """One reading a cell, items of shared difficulty: shape [cells, 1, items]."""
    luck = np.random.default_rng(seed).random(items)
    return (luck < np.array(accuracies)[:, None]).astype(float)[:, None]


def spread(items: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """24 cells of two readings, three cells close to the best and the rest 5 to 40 points below; tokens."""
    accuracy = 0.5 - rng.permutation(np.concatenate([[0], rng.uniform(0, 0.03, 3), rng.uniform(0.05, 0.4, 20)]))
    ease = rng.normal(0, 1, items) + rng.normal(0, 0.3, (24, items))
    right = rng.random((24, 4, items)) < 1 / (1 + np.exp(-2 * ease - 5 * (accuracy[:, None] - 0.5)))[:, None]
    kept = right & (rng.random(right.shape) < 0.9)
    return np.stack([right.mean(axis=1), kept.mean(axis=1)], axis=1), rng.integers(100, 900, (24, items))


def test_the_hopeless_go_and_the_close_stay():
    assert survivors(cells(0.6, 0.58, 0.1, items=60), total=200).tolist() == [True, True, False]


@pytest.mark.parametrize("error", [0.0001, 0.05, 0.499])
def test_the_leader_is_never_dropped(error):
    for seed in range(20):
        scores = np.random.default_rng(seed).random((8, 3, 20))
        leader = scores.mean(axis=2).max(axis=1).argmax()
        assert survivors(scores, 100, error)[leader]


def test_one_good_reading_keeps_its_cell():
    good, bad = cells(0.7, 0.1, items=80)
    scores = np.stack([np.vstack([good, bad]), np.vstack([bad, good]), np.vstack([bad, bad])])
    assert survivors(scores, 200).tolist() == [True, True, False]


def test_two_differing_items_of_twelve_prove_nothing():
    scores = np.zeros((2, 1, 12))
    scores[0, 0, :2] = 1
    assert survivors(scores, 100).all()


def test_near_the_end_a_small_lead_is_enough():
    scores = np.zeros((2, 1, 200))
    scores[0, 0, :10], scores[1, 0, 10:16] = 1, 1
    assert survivors(scores, 1000).all()
    assert survivors(scores, 205).tolist() == [True, False]


def test_at_the_end_only_ties_stay():
    scores = cells(0.6, 0.6, 0.55, items=100)
    assert scores[0].sum() > scores[2].sum()
    assert survivors(scores, 100).tolist() == [True, True, False]


def test_a_tie_is_a_tie_whatever_the_order_of_summation():
    thirds = np.array([0.1, 0.2, 0.3, 0.3, 0.2, 0.1]).reshape(2, 1, 3)
    assert survivors(thirds, 3).all()
    assert survivors(thirds[::-1], 3).all()


def test_who_is_out_stays_out():
    scores = cells(0.3, 0.9, items=50)
    scores[1, 0, 20:] = NAN
    assert survivors(scores, 100).tolist() == [True, False]
    assert is_over(scores, 100)
    with pytest.raises(ValueError, match="settings"):
        survivors(np.full((2, 1, 5), NAN), 100)


def test_the_last_cell_runs_on_while_its_readings_are_open():
    good, close, bad = cells(0.7, 0.68, 0.1, items=80)
    scores = np.stack([np.vstack([good, close]), np.vstack([bad, bad])])
    assert survivors(scores, 200).tolist() == [True, False]
    assert not is_over(scores, 200)
    assert is_over(scores[:, :1], 200)


def test_more_items_than_there_are_is_refused():
    with pytest.raises(ValueError, match="20 items were seen of only 19"):
        survivors(np.zeros((2, 1, 20)), 19)


@pytest.mark.parametrize("total", [1, 12, 30, 100, 400, 5000])
def test_one_looks_ever_later_and_at_last_at_all(total):
    looks = rounds(total)
    assert looks[-1] == total
    assert looks[0] == min(total, max(12, round(total / 8)))
    assert looks == sorted(set(looks))
    assert len(looks) <= 7
    assert rounds(13) == [13]


def test_a_race_over_nothing_is_refused():
    with pytest.raises(ValueError, match="no items"):
        rounds(0)


def test_a_clear_race_is_short_and_spends_by_the_tokens():
    scores, cost = cells(0.9, 0.1, items=160), np.stack([np.full(160, 100), np.full(160, 300)])
    run = replay(scores, cost, np.arange(160))
    assert (run.chosen, run.same, run.shortfall) == ((0, 0), True, 0)
    assert run.spent == pytest.approx(1 / 8)


def test_ties_cost_everything_and_go_to_the_earlier():
    run = replay(np.repeat(cells(0.5, items=100), 3, axis=0), np.ones((3, 100)), np.arange(100))
    assert (run.chosen, run.same, run.spent) == ((0, 0), True, 1)


def test_a_misleading_start_is_counted_as_another_choice():
    scores = np.zeros((2, 1, 200))
    scores[0, 0, :40], scores[1, 0, 40:] = 1, 0.5
    run = replay(scores, np.ones((2, 200)), np.arange(200))
    assert (run.chosen, run.same) == ((0, 0), False)
    assert run.shortfall == pytest.approx(0.4 - 0.2)


def test_the_same_choice_for_half_the_tokens():
    rng = np.random.default_rng(1)
    runs = [replay(*spread(items, rng), rng.permutation(items)) for items in (100, 400) for _ in range(100)]
    same, saved = np.mean([run.same for run in runs]), 1 - np.mean([run.spent for run in runs])
    print(f"same choice {same:.3f}, saved {saved:.2f}")
    assert same >= 0.97
    assert saved >= 0.55


def test_equal_cells_are_not_raced_away():
    rng = np.random.default_rng(2)
    runs = []
    for _ in range(200):
        chances = rng.beta(1, 1, 200)
        scores = rng.binomial(4, chances, (24, 1, 200)) / 4
        runs.append(replay(scores, np.ones((24, 200)), rng.permutation(200)))
    same = np.mean([run.same for run in runs])
    print(f"same choice among equals {same:.3f}")
    assert same >= 0.95


@pytest.mark.parametrize(
    ("scores", "cost", "order"),
    [
        (np.zeros((2, 1, 4)), np.ones((2, 3)), np.arange(4)),
        (np.zeros((2, 1, 4)), np.ones((2, 4)), np.array([0, 1, 2, 2])),
        (np.full((2, 1, 4), NAN), np.ones((2, 4)), np.arange(4)),
    ],
)
def test_what_cannot_be_replayed_is_refused(scores, cost, order):
    with pytest.raises(ValueError, match=r"fit|missing"):
        replay(scores, cost, order)
