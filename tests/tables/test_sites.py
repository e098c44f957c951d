"""Which attribute sits where, in which basis."""

import numpy as np
import pytest
import torch

from pulps.estimators.defaults import auto_repeats
from pulps.network.basis import CosineBasis, OneHotBasis, SineBasis
from pulps.tables.encoding import CategoricalColumn, NumericColumn
from pulps.tables.sites import draw_bases, make_bases, missing_weights, to_sites

NUMBER = NumericColumn("number", 0, np.array([0.0, 1.0]), np.array([0.0, 1.0]))
WORD = CategoricalColumn("word", 1, np.array(["a", "b", "c"]), np.array([0.5, 0.3, 0.2]))


def draw(columns=(NUMBER, WORD), n_repeats=1, basis="cosine", category="one-hot"):
    generator = torch.Generator().manual_seed(0)
    return draw_bases(columns, n_repeats, basis, category, generator)


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
    kinds = np.array(["sine", "one-hot", "cosine", "cosine"])
    assert make_bases([NUMBER, WORD], kinds, 5) == [
        SineBasis(5),
        OneHotBasis(3),
        CosineBasis(5),
        CosineBasis(5),
    ]


def test_missing_categories_weigh_by_squared_frequency_and_functions_alike():
    number, word = missing_weights([NUMBER, WORD], np.array(["cosine", "one-hot"]), 4)
    assert number.tolist() == [1.0] * 4
    np.testing.assert_allclose(word, [25 / 38, 9 / 38, 4 / 38])
    _, spread = missing_weights([NUMBER, WORD], np.array(["cosine", "sine"]), 4)
    assert spread.tolist() == [1.0] * 4


def test_mixed_draws_both_functions_and_keeps_one_hot():
    kinds = draw(n_repeats=20, basis="mixed")
    assert set(kinds[::2]) == {"sine", "cosine"}
    assert set(kinds[1::2]) == {"one-hot"}


def test_codes_that_meet_a_function_are_spread_over_the_interval():
    values = np.array([[0.3, 2.0], [np.nan, 1.0]])
    as_codes = to_sites(values, [NUMBER, WORD], draw(n_repeats=2))
    np.testing.assert_array_equal(as_codes, np.hstack([values, values]))
    spread = to_sites(values, [NUMBER, WORD], draw(category="fourier"))
    np.testing.assert_array_equal(spread, [[0.3, 1.0], [np.nan, 0.5]])
