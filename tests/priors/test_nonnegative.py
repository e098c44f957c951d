"""Least squares over weights that are not negative: best from wherever one starts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pulps.priors import nonnegative


def is_best(system, goal, weights):
    slope = system.T @ (goal - system @ weights)
    return (weights >= 0).all() and np.where(weights > 0, abs(slope), slope).max() < 1e-9


@given(st.integers(0, 10_000), st.booleans())
def test_the_best_weights_are_found_from_any_start(seed, wide):
    rng = np.random.default_rng(seed)
    system = rng.normal(size=(4, 12) if wide else (12, 4))
    goal = rng.normal(size=len(system))
    for start in (np.zeros(system.shape[1]), np.maximum(0, rng.normal(size=system.shape[1]))):
        assert is_best(system, goal, nonnegative.finish(system, goal, start))


def test_a_solver_that_stops_early_is_finished(monkeypatch):
    """As SciPy 1.15 does: it keeps a column that the best weights leave out."""
    system = np.array([[2.0, 1.0], [1.0, 0.0], [0.0, 1.0]])
    goal = np.array([1.0, -1.0, 2.0])
    monkeypatch.setattr(nonnegative, "nnls", lambda *_, **__: (np.array([0.8, 0.4]), 0.0))
    weights = nonnegative.nonnegative_weights(system, goal)
    np.testing.assert_allclose(weights, [0, 1.5], atol=1e-12)


def test_weights_that_are_best_stay_as_they_are():
    system, goal = np.eye(3), np.array([1.0, -1.0, 2.0])
    weights = np.array([1.0, 0.0, 2.0])
    assert nonnegative.finish(system, goal, weights) is weights


def test_a_goal_that_no_weights_approach_gets_none():
    found = nonnegative.nonnegative_weights(np.eye(2), np.array([-1.0, -2.0]))
    assert found.tolist() == [0, 0]


def test_equal_columns_do_not_go_round_in_circles():
    system = np.repeat(np.array([[1.0, 0.2], [0.2, 1.0], [0.0, 0.0]]), 3, axis=1)
    goal = np.array([1.0, -0.5, 0.3])
    weights = nonnegative.finish(system, goal, np.full(6, 0.1))
    assert weights[:3].sum() == pytest.approx(0.9 / 1.04)
    assert is_best(system, goal, weights)
