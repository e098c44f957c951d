"""Rows that stand for all rows of a table, and fits that are decided by them."""

import numpy as np
import pytest
from fitters import points
from hypothesis import given
from hypothesis import strategies as st

from pulps import LPSClassifier
from pulps.estimators.tables.encoded_table import EncodedTable


def table_of(labeled, weights, known=None):
    values = np.arange(len(labeled), dtype=float)[:, None]
    return EncodedTable(values, labeled, weights, np.array([0, 1]), None, None, known)


@given(st.integers(1, 60), st.integers(0, 60), st.integers(4, 40), st.integers(0, 99))
def test_some_rows_weigh_as_much_as_all_rows_of_their_kind(n_others, n_labeled, most, seed):
    rng = np.random.RandomState(seed)
    labeled = rng.permutation(np.r_[np.ones(n_labeled, bool), np.zeros(n_others, bool)])
    table = table_of(labeled, rng.uniform(0.5, 2, len(labeled)), rng.randint(-1, 2, len(labeled)))
    some, rows = table.evenly(most)
    assert len(some) == min(len(table), most)
    assert (np.diff(rows) > 0).all()
    np.testing.assert_array_equal(some.values[:, 0], rows)
    np.testing.assert_array_equal(some.labeled, labeled[rows])
    np.testing.assert_array_equal(some.known, table.known[rows])
    for kind in (True, False):
        told = some.weights[some.labeled == kind].sum()
        assert told == pytest.approx(table.weights[labeled == kind].sum())


def test_rows_that_are_taken_are_spread_over_the_table_and_rare_labels_stay():
    labeled = np.arange(1000) % 250 == 3
    some, rows = table_of(labeled, np.ones(1000)).evenly(100)
    assert some.labeled.sum() == 4
    assert np.diff(rows).max() <= 12
    assert rows[0] < 12
    assert rows[-1] > 985


@pytest.mark.parametrize("special", [{"first_guess": None}, {}])
def test_a_fit_is_decided_by_some_rows_as_it_is_by_all(monkeypatch, special):
    X, y = points(3000)
    options = {"n_members": 2, "max_epochs": 3, "bond_dim": 3, "random_state": 0} | special
    whole = LPSClassifier(**options).fit(X, y)
    monkeypatch.setattr("pulps.estimators.tables.deciding_rows.MOST_ROWS", 1000)
    some = LPSClassifier(**options).fit(X, y)
    for one, other in zip(whole.positive_cores_, some.positive_cores_, strict=True):
        np.testing.assert_array_equal(one, other)
    np.testing.assert_allclose(some.member_scales_, whole.member_scales_, rtol=0.1)
    assert some.threshold_report_.share == pytest.approx(whole.threshold_report_.share, abs=0.05)
    assert (some.predict(X) == whole.predict(X)).mean() > 0.95
    assert some.training_summary_.n_rows == pytest.approx(3000)
