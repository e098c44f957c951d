"""Elkan–Noto, PU bagging, spies and PU extra-trees: the property that defines each of them."""

import math

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from pulps import hide_labels
from pulps.baselines import ElkanNotoClassifier, PUBaggingClassifier, SpyClassifier
from pulps.baselines._shared.risk_tree import grow_tree, node_risk
from pulps.baselines.trees.elkan_noto import hidden_positive_weights
from pulps.baselines.trees.spies import draw_spies, spy_threshold
from pulps.datasets import make_toy
from pulps.priors.elkan_noto import label_share_of_scores

# Elkan–Noto


def overlapping(n=20_000, prior=0.5, frequency=0.4):
    """Two far normal groups of which the positive one is labeled at random."""
    rng = np.random.RandomState(0)
    y_true = (rng.random_sample(n) < prior).astype(int)
    X = rng.normal(6 * y_true, 1)[:, None]
    return X, hide_labels(y_true, label_frequency=frequency, random_state=0), y_true


@pytest.mark.parametrize("scenario", ["single-training-set", "case-control"])
def test_elkan_noto_finds_the_label_frequency(scenario):
    X, y, y_true = overlapping()
    truth = 0.4
    if scenario == "case-control":
        X, y = np.r_[X[y == 1], X], np.r_[y[y == 1], np.zeros_like(y)]
        n_labeled = y.sum()
        truth = n_labeled / (n_labeled + y_true.sum())
    tree = DecisionTreeClassifier(min_samples_leaf=2000)  # f has a plateau, a logistic has none
    model = ElkanNotoClassifier(tree, scenario=scenario, random_state=0)
    assert model.fit(X, y).label_frequency_ == pytest.approx(truth, abs=0.01)
    # far on the positive side a row is positive for sure
    assert model.predict_proba([[6.0], [0.0]])[:, 1] == pytest.approx([1, 0], abs=0.1)


def test_a_given_prior_fixes_the_label_frequency():
    X, y, _ = overlapping(2000)
    model = ElkanNotoClassifier(GaussianNB(), prior=0.5).fit(X, y)
    assert model.label_frequency_ == pytest.approx(y.sum() / 1000)


def test_weights_are_the_posterior_of_unlabeled_rows():
    """By Bayes: P(y=1 | s=0, x) = (1 − c) p / (1 − c p), with f = c p."""
    p, c = np.array([0.0, 0.3, 0.9, 1.0]), 0.4
    np.testing.assert_allclose(hidden_positive_weights(c * p, c), (1 - c) * p / (1 - c * p))


def test_the_three_estimators_of_the_label_frequency_agree_without_overlap():
    labeled = np.repeat([True, False], [40, 160])
    f = np.repeat([0.4, 0.0], [100, 100])
    f[:100], f[100:] = 0.4, 0.0  # a hundred positives, of which forty are labeled
    assert [label_share_of_scores(f, labeled, kind) for kind in ("mean", "ratio", "max")] == [
        pytest.approx(0.4)
    ] * 3


# PU bagging, spies


def test_bagging_with_a_prior_calls_that_share_of_unlabeled_rows_positive():
    X, y, _ = make_toy("moons", random_state=0)
    model = PUBaggingClassifier(prior=0.3, n_estimators=30, random_state=0).fit(X, y)
    share = (model.oob_score_samples_[y == 0] > model.threshold_).mean()
    assert share == pytest.approx((300 - 100) / 900, abs=0.02)


def test_bagging_never_scores_a_row_by_members_that_took_it_for_a_negative():
    X = np.arange(12.0)[:, None]
    y = np.repeat([1, 0], [3, 9])
    model = PUBaggingClassifier(n_estimators=200, prior=None, random_state=0).fit(X, y)
    inside = model.predict_proba(X)[y == 0, 1]
    assert (model.oob_score_samples_[y == 0] >= inside - 1e-12).all()
    assert (model.oob_score_samples_[y == 0] > inside + 0.01).any()


def test_the_spy_threshold_lets_the_noise_share_fall_below():
    scores = np.random.RandomState(0).permutation(np.arange(100.0))
    for noise in (0, 0.05, 0.15):
        assert (scores < spy_threshold(scores, noise)).mean() == pytest.approx(noise)


@pytest.mark.parametrize("n_labeled", [2, 5])
def test_some_labeled_rows_are_no_spies(n_labeled):
    spies = draw_spies(np.arange(9) < n_labeled, 0.95, np.random.RandomState(0))
    assert spies.sum() == n_labeled - 1


def test_a_forest_inside_a_pipeline_is_seeded_too():
    X, y, _ = make_toy("moons", n_rows=80, n_labeled=20, random_state=0)
    forest = make_pipeline(StandardScaler(), RandomForestClassifier(5))
    model = SpyClassifier(forest, random_state=0)
    first, second = (model.fit(X, y).decision_function(X) for _ in range(2))
    np.testing.assert_array_equal(first, second)


def test_an_estimated_prior_asks_for_two_labeled_rows():
    X, y, _ = make_toy("moons", n_rows=40, n_labeled=1, random_state=0)
    with pytest.raises(ValueError, match="Pass the share of positives in the population as prior"):
        PUBaggingClassifier(random_state=0).fit(X, y)


def test_spies_find_negatives_that_are_negative():
    X, y, y_true = make_toy("blobs", random_state=0)
    model = SpyClassifier(GaussianNB(), random_state=0).fit(X, y)
    assert model.reliable_negatives_.sum() > 300
    # a row below the lowest of 15 spies is positive now and then; 44 % of all unlabeled are
    assert y_true[model.reliable_negatives_].mean() < 0.05


# PU extra-trees


def test_the_split_criterion_equals_the_hand_value():
    quadratic = {"loss": "quadratic", "non_negative": True}
    assert node_risk([0.1], [0.4], **quadratic) == pytest.approx(4 * 0.4 * 0.25 * 0.75)
    entropy = -0.4 * (0.25 * math.log(0.25) + 0.75 * math.log(0.75))
    assert node_risk([0.1], [0.4], loss="logistic", non_negative=True) == pytest.approx(entropy)
    assert node_risk([0.6], [0.4], **quadratic) == 0
    unbiased = node_risk([0.6], [0.4], loss="quadratic", non_negative=False)
    assert unbiased == pytest.approx(4 * 0.4 * 1.5 * (1 - 1.5))


def test_a_tree_splits_where_labeled_rows_end():
    x = np.arange(20.0)[:, None]
    labeled = x[:, 0] < 5
    tree = grow_tree(
        x,
        labeled * (0.25 / 5),
        np.full(20, 1 / 20),
        n_candidates=1,
        loss="quadratic",
        non_negative=True,
        max_depth=None,
        min_samples_split=2,
        rng=np.random.RandomState(0),
    )
    np.testing.assert_array_equal(tree.predict(x) > 0.5, labeled)
    assert tree.predict(np.array([[-9.0], [99.0]])).tolist() == [1, 0]
