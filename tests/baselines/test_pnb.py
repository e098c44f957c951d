"""PNB is naive Bayes, exactly where proportions are exact."""

import numpy as np
import pytest
from datafolder import DATA, needs_data
from hypothesis import given, settings
from sklearn.metrics import f1_score
from sklearn.naive_bayes import CategoricalNB
from small_tables import ALL, CELLS, drawn_table, exact_tables

from pulps.baselines import PositiveNaiveBayes
from pulps.datasets import load_published_folds


@given(exact_tables())
@settings(max_examples=25)
def test_pnb_with_the_true_prior_is_supervised_naive_bayes(tables):
    X, y, truth = tables
    model = PositiveNaiveBayes(prior=truth.mean(), smoothing=1e-9, categorical_features=ALL)
    supervised = CategoricalNB(alpha=1e-9).fit(X, truth)
    log_odds = np.diff(supervised.predict_joint_log_proba(CELLS)).ravel()
    np.testing.assert_allclose(model.fit(X, y).decision_function(CELLS), log_odds, atol=1e-6)


def test_pnb_on_drawn_rows_approaches_supervised_naive_bayes():
    X, truth, labeled = drawn_table(40_000, 0.5, seed=0)
    model = PositiveNaiveBayes(prior=0.5, categorical_features=ALL).fit(X, labeled.astype(int))
    supervised = CategoricalNB().fit(X, truth)
    ours, theirs = model.predict_proba(X)[:, 1], supervised.predict_proba(X)[:, 1]
    assert np.abs(ours - theirs).mean() < 0.006
    assert (model.predict(X) == supervised.predict(X)).mean() > 0.99


def published_f1(name):
    folds = load_published_folds(name, data_home=DATA)
    scores = []
    for train, test, y in folds.splits(30):
        model = PositiveNaiveBayes(prior=folds.y[train].mean()).fit(folds.X.iloc[train], y)
        predicted = model.predict(folds.X.iloc[test])
        scores.append([f1_score(folds.y[test], predicted, pos_label=label) for label in (0, 1)])
    return np.mean(scores, axis=0)


@needs_data
def test_pnb_with_the_true_prior_on_the_published_folds():
    assert (published_f1("dermatology") >= 0.99).all()
    assert published_f1("vote") == pytest.approx([0.89, 0.92], abs=0.03)
