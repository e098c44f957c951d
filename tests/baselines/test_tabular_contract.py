"""The tabular rivals keep scikit-learn's contract and ours: any table, the same y."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from populations import mixed_table
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from pulps.baselines import (
    AveragedPositiveNaiveBayes,
    AveragedPositiveTAN,
    DilcaDistance,
    GenerativePUClassifier,
    LUHCClassifier,
    PositiveNaiveBayes,
    PositiveTAN,
    PulceClassifier,
)
from pulps.benchmark.methods import find_method
from pulps.benchmark.protocol import Task, run_task

# These checks label every positive row, so that hardly any unlabeled row is one.
FEW = {"prior": 0.1, "scenario": "case-control"}
CLASSIFIERS = [
    PositiveNaiveBayes(**FEW),
    AveragedPositiveNaiveBayes(**FEW),
    PositiveTAN(**FEW),
    AveragedPositiveTAN(**FEW),
    LUHCClassifier(gamma=10.0),
    PulceClassifier(),
    GenerativePUClassifier(C_grid=[1.0], gamma_grid=[0.1], random_state=0),
]


def known_gaps(estimator):
    if isinstance(estimator, DilcaDistance):
        return {}
    return {
        "check_classifiers_classes": "string labels need pos_label: which of two words marks a "
        "labeled positive cannot be guessed"
    }


@parametrize_with_checks(
    [*CLASSIFIERS, DilcaDistance()], expected_failed_checks=known_gaps, xfail_strict=True
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


def without_hints(model):
    """The same model with its own prior, as a user would call it."""
    own = {"prior": "estimate", "scenario": "single-training-set"}
    ours = {name: value for name, value in own.items() if name in model.get_params()}
    return clone(model).set_params(pos_label="yes", random_state=0, **ours)


@pytest.mark.parametrize("model", CLASSIFIERS, ids=lambda model: type(model).__name__)
def test_tables_with_everything_in_them(model):
    X, truth, y = mixed_table()
    model = without_hints(model).fit(X, y)
    probability = model.predict_proba(X)
    assert model.classes_.tolist() == ["no", "yes"]
    np.testing.assert_allclose(probability.sum(axis=1), 1)
    np.testing.assert_array_equal(model.predict(X) == "yes", probability[:, 1] > 0.5)
    assert (model.predict(X) == np.where(truth, "yes", "no")).mean() > 0.7
    other = without_hints(model).fit(pl.from_pandas(X), y)
    again = other.decision_function(pl.from_pandas(X))
    np.testing.assert_allclose(again, model.decision_function(X), atol=1e-9)
    unseen = pd.DataFrame({"size": [np.nan], "color": ["violet"], "round": [None]})
    assert np.isfinite(model.decision_function(unseen)).all()


@pytest.mark.parametrize("name", "pnb apnb ptan aptan pulce".split())
def test_the_rivals_run_in_the_benchmark(name):
    record = run_task(Task("blobs", label_frequency=0.3), find_method(name))
    assert record["error"] is None
    assert record["auc"] > 0.8


def test_luhc_is_tuned_without_negatives():
    X, truth, y = mixed_table()
    search = find_method("luhc").make(Task("moons", label_frequency=0.3))
    search.fit(X, (y == "yes").astype(int))
    assert search.best_score_ == search.cv_results_["mean_test_score"].max() > 1  # all-positive: 1
    assert (search.predict(X) == truth).mean() > 0.7
