"""GPU: the rows it takes for negative, and its grid against scikit-learn's."""

import numpy as np
import pytest
from sklearn.metrics import f1_score, make_scorer
from sklearn.model_selection import GridSearchCV, StratifiedShuffleSplit
from sklearn.svm import SVC

from pulps.baselines import GenerativePUClassifier
from pulps.baselines.bayes.generative_pu import grid_scores


def pu_table(seed=0, n_rows=150):
    rng = np.random.default_rng(seed)
    truth = np.arange(n_rows) < n_rows // 2
    X = np.where(rng.random((n_rows, 6)) < 0.85, truth[:, None], ~truth[:, None]).astype(float)
    return X, (truth & (np.arange(n_rows) % 3 == 0)).astype(int), truth


SMALL = {"C_grid": [0.1, 1, 10], "gamma_grid": [0.01, 0.1, 1], "categorical_features": [*range(6)]}


@pytest.mark.parametrize("network", ["k2", "chow-liu"])
@pytest.mark.parametrize("n_networks", [1, 5])
def test_the_least_likely_unlabeled_rows_are_negative(network, n_networks):
    X, y, truth = pu_table()
    model = GenerativePUClassifier(
        network=network, n_networks=n_networks, random_state=0, **SMALL
    ).fit(X, y)
    assert len(model.networks_) == n_networks
    codes = model.coder_.transform(X)
    density = np.mean([np.exp(n.log_likelihood(codes)) for n in model.networks_], axis=0)
    chosen = np.isin(np.arange(len(X)), model.reliable_negatives_)
    assert chosen.sum() == y.sum()
    assert not (chosen & (y == 1)).any()
    assert density[chosen].max() <= density[(y == 0) & ~chosen].min() + 1e-12
    assert (model.predict(X) == truth).mean() > 0.85


@pytest.mark.parametrize("balanced", [True, False])
def test_the_grid_is_that_of_a_grid_search(balanced):
    rng = np.random.default_rng(0)
    features = rng.random((40, 3))
    height = features[:, 0] + 0.3 * rng.normal(size=40)
    signs = np.where(height > np.quantile(height, 0.5 if balanced else 0.7), 1, -1)
    splits = list(StratifiedShuffleSplit(5, test_size=0.2, random_state=0).split(features, signs))
    grid = {"C": [1e-5, 1e-3, 0.1, 1, 10, 1e3], "gamma": [1e-4, 0.1, 10, 1e3]}
    search = GridSearchCV(
        SVC(), grid, cv=splits, scoring=make_scorer(f1_score, pos_label=-1, zero_division=0)
    ).fit(features, signs)
    ours = grid_scores(features, signs, splits, grid["C"], grid["gamma"])
    np.testing.assert_allclose(ours.ravel(), search.cv_results_["mean_test_score"])


def test_two_labeled_rows_are_too_few_for_a_grid():
    X, y, _ = pu_table()
    y = np.where(np.cumsum(y) <= 2, y, 0)
    assert GenerativePUClassifier(**SMALL).fit(X, y).svm_.gamma == "auto"
