import numpy as np
import pytest

from evalsuite.baselines.choose import best, cross_fitted, optimism, spread

NAN = float("nan")


def test_the_highest_mean_wins_and_ties_go_to_the_earlier():
    assert best(np.array([[0.0, 1.0], [1.0, 1.0], [1.0, 1.0]])) == 1


def test_a_tie_is_a_tie_whatever_the_order_of_summation():
    scores = np.array([[0.1, 0.2, 0.3], [0.3, 0.2, 0.1]])
    assert scores[0].sum() != scores[1].sum()
    assert best(scores) == best(scores[::-1]) == 0


def test_a_setting_that_lacks_a_score_is_no_candidate():
    assert best(np.array([[1.0, NAN], [0.0, 0.5]])) == 1


@pytest.mark.parametrize("scores", [np.full((2, 3), NAN), np.zeros((2, 0)), np.zeros(3), np.zeros((0, 3))])
def test_no_choice_is_refused(scores):
    with pytest.raises(ValueError, match="settings"):
        best(scores)


def test_each_fold_is_scored_with_what_won_on_the_others():
    folds = np.array([0, 0, 1, 1, 2, 2])
    scores = np.array([[1.0, 1.0, 0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.5, 0.5, 0.4, 0.4]])
    assert cross_fitted(scores, folds).tolist() == [1, 1, 0, 0, 0, 0]
    assert optimism(scores, folds) == pytest.approx(2 / 6 - 0.0)


def test_an_items_own_scores_do_not_choose_its_setting():
    rng = np.random.default_rng(0)
    scores, folds = rng.random((6, 40)), np.arange(40) % 4
    before = cross_fitted(scores, folds)
    scores[:, folds == 2] = rng.random((6, 10))
    assert (cross_fitted(scores, folds)[folds == 2] == before[folds == 2]).all()


def test_folds_that_disagree_widen_the_interval():
    assert spread(["a", "a", "a"]) == 1.0
    assert spread(["a", "b"]) == pytest.approx(3**0.5)
    assert spread(["a", "b", "b", "b", "b"]) == 1.5


def test_equal_settings_show_optimism_and_a_clear_winner_shows_none():
    rng = np.random.default_rng(0)
    folds = np.arange(60) % 5
    equal = [optimism(rng.binomial(1, 0.5, (12, 60)).astype(float), folds) for _ in range(200)]
    assert np.mean(equal) > 0.08
    clear = np.vstack([np.full(60, 0.9), np.full((5, 60), 0.1)])
    assert optimism(clear, folds) == pytest.approx(0)


@pytest.mark.parametrize("choose", [cross_fitted, optimism])
@pytest.mark.parametrize(
    ("folds", "message"), [([0, 0, 0, 0], "none of them empty"), ([0, 0, 2, 2], "none of them empty"), ([0, 1], "fit")]
)
def test_folds_that_cannot_be_used_are_refused(choose, folds, message):
    with pytest.raises(ValueError, match=message):
        choose(np.ones((2, 4)), np.array(folds))
