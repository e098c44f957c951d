"""The labeled share of positives and the share of positives convert by counting."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pulps.priors import label_share, prior_from_label_share


@given(st.integers(1, 50), st.integers(2, 50), st.floats(0.01, 0.99))
def test_conversions_undo_each_other(n_labeled, n_unlabeled, share):
    counts = {"n_labeled": n_labeled, "n_unlabeled": n_unlabeled}
    there = label_share(share, **counts)
    assert prior_from_label_share(there, **counts) == pytest.approx(share)


def test_impossible_label_shares_are_clipped():
    assert prior_from_label_share(0.0, n_labeled=5, n_unlabeled=5) == 1
    assert prior_from_label_share(0.4, n_labeled=5, n_unlabeled=5) == 1
    assert prior_from_label_share(1.0, n_labeled=5, n_unlabeled=5) == 0
