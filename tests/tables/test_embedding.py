"""Which attribute sits where, in which basis."""

import numpy as np
import pytest
import torch

from pulps.estimators.tables.defaults import auto_repeats
from pulps.network import engine
from pulps.network.basis import CosineBasis, OneHotBasis, SineBasis
from pulps.tables.columns import CategoricalColumn, NumericColumn
from pulps.tables.embedding import Embedding, draw_bases

NUMBER = NumericColumn("number", 0, np.array([0.0, 1.0]), np.array([0.0, 1.0]))
WORD = CategoricalColumn("word", 1, np.array(["a", "b", "c"]), np.array([0.5, 0.3, 0.2]))


def draw(columns=(NUMBER, WORD), n_repeats=1, basis="cosine", category="one-hot"):
    generator = torch.Generator().manual_seed(0)
    return draw_bases(columns, n_repeats, basis, category, generator)


def embedding(names, order=(0, 1), feature_dim=4):
    return Embedding([NUMBER, WORD], np.array(order), np.array(names), feature_dim)


def test_attributes_follow_each_other_then_repeat():
    assert draw(n_repeats=2).tolist() == ["cosine", "one-hot"] * 2


@pytest.mark.parametrize(
    ("n_columns", "n_rows", "expected"),
    [(2, 1000, 16), (2, 90, 8), (4, 90, 8), (8, 700, 16), (20, 1000, 20), (40, 90, 40)],
)
def test_narrow_tables_are_repeated_up_to_what_the_rows_allow(n_columns, n_rows, expected):
    assert n_columns * auto_repeats(n_rows, n_columns) == expected


@pytest.mark.parametrize(("n_columns", "expected"), [(2, 16), (8, 24), (36, 108), (57, 57)])
def test_large_tables_are_repeated_within_110_sites(n_columns, expected):
    assert n_columns * auto_repeats(5000, n_columns) == expected
    assert auto_repeats(5000, 500) == 1


def test_bases_have_the_size_of_their_attribute():
    names = ["sine", "one-hot", "cosine", "cosine"]
    assert embedding(names, feature_dim=5).bases == [
        SineBasis(5),
        OneHotBasis(3),
        CosineBasis(5),
        CosineBasis(5),
    ]


def test_missing_categories_weigh_by_squared_frequency_and_functions_alike():
    number, word = embedding(["cosine", "one-hot"]).trace_weights
    assert number.tolist() == [1.0] * 4
    np.testing.assert_allclose(word, [25 / 38, 9 / 38, 4 / 38])
    _, spread = embedding(["cosine", "sine"]).trace_weights
    assert spread.tolist() == [1.0] * 4


def test_mixed_draws_both_functions_and_keeps_one_hot():
    names = draw(n_repeats=20, basis="mixed")
    assert set(names[::2]) == {"sine", "cosine"}
    assert set(names[1::2]) == {"one-hot"}


def test_codes_that_meet_a_function_are_spread_over_the_interval():
    values = np.array([[0.3, 2.0], [np.nan, 1.0]])
    as_codes = embedding(draw(n_repeats=2)).to_sites(values)
    np.testing.assert_array_equal(as_codes, np.hstack([values, values]))
    spread = embedding(draw(category="fourier")).to_sites(values)
    np.testing.assert_array_equal(spread, [[0.3, 1.0], [np.nan, 0.5]])


def test_the_order_moves_columns_bases_and_values_together():
    values = np.array([[0.3, 2.0]])
    turned = embedding(draw((WORD, NUMBER), 2), order=(1, 0))
    assert [turned.column_at(site).name for site in range(4)] == ["word", "number"] * 2
    np.testing.assert_array_equal(turned.to_sites(values), [[2.0, 0.3, 2.0, 0.3]])
    assert turned.bases == [OneHotBasis(3), CosineBasis(4)] * 2


def test_it_fits_the_chains_it_gives_the_shape_of():
    rows = np.array([[0.3, 2.0], [np.nan, np.nan]])
    ours = embedding(draw(n_repeats=2))
    shape = ours.shape(bond_dim=3, spacing=2, output_dim=2)
    cores = shape.random_cores(5, 1.0, torch.Generator().manual_seed(0))
    norms = engine.log_norms([core.double() for core in cores], *ours.rows(rows))
    assert norms.shape == (5, 2)
    assert norms.isfinite().all()
