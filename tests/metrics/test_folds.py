"""Every fold has labeled rows, and groups stay together."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pulps.metrics import PUStratifiedKFold


@given(st.integers(2, 6), st.integers(6, 20), st.integers(6, 60), st.integers(0, 9))
def test_every_fold_has_its_share_of_labeled_rows(n_splits, n_labeled, n_unlabeled, seed):
    y = np.random.default_rng(seed).permutation(np.repeat([1, 0], [n_labeled, n_unlabeled]))
    tests = [test for _, test in PUStratifiedKFold(n_splits, random_state=0).split(y, y)]
    assert sorted(np.concatenate(tests)) == list(range(len(y)))
    counts = [y[test].sum() for test in tests]
    assert 1 <= min(counts) <= max(counts) <= min(counts) + 1


def test_rows_of_a_group_stay_together():
    rows = np.r_[np.arange(10), np.arange(60)]
    y = np.repeat([1, 0], [10, 60])
    for train, test in PUStratifiedKFold(3, random_state=0).split(y, y, groups=rows):
        assert not set(rows[train]) & set(rows[test])
        assert 0 < y[test].sum() < len(test)


@pytest.mark.parametrize(
    ("n_splits", "y", "groups", "message"),
    [
        (3, [1, 1] + [0] * 7, None, "2 labeled rows"),
        (1, [1, 1, 0, 0], None, "above 1"),
        (2, [1, 1, 0, 0], [0, 0, 1, 1], "The groups leave"),
    ],
)
def test_folds_that_cannot_be_dealt_are_refused(n_splits, y, groups, message):
    with pytest.raises(ValueError, match=message):
        next(PUStratifiedKFold(n_splits).split(y, y, groups))


def test_folds_are_the_same_each_time_unless_none_is_asked_for():
    y = np.repeat([1, 0], [20, 80])
    first, second = (
        [test.tolist() for _, test in PUStratifiedKFold(4).split(y, y)] for _ in range(2)
    )
    assert first == second
    shuffled = {
        str([test.tolist() for _, test in PUStratifiedKFold(4, random_state=seed).split(y, y)])
        for seed in (0, 1, None)
    }
    assert len(shuffled) == 3
