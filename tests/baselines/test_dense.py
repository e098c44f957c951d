"""Rivals on dense rows keep scikit-learn's contract and ours: any table, the same y."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from populations import mixed_table
from sklearn.linear_model import LogisticRegression
from sklearn.utils.estimator_checks import parametrize_with_checks

from pulps.baselines import (
    DistPUClassifier,
    ElkanNotoClassifier,
    NNPUClassifier,
    OneClassLPS,
    PUBaggingClassifier,
    PUExtraTreesClassifier,
    SpyClassifier,
    TEDnClassifier,
    UPUClassifier,
    VPUClassifier,
)
from pulps.datasets import make_toy

WORDS = {
    "check_classifiers_classes": "string labels need pos_label: which of two words marks a "
    "labeled positive cannot be guessed"
}
SHUFFLED = {
    "check_sample_weight_equivalence_on_dense_data": "a weight of two is the row twice, but the "
    "check shuffles rows, and in another order other draws are made"
}
DRAWN = (ElkanNotoClassifier, UPUClassifier, NNPUClassifier, VPUClassifier, DistPUClassifier)


def known_gaps(estimator):
    return WORDS | (SHUFFLED if isinstance(estimator, (*DRAWN, TEDnClassifier)) else {})


# These checks label every positive row, so that no unlabeled row is one: a small prior.
NO_HIDDEN = {"prior": 0.1, "scenario": "case-control", "random_state": 0}


SHORT = {"network": "linear", "max_epochs": 15, "learning_rate": 0.05, "batch_size": 200}


CHECKED = [
    ElkanNotoClassifier(LogisticRegression(), random_state=0),
    PUBaggingClassifier(n_estimators=10, **NO_HIDDEN),
    SpyClassifier(LogisticRegression(), n_draws=1, random_state=0),
    PUExtraTreesClassifier(n_estimators=10, **NO_HIDDEN),
    UPUClassifier(**NO_HIDDEN, **SHORT),
    NNPUClassifier(**NO_HIDDEN, **SHORT),
    VPUClassifier(learning_rate=0.02, batch_size=50, max_epochs=30, random_state=0),
    DistPUClassifier(warm_up_epochs=15, **NO_HIDDEN, **SHORT),
    TEDnClassifier(warm_up_epochs=5, **NO_HIDDEN, **SHORT),
    TEDnClassifier(),
    OneClassLPS(max_epochs=60, n_members=1, random_state=0),
]


@parametrize_with_checks(CHECKED, expected_failed_checks=known_gaps)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_scikit_learn_contract(estimator, check):
    check(estimator)


FAST = {"learning_rate": 0.01, "batch_size": 250}


ON_TABLES = [
    ElkanNotoClassifier(LogisticRegression()),
    ElkanNotoClassifier(LogisticRegression(), weighted=True),
    PUBaggingClassifier(n_estimators=30),
    SpyClassifier(LogisticRegression(), n_draws=2),
    PUExtraTreesClassifier(n_estimators=30, prior=1 / 3),
    UPUClassifier(prior=1 / 3, **FAST),
    NNPUClassifier(prior=1 / 3, max_epochs=40, **FAST),
    VPUClassifier(**FAST),
    DistPUClassifier(prior=1 / 3, **FAST),
    TEDnClassifier(max_epochs=40, **FAST),
    OneClassLPS(max_epochs=60, n_members=2, contamination=0.3),
]


def name(value):
    return type(value).__name__ if hasattr(value, "fit") else None


@pytest.mark.parametrize("model", ON_TABLES, ids=name)
def test_tables_with_everything_in_them(model):
    X, truth, y = mixed_table(n_rows=120)
    model.set_params(pos_label="yes", random_state=0).fit(X, y)
    probability = model.predict_proba(X)
    assert model.classes_.tolist() == ["no", "yes"]
    np.testing.assert_allclose(probability.sum(axis=1), 1)
    assert ((probability >= 0) & (probability <= 1)).all()
    np.testing.assert_array_equal(model.predict(X) == "yes", probability[:, 1] > 0.5)
    assert (model.predict(X) == np.where(truth, "yes", "no")).mean() > 0.7
    decision = model.decision_function(X)
    unseen = pd.DataFrame({"size": [np.nan], "color": ["violet"], "round": [None]})
    assert np.isfinite(model.decision_function(unseen)).all()
    again = model.fit(pl.from_pandas(X), y).decision_function(pl.from_pandas(X))
    np.testing.assert_allclose(again, decision, atol=1e-9)


ON_MOONS = [
    ElkanNotoClassifier(),
    ElkanNotoClassifier(weighted=True),
    PUBaggingClassifier(prior=0.5),
    SpyClassifier(n_draws=2),
    PUExtraTreesClassifier(prior=0.5, n_estimators=50),
    UPUClassifier(prior=0.5),
    NNPUClassifier(prior=0.5, **FAST),
    VPUClassifier(**FAST),
    DistPUClassifier(prior=0.5, **FAST),
    TEDnClassifier(**FAST),
    OneClassLPS(),
]


@pytest.mark.parametrize("model", ON_MOONS, ids=name)
def test_two_moons_with_a_hundred_labels(model):
    X, y, _ = make_toy("moons", random_state=0)
    fresh, _, truth = make_toy("moons", random_state=100)
    model.set_params(random_state=0).fit(X, y)
    assert (model.predict(fresh) == truth).mean() >= 0.90


@pytest.mark.parametrize("model", [NNPUClassifier(prior=0.3), PUExtraTreesClassifier(prior=0.3)])
def test_a_prior_below_the_labeled_share_is_refused(model):
    X, y = np.arange(10.0)[:, None], np.repeat([1, 0], [4, 6])
    with pytest.raises(ValueError, match="3 of 10 rows are positive, but 4 are labeled"):
        model.fit(X, y)
    assert model.set_params(scenario="case-control").fit(X, y).prior_ == 0.3


@pytest.mark.parametrize("scenario", ["single-training-set", "case-control"])
def test_an_estimated_prior_is_that_of_the_scenario(scenario):
    X, y, _ = make_toy("blobs", n_rows=400, n_labeled=80, random_state=1)
    X = X.to_numpy()
    if scenario == "case-control":
        known = y == 1
        X, y = np.r_[X[known], X], np.r_[y[known], np.zeros_like(y)]
    model = PUExtraTreesClassifier(n_estimators=1, scenario=scenario, random_state=0).fit(X, y)
    assert model.prior_ == pytest.approx(0.5, abs=0.06)
