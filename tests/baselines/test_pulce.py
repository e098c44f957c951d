"""Pulce: reliable negatives are far, and neighbors decide."""

import numpy as np
import pytest

from pulps.baselines import PulceClassifier
from pulps.baselines.others.dilca import row_distances


def two_kinds(n_rows=120, seed=0):
    rng = np.random.default_rng(seed)
    truth = np.arange(n_rows) < n_rows // 2
    same = rng.random((n_rows, 6)) < 0.85
    X = np.where(same, truth[:, None], ~truth[:, None]).astype(float)
    X[:, 3:] += rng.integers(0, 2, (n_rows, 3)) * 2
    y = (truth & (np.arange(n_rows) % 3 == 0)).astype(int)
    return X, y, truth


@pytest.mark.parametrize("threshold", ["mean_unlabeled", "mean_positive", "top_n"])
def test_reliable_negatives_are_the_far_unlabeled_rows(threshold):
    X, y, truth = two_kinds()
    model = PulceClassifier(threshold=threshold, categorical_features=list(range(6))).fit(X, y)
    codes = model.coder_.transform(X)
    labeled = y == 1
    score = row_distances(codes, codes[labeled], model.positive_distances_).mean(axis=1)
    cut = {
        "mean_unlabeled": score[~labeled].mean(),
        "mean_positive": score[labeled].mean(),
        "top_n": np.sort(score[~labeled])[-labeled.sum() - 1],
    }[threshold]
    wanted = np.flatnonzero(~labeled & (score > cut))
    assert set(wanted) <= set(model.reliable_negatives_)
    assert len(model.reliable_negatives_) == (
        labeled.sum() if threshold == "top_n" else len(wanted)
    )
    assert truth[model.reliable_negatives_].mean() < truth[~labeled].mean()


@pytest.mark.parametrize("models", ["two", "joint"])
@pytest.mark.parametrize("context", ["sigma", "rr"])
def test_pulce_tells_two_kinds_apart(models, context):
    X, y, truth = two_kinds()
    model = PulceClassifier(models=models, context=context, categorical_features=list(range(6)))
    model.fit(X, y)
    assert (model.predict(X) == truth).mean() > 0.85
    positive = model.predict_proba(X)[:, 1]
    np.testing.assert_array_equal(positive > 0.5, model.decision_function(X) > 0)


def test_two_distances_are_means_over_the_nearest_rows():
    X, y, _ = two_kinds()
    model = PulceClassifier(n_neighbors=3, categorical_features=list(range(6))).fit(X, y)
    row = model.coder_.transform(X[:1])
    a = np.sort(row_distances(row, model.positive_codes_, model.positive_distances_))[0, :3].mean()
    b = np.sort(row_distances(row, model.negative_codes_, model.negative_distances_))[0, :3].mean()
    assert model.decision_function(X[:1])[0] == pytest.approx((b - a) / (a + b))
    assert model.predict_proba(X[:1])[0, 1] == pytest.approx(b / (a + b))


def test_joint_votes_are_shares_of_neighbors():
    X, y, _ = two_kinds()
    model = PulceClassifier(models="joint", n_neighbors=4, categorical_features=list(range(6)))
    share = model.fit(X, y).predict_proba(X)[:, 1]
    assert set(np.unique(share)) <= {0, 0.25, 0.5, 0.75, 1}
