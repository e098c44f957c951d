"""What a seed promises: the same bits in any process, from any copy."""

import os

import numpy as np
import pytest
import torch
from seed_cases import MODELS, copies, in_a_process, scores
from threadpoolctl import threadpool_limits

pytestmark = [
    pytest.mark.filterwarnings("ignore::pulps.decision.AgreementWarning"),
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning"),
]


@pytest.mark.parametrize("kind", MODELS)
def test_copies_and_forks_are_equal_to_the_bit(kind):
    expected = scores(kind)
    for way, found in copies(kind).items():
        np.testing.assert_array_equal(found, expected, err_msg=way)
    if hasattr(os, "fork"):
        np.testing.assert_array_equal(in_a_process(kind, "fork"), expected)


@pytest.mark.parametrize("kind", MODELS)
def test_small_tables_do_not_depend_on_the_number_of_threads(kind):
    """They are fitted by one thread, and every row is scored by one."""
    expected = scores(kind)
    n_before = torch.get_num_threads()
    with threadpool_limits(2):
        torch.set_num_threads(2)
        try:
            found = scores(kind)
        finally:
            torch.set_num_threads(n_before)
    np.testing.assert_array_equal(found, expected)


def test_a_spawned_process_is_equal_to_the_bit(monkeypatch):
    """Without views, of which tests have smaller ones than another process."""
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    kind = "LPSClassifier without views"
    np.testing.assert_array_equal(in_a_process(kind, "spawn"), scores(kind))
