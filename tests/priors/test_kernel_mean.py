"""Kernel means: the projection is exact, the distance convex, large tables subsampled."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from populations import draw_gaussians
from prior_estimators import SCENARIOS, error, make

from pulps.priors.kernel_mean import nearest_in_hull


@given(st.integers(0, 10_000))
def test_no_corner_lies_nearer_than_the_nearest_point(seed):
    """The optimality condition of a projection, and the point is a mixture of corners."""
    rng = np.random.default_rng(seed)
    corners, target = rng.normal(size=(rng.integers(2, 12), 3)), 2 * rng.normal(size=3)
    point = nearest_in_hull(corners, target)
    assert ((corners - point) @ (target - point)).max() < 1e-9
    inside = nearest_in_hull(corners, point)
    np.testing.assert_allclose(inside, point, atol=1e-7)


def test_the_distance_of_kernel_means_is_convex():
    X, y, _ = draw_gaussians(0.4, SCENARIOS[0], distance=2, n_rows=300)
    model = make("km2").fit(X, y)
    seen = model.diagnostics_
    assert (np.diff(seen["slopes"]) > -1e-9).all()
    assert seen["slopes"].max() <= seen["mean_distance"] + 1e-9
    under = seen["slopes"] <= seen["slope_threshold"]
    assert seen["candidates"][under].max() < model.prior_of_unlabeled_
    assert seen["candidates"][~under].min() > model.prior_of_unlabeled_


def test_kernel_means_of_large_tables_use_some_of_the_rows():
    X, y, truth = draw_gaussians(0.4, SCENARIOS[0], distance=5, n_rows=1500)
    model = make("km2", max_rows=300)
    assert error(model, X, y, truth) == pytest.approx(0, abs=0.15)
    assert model.diagnostics_["labeled_rows_used"] == 150
    assert model.diagnostics_["unlabeled_rows_used"] == 150
