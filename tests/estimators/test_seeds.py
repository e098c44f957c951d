"""What a seed promises: the same bits in any process, from any copy."""

import os
from contextlib import contextmanager

import numpy as np
import pytest
import torch
from seed_cases import MODELS, copies, in_a_process, rows, scores
from threadpoolctl import threadpool_limits

from pulps.views.classes import fitting

pytestmark = [
    pytest.mark.filterwarnings("ignore::pulps.decision.AgreementWarning"),
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning"),
]


@pytest.fixture(autouse=True)
def few_trees(monkeypatch):
    monkeypatch.setattr(fitting, "N_TREES", 10)
    monkeypatch.setattr(fitting, "N_HELD_OUT_TREES", 5)


@pytest.mark.parametrize("kind", MODELS)
def test_copies_and_forks_are_equal_to_the_bit(kind):
    expected = scores(kind)
    for way, found in copies(kind).items():
        np.testing.assert_array_equal(found, expected, err_msg=way)
    if hasattr(os, "fork"):
        np.testing.assert_array_equal(in_a_process(kind, "fork"), expected)


@contextmanager
def two_threads():
    n_before = torch.get_num_threads()
    with threadpool_limits(2):
        torch.set_num_threads(2)
        try:
            yield
        finally:
            torch.set_num_threads(n_before)


@pytest.mark.parametrize("kind", MODELS)
def test_threads_change_neither_small_fits_nor_scores(kind):
    """Small tables are fitted by one thread, and every row is scored by one."""
    X, y = rows()
    model = MODELS[kind]().fit(X, y)
    many = rows(9000)[0]
    expected = model.decision_function(many)
    with two_threads():
        np.testing.assert_array_equal(model.decision_function(many), expected)
        np.testing.assert_array_equal(model.fit(X, y).decision_function(many), expected)


def test_a_spawned_process_is_equal_to_the_bit(monkeypatch):
    """Without views, of which tests have smaller ones than another process."""
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    kind = "LPSClassifier without views"
    np.testing.assert_array_equal(in_a_process(kind, "spawn"), scores(kind))
