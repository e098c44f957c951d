"""Scores of rows not seen, and what holds for all methods that use their order."""

import numpy as np
import pytest
from populations import draw_scores
from sklearn.neighbors import KNeighborsClassifier
from sklearn.utils import check_random_state

from pulps.labels import hide_labels
from pulps.priors import bbe, dedpul, elkan_noto
from pulps.priors.scores import deal, held_out_scores, twins_of

SCENARIOS = ["single-training-set", "case-control"]


NINE = np.arange(1, 10) / 10


METHODS = {"bbe": bbe, "dedpul": dedpul}


def estimate(name, labeled, unlabeled):
    return METHODS[name](labeled, unlabeled, **({"n_resamples": 2} if name == "dedpul" else {}))


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("distance", [6.0, 3.0])
def test_scores_apart_give_the_share_of_positives(name, distance):
    """To 0.03 on average over draws, and never 0.1 off."""
    for prior in NINE:
        errors = []
        for seed in range(5):
            labeled, unlabeled, truth = draw_scores(
                prior, distance, n_labeled=1000, n_unlabeled=4000, seed=seed
            )
            found = estimate(name, labeled, unlabeled).prior_of_unlabeled
            errors.append(abs(found - truth.mean()))
        assert np.mean(errors) < 0.03, prior
        assert max(errors) < 0.1, prior


@pytest.mark.parametrize("name", METHODS)
def test_scores_that_overlap_give_too_much_on_average(name):
    errors = []
    for prior in NINE[:5]:
        labeled, unlabeled, truth = draw_scores(prior, 1.0)
        errors.append(estimate(name, labeled, unlabeled).prior_of_unlabeled - truth.mean())
    assert np.mean(errors) > 0.05


@pytest.mark.parametrize("name", METHODS)
def test_only_the_order_of_scores_matters(name):
    labeled, unlabeled, _ = draw_scores(0.4, 2.0, n_labeled=60, n_unlabeled=200)
    plain = estimate(name, labeled, unlabeled).prior_of_unlabeled
    assert estimate(name, np.exp(labeled), np.exp(unlabeled)).prior_of_unlabeled == plain
    assert estimate(name, labeled**3, unlabeled**3).prior_of_unlabeled == plain


@pytest.mark.parametrize("name", METHODS)
def test_scores_that_say_nothing_allow_all_rows_to_be_positive(name):
    assert estimate(name, np.ones(20), np.ones(50)).prior_of_unlabeled == 1


def test_folds_are_even_and_keep_twins_together():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 40, (90, 1)) * 1.0
    labeled = np.arange(90) < 25
    twins = twins_of(X, labeled)
    for number in np.unique(twins):
        members = twins == number
        assert len(np.unique(X[members])) == 1
        assert labeled[members].sum() <= 1
        assert (~labeled[members]).sum() <= 1
    paired = sum(
        min((X[labeled] == value).sum(), (X[~labeled] == value).sum()) for value in np.unique(X)
    )
    assert 90 - len(np.unique(twins)) == paired > 0
    folds = deal(labeled, twins, 5, check_random_state(0))
    for group in (labeled, ~labeled):
        sizes = np.bincount(folds[group], minlength=5)
        assert sizes.max() - sizes.min() <= 1
    assert all(len(np.unique(folds[twins == number])) == 1 for number in np.unique(twins))


@pytest.mark.parametrize(("scenario", "honest"), [(SCENARIOS[0], False), (SCENARIOS[1], True)])
def test_in_case_control_no_row_is_judged_by_its_twin(scenario, honest):
    rng = np.random.default_rng(0)
    y_true = np.repeat([1, 0], [60, 60])
    cloud = rng.normal(size=(120, 2)) + 8 * y_true[:, None]
    rows, y = hide_labels(y_true, n_labeled=40, scenario="case-control", random_state=0)
    scores = held_out_scores(
        cloud[rows],
        y == 1,
        classifier=KNeighborsClassifier(1),
        cv=10,
        scenario=scenario,
        rng=check_random_state(0),
    )
    assert (scores[y == 1].mean() > 0.2) == honest


@pytest.mark.parametrize("function", [bbe, dedpul, elkan_noto])
@pytest.mark.parametrize(
    ("labeled", "unlabeled", "message"),
    [
        ([0.5], [0.1, 0.2], r"labeled_scores has shape \(1,\)"),
        ([0.5, 0.4], [[0.1, 0.2]], r"unlabeled_scores has shape \(1, 2\)"),
        ([0.5, np.nan], [0.1, 0.2], "1 values that are not finite"),
    ],
)
def test_scores_that_cannot_be_used_are_said(function, labeled, unlabeled, message):
    with pytest.raises(ValueError, match=message):
        function(labeled, unlabeled)
