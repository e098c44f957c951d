"""Attributes that depend on each other sit side by side, and nothing else changes."""

from itertools import pairwise

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from pulps import LPSClassifier
from pulps.tables.encoding import TableEncoder
from pulps.tables.ordering import (
    MOST_COLUMNS,
    order_by_dependence,
    path,
    quantiles,
)


@given(st.integers(1, 9), st.integers(0, 99))
def test_a_path_visits_every_node_once(n, seed):
    weights = np.random.RandomState(seed).rand(n, n)
    found = path(weights + weights.T)
    assert sorted(found.tolist()) == list(range(n))
    assert found[0] <= found[-1]


@given(st.integers(3, 9), st.integers(0, 99))
def test_a_planted_path_is_found(n, seed):
    rng = np.random.RandomState(seed)
    planted = rng.permutation(n)
    weights = rng.rand(n, n) * 0.1
    weights = weights + weights.T
    for a, b in pairwise(planted):
        weights[a, b] = weights[b, a] = 1 + rng.rand()
    found = path(weights)
    assert found.tolist() in (planted.tolist(), planted[::-1].tolist())


def shuffled_walk(seed=0, n_rows=400):
    """Columns of a Markov chain of categories and numbers, in the order b d a c e."""
    rng = np.random.RandomState(seed)
    steps = [rng.randint(4, size=n_rows)]
    for _ in range(4):
        stay = rng.rand(n_rows) < 0.8
        steps.append(np.where(stay, steps[-1], rng.randint(4, size=n_rows)))
    table = pd.DataFrame(dict(zip("abcde", steps, strict=True)))
    table["a"] = table["a"].map(list("pqrs").__getitem__).astype("category")
    table["c"] = table["c"] + 0.01 * rng.rand(n_rows)
    table.loc[::7, "e"] = np.nan
    return table[list("bdace")]


def half_of_the_large(table):
    return ((table["b"] > 1) & (np.arange(len(table)) % 2 == 0)).to_numpy().astype(int)


def test_neighbors_of_a_shuffled_walk_are_found_in_a_table():
    table = shuffled_walk()
    encoder = TableEncoder()
    values = encoder.fit_transform(table)
    order = order_by_dependence(values, encoder.columns_, np.ones(len(table)))
    assert "".join(table.columns[order]) in ("abcde", "edcba")


def test_too_many_columns_stay_as_they_are():
    values = np.random.RandomState(0).rand(4, MOST_COLUMNS + 1)
    columns = TableEncoder().fit(values).columns_
    np.testing.assert_array_equal(
        order_by_dependence(values, columns, np.ones(4)), np.arange(MOST_COLUMNS + 1)
    )


def test_a_model_answers_the_same_whatever_the_order_of_the_columns():
    table = shuffled_walk()
    y = half_of_the_large(table)

    def fit(columns):
        model = LPSClassifier.from_parameters(
            first_guess=None, n_members=2, max_epochs=5, label_parts=None, random_state=0
        )
        model.fit(table[columns], y)
        names = [columns[i] for i in model.site_order_]
        return names, model.decision_function(table[columns])

    names, decisions = fit(list("bdace"))
    other_names, other_decisions = fit(list("cadbe"))
    assert names == other_names == list("abcde")
    np.testing.assert_allclose(other_decisions, decisions, rtol=1e-4)


def test_the_order_of_the_table_can_be_kept():
    table = shuffled_walk()
    model = LPSClassifier.from_parameters(
        site_order="table", n_members=2, max_epochs=5, label_parts=None, random_state=0
    )
    assert model.fit(table, half_of_the_large(table)).site_order_.tolist() == [0, 1, 2, 3, 4]


@given(st.lists(st.integers(1, 4), min_size=1, max_size=12), st.integers(0, 99))
def test_a_row_that_weighs_two_is_two_rows_in_quantiles(times, seed):
    rng = np.random.RandomState(seed)
    weights = np.array(times, dtype=float)
    values = rng.randint(5, size=len(times)) / 4
    repeated = np.repeat(values, times)
    levels = np.arange(9) / 8
    np.testing.assert_allclose(
        quantiles(values, levels, weights), np.quantile(repeated, levels), atol=1e-12
    )
