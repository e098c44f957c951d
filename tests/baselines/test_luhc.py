"""LUHC: its optimality conditions, and what ν promises."""

import numpy as np
import pytest
from scipy import optimize
from sklearn.datasets import make_blobs

from pulps.baselines import LUHCClassifier
from pulps.baselines.others.luhc import dense_features, graph_laplacian


def blobs(n_rows=120, seed=0):
    X, kind = make_blobs(n_rows, centers=[[0, 0], [4, 4]], random_state=seed)
    rng = np.random.default_rng(seed)
    return X, ((kind == 1) & (rng.random(n_rows) < 0.6)).astype(int), kind


@pytest.mark.parametrize("nu", [0.1, 0.25, 0.5, 0.9, 1.0])
def test_nu_bounds_the_share_of_positive_margin_errors(nu):
    X, y, _ = blobs()
    model = LUHCClassifier(nu=nu, gamma=1.0).fit(X, y)
    height = model.decision_function(X[y == 1])
    tolerance = 1e-6 * abs(model.offset_)
    assert (height < -tolerance).mean() <= nu + 1e-9
    assert (height <= tolerance).mean() >= nu - 1e-9


@pytest.mark.parametrize("gamma", ["scale", 4.0, 12.0, 50.0])
@pytest.mark.parametrize("positive", [0, 1])
def test_equal_rows_on_the_margin_are_not_lost_to_rounding(gamma, positive):
    X, _, kind = blobs(200)
    X = np.round(X / 2)  # 17 distinct rows
    y = (kind == positive).astype(int)
    for ridge in (1.0, 1e5):
        model = LUHCClassifier(nu=0.1, gamma=gamma, ridge=ridge).fit(X, y)
        assert (model.predict(X[y == 1]) == 0).mean() <= 0.1


def parts(model, X, y):
    """Kernel matrix and graph penalty as the docstring writes them."""
    order = np.argsort(-y, kind="stable")
    points = dense_features(model.encoder_, model.encoder_.transform(X[order]))
    n_positive = int(y.sum())
    expanded = np.exp(-model.gamma * ((points[:, None] - points[None]) ** 2).sum(axis=2))
    expanded = np.column_stack([expanded, np.ones(len(points))])
    penalty = np.zeros((len(points), len(points)))
    for rows in (slice(0, n_positive), slice(n_positive, None)):
        penalty[rows, rows] = graph_laplacian(points[rows], model.n_neighbors).toarray()
    return expanded, penalty, n_positive


def test_the_solution_minimizes_the_primal_problem():
    X, y, _ = blobs(24)
    model = LUHCClassifier(nu=0.3, ridge=0.5, gamma=2.0, n_neighbors=3).fit(X, y)
    expanded, penalty, n_positive = parts(model, X, y)

    def primal(unknown):
        u, offset = unknown[:-1], unknown[-1]
        heights = expanded @ u
        loss = np.maximum(0, offset - heights[:n_positive]).mean()
        return 0.5 * (0.5 * u @ u + heights @ penalty @ heights) - 0.3 * offset + loss

    ours = np.append(model.coefficients_, model.offset_)
    best = primal(ours)
    rng = np.random.default_rng(0)
    for size in (1e-3, 1e-2, 1e-1):
        for _ in range(30):
            assert primal(ours + size * rng.normal(size=len(ours))) > best
    search = optimize.minimize(primal, ours, method="Powell", options={"maxiter": 3})
    assert search.fun > best - 1e-7


def test_multipliers_obey_the_dual_constraints():
    X, y, _ = blobs()
    model = LUHCClassifier(nu=0.3, gamma=1.0).fit(X, y)
    assert model.multipliers_.min() >= 0
    assert model.multipliers_.max() <= 1 / y.sum() + 1e-12
    assert model.multipliers_.sum() == pytest.approx(0.3)


def test_a_positive_region_is_found():
    X, y, kind = blobs()
    model = LUHCClassifier(nu=0.1, gamma=5.0).fit(X, y)
    assert (model.predict(X) == kind).mean() > 0.9


def test_the_rule_of_the_demo_answers_positive_for_all():
    X, y, _ = blobs()
    assert LUHCClassifier(gamma=0.1, threshold="demo").fit(X, y).predict(X).all()


def test_the_width_follows_the_spread_of_the_columns():
    X, y, _ = blobs()
    columns = (X - X.min(axis=0)) / np.ptp(X, axis=0)
    assert LUHCClassifier().fit(X, y).gamma_ == pytest.approx(1 / columns.var(axis=0).sum())


def test_labeled_rows_are_centers_first():
    X, y, _ = blobs()
    model = LUHCClassifier(max_centers=int(y.sum()) + 5, random_state=0).fit(X, y)
    encoded = dense_features(model.encoder_, model.encoder_.transform(X[y == 1]))
    centers = {tuple(center) for center in model.centers_}
    assert len(model.centers_) == y.sum() + 5
    assert {tuple(row) for row in encoded} <= centers


def test_centers_are_limited():
    X, y, kind = blobs()
    model = LUHCClassifier(gamma=5.0, max_centers=40, random_state=0).fit(X, y)
    assert len(model.centers_) == 40
    assert len(model.coefficients_) == 41
    assert (model.predict(X) == kind).mean() > 0.8


def test_the_graph_is_symmetric_and_constants_cost_nothing():
    laplacian = graph_laplacian(np.arange(6.0)[:, None] ** 2, 2).toarray()
    np.testing.assert_array_equal(laplacian, laplacian.T)
    np.testing.assert_allclose(laplacian @ np.ones(6), 0)
    assert graph_laplacian(np.zeros((1, 2)), 8).toarray() == [[0]]
