"""Equal rows become one; what is left does not depend on how the rows came."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from pulps.tables.distinct import distinct_rows

CELLS = st.sampled_from([0.0, -0.0, 0.5, 1.0, np.nan])


@given(arrays(float, (6, 2), elements=CELLS), st.lists(st.integers(1, 4), min_size=6, max_size=6))
def test_a_row_of_weight_two_is_two_rows_in_any_order(values, times):
    labeled = np.arange(6) % 2 == 0
    times = np.array(times)
    rows = np.random.RandomState(0).permutation(np.repeat(np.arange(6), times))
    weighted = distinct_rows(values, labeled, times.astype(float))
    repeated = distinct_rows(values[rows], labeled[rows], np.ones(len(rows)))
    if (times == 1).all():
        return  # nothing to merge by weight: the order of the rows stays
    for one, other in zip(weighted, repeated, strict=True):
        np.testing.assert_array_equal(one, other)
    assert weighted[2].sum() == times.sum()


def test_rows_that_differ_and_weigh_one_stay_as_they_are():
    values, labeled = np.array([[3.0], [1.0], [2.0]]), np.array([True, False, True])
    found = distinct_rows(values, labeled, np.ones(3))
    np.testing.assert_array_equal(found[0], values)


def test_the_label_keeps_equal_rows_apart():
    values, labeled = np.zeros((3, 2)), np.array([True, False, False])
    _, kept, weights = distinct_rows(values, labeled, np.ones(3))
    assert dict(zip(kept.tolist(), weights.tolist(), strict=True)) == {True: 1.0, False: 2.0}


def test_there_is_one_zero_and_one_missing_value():
    other_nan = np.array([0xFFF8000000000001], dtype=np.uint64).view(float)[0]
    values = np.array([[0.0, np.nan], [-0.0, other_nan]])
    found, _, weights = distinct_rows(values, np.zeros(2, dtype=bool), np.ones(2))
    assert len(found) == 1
    assert weights.tolist() == [2.0]
