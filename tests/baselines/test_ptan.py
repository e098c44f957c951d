"""PTAN is a supervised tree, and finds a planted one."""

import numpy as np
from hypothesis import given, settings
from small_tables import ALL, CELLS, exact_tables

from pulps.baselines import PositiveTAN
from pulps.baselines._shared.dependency_tree import ROOT


@given(exact_tables())
@settings(max_examples=25)
def test_ptan_with_the_true_prior_is_a_supervised_tree(tables):
    X, y, truth = tables
    model = PositiveTAN(prior=truth.mean(), smoothing=1e-9, categorical_features=ALL).fit(X, y)

    def log_joint(rows):
        total = np.log(len(rows) / len(X))
        for attribute, parent in enumerate(model.parents_):
            same = rows[:, None] == CELLS
            given_parent = same[:, :, parent] if parent != ROOT else np.ones(same.shape[:2])
            total = total + np.log((same[:, :, attribute] * given_parent).sum(axis=0))
            total = total - np.log(given_parent.sum(axis=0))
        return total

    log_odds = log_joint(X[truth == 1]) - log_joint(X[truth == 0])
    np.testing.assert_allclose(model.decision_function(CELLS), log_odds, atol=1e-6)


def test_ptan_recovers_a_planted_tree():
    rng = np.random.default_rng(4)
    parents = [ROOT, 0, 0, 1, 1, 2]
    truth = rng.random(6000) < 0.5
    X = np.zeros((6000, 6))
    for attribute, parent in enumerate(parents):
        if parent == ROOT:
            X[:, 0] = rng.random(6000) < np.where(truth, 0.7, 0.3)
        else:
            kept = rng.random(6000) < np.where(truth, 0.85, 0.15)
            X[:, attribute] = np.where(kept, X[:, parent], 1 - X[:, parent])
    labeled = truth & (rng.random(6000) < 0.3)
    model = PositiveTAN(prior=0.5, categorical_features=list(range(6))).fit(X, labeled)
    assert model.parents_.tolist() == parents
