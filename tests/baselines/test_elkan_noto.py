"""Elkan–Noto finds the label frequency and weighs unlabeled rows by Bayes' rule."""

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from pulps import hide_labels
from pulps.baselines import ElkanNotoClassifier
from pulps.baselines.trees.elkan_noto import drawn_positives, hidden_positive_weights


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


@pytest.mark.filterwarnings("ignore:The `probability` parameter:FutureWarning")
@pytest.mark.parametrize(
    "estimator",
    [SVC(probability=True), CalibratedClassifierCV(SVC(), ensemble=False)],
    ids=["probability", "calibrated"],
)
def test_a_classifier_that_cross_validates_is_not_shown_a_row_twice(estimator):
    """Copies of a row with both labels, one on either side of its split, turned classes around."""
    X, y, y_true = overlapping(400)
    model = ElkanNotoClassifier(estimator, weighted=True, prior=0.5, random_state=0).fit(X, y)
    assert (model.predict(X) == y_true).mean() > 0.95


def test_positives_are_drawn_as_weights_say():
    rng = np.random.RandomState(0)
    weights = rng.uniform(size=30)
    draws = np.array([drawn_positives(weights, rng) for _ in range(4000)])
    assert np.ptp(draws.sum(axis=1)) <= 1
    np.testing.assert_allclose(draws.mean(axis=0), weights, atol=0.03)


def test_a_sure_weight_is_no_chance():
    drawn = drawn_positives(np.array([1.0, 0.0, 1.0, 0.0, 0.3]), np.random.RandomState(1))
    assert drawn[[0, 2]].all()
    assert not drawn[[1, 3]].any()


@pytest.mark.parametrize("weighted", [False, True])
def test_a_classifier_without_weights_of_rows_may_be_inside(weighted):
    rng = np.random.RandomState(0)
    truth = np.repeat([1, 0], [60, 90])
    X = rng.normal(size=(150, 2)) + 3 * truth[:, None]
    y = hide_labels(truth, label_frequency=0.5, random_state=0)
    inside = KNeighborsClassifier(15)  # as TabPFN and TabICL, it remembers rows and weighs none
    model = ElkanNotoClassifier(inside, weighted=weighted, random_state=0).fit(X, y)
    assert (model.predict(X) == truth).mean() > 0.9
