"""Rivals on tables keep scikit-learn's contract and ours: any table, the same y."""

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
    gaps = {
        "check_classifiers_classes": "string labels need pos_label: which of two words marks a "
        "labeled positive cannot be guessed"
    }
    if isinstance(estimator, GenerativePUClassifier):
        gaps["check_sample_weight_equivalence_on_dense_data"] = (
            "a weight of two is the row twice, but the check shuffles rows, and in another order "
            "other folds are made"
        )
    return gaps


@parametrize_with_checks(
    [*CLASSIFIERS, LUHCClassifier(), DilcaDistance()], expected_failed_checks=known_gaps
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
