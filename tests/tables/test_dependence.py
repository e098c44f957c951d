"""Counts of pairs and mutual information, against slow and obvious ones."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import mutual_info_score

from pulps.tables.dependence import (
    MISSING,
    block,
    mutual_information,
    one_hot,
    pair_counts,
    pair_entropies,
    pairwise_mutual_information,
)


def test_pairs_are_counted_where_both_are_known():
    codes = np.array([[0, 1], [0, MISSING], [1, 1], [0, 0]])
    sizes = np.array([2, 2])
    counts = pair_counts(codes, sizes)
    assert block(counts, sizes, 0, 1).tolist() == [[1, 1], [0, 1]]
    assert block(counts, sizes, 1, 0).tolist() == [[1, 0], [1, 1]]
    assert np.diag(block(counts, sizes, 0, 0)).tolist() == [3, 1]
    assert one_hot(codes, sizes).sum(axis=1).tolist() == [2, 1, 2, 2]
    assert pytest.approx(counts) == counts.T


def test_mutual_information_is_that_of_every_pair():
    rng = np.random.RandomState(0)
    a = rng.randint(3, size=200)
    columns = [a, (a + rng.randint(2, size=200)) % 3, 7 * rng.randint(5, size=200) - 3]
    found = pairwise_mutual_information(columns, np.ones(200))
    for i in range(3):
        for j in range(3):
            assert found[i, j] == pytest.approx(mutual_info_score(columns[i], columns[j]))


@given(st.lists(st.integers(1, 4), min_size=1, max_size=12), st.integers(0, 99))
def test_a_row_that_weighs_two_counts_as_two_rows(times, seed):
    rng = np.random.RandomState(seed)
    codes = [rng.randint(3, size=len(times)) for _ in range(3)]
    np.testing.assert_allclose(
        pairwise_mutual_information(codes, np.array(times, dtype=float)),
        pairwise_mutual_information([np.repeat(c, times) for c in codes], np.ones(sum(times))),
        atol=1e-12,
    )


@given(st.integers(0, 999))
def test_one_table_all_pairs_and_entropies_agree(seed):
    rng = np.random.RandomState(seed)
    codes, sizes = rng.randint(3, size=(30, 2)), np.array([3, 3])
    counts = pair_counts(codes, sizes)
    found = mutual_information(block(counts, sizes, 0, 1) / 30)
    assert pairwise_mutual_information(list(codes.T), np.ones(30))[0, 1] == pytest.approx(found)
    both, first = pair_entropies(counts, sizes)
    assert (first + first.T - both)[0, 1] == pytest.approx(found, abs=1e-12)
