"""Any table becomes numbers; what is missing stays missing."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pulps.tables.encoding import TableEncoder

FRAME = pd.DataFrame(
    {
        "age": [10.0, 20.0, np.nan, 40.0],
        "color": pd.Categorical(["red", None, "blue", "red"]),
        "word": ["a", "b", "a", None],
        "flag": [True, False, True, True],
        "same": [7, 7, 7, 7],
    }
)
NAN = np.nan
SCALES = st.sampled_from(["blend", "rank", "min-max"])
ENCODED = [[0, 1, 0, 1], [(1 / 2 + 1 / 3) / 2, NAN, 1, 0], [NAN, 0, 0, 1], [1, 1, NAN, 1]]


@pytest.mark.parametrize(
    "convert",
    [lambda f: f, pl.from_pandas, lambda f: pa.Table.from_pandas(f, preserve_index=False)],
    ids=["pandas", "polars", "pyarrow"],
)
def test_every_kind_of_table_encodes_alike(convert):
    table = convert(FRAME)
    encoder = TableEncoder()
    np.testing.assert_array_equal(encoder.fit_transform(table), ENCODED)
    np.testing.assert_array_equal(encoder.transform(table), ENCODED)
    assert encoder.constant_features_ == ["same"]


def test_nullable_and_object_columns_are_what_their_values_are():
    frame = pd.DataFrame(
        {
            "whole": pd.array([1, None, 3], dtype="Int64"),
            "numbers": np.array([1.5, None, 2], dtype=object),
            "mixed": np.array(["x", 1, None], dtype=object),
        }
    )
    encoded = TableEncoder().fit_transform(frame)
    np.testing.assert_array_equal(encoded, [[0, 0, 1], [NAN, NAN, 0], [1, 1, NAN]])


def test_unseen_categories_are_missing():
    encoder = TableEncoder().fit(FRAME)
    other = FRAME.assign(color=pd.Categorical(["green"] * 4), word="z")
    assert np.isnan(encoder.transform(other)[:, 1:3]).all()


def test_numbers_outside_the_range_are_clipped():
    encoder = TableEncoder().fit(FRAME[["age"]])
    encoded = encoder.transform(pd.DataFrame({"age": [-5.0, 99.0]}))
    assert encoded[:, 0].tolist() == [0, 1]


def test_integer_and_float_codes_are_one_category():
    encoder = TableEncoder(categorical_features=["code"])
    encoder.fit(pd.DataFrame({"code": [1, 2, 3]}))
    encoded = encoder.transform(pd.DataFrame({"code": [3.0, np.nan, 1.0]}))
    np.testing.assert_array_equal(encoded[:, 0], [2, NAN, 0])


@pytest.mark.parametrize("choice", [["b"], [1], [False, True]])
def test_categories_can_be_named_numbered_or_masked(choice):
    frame = pd.DataFrame({"a": [0.0, 1.0], "b": [5.0, 9.0]})
    encoder = TableEncoder(categorical_features=choice).fit(frame)
    assert [hasattr(column, "categories") for column in encoder.columns_] == [False, True]


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=30, unique=True), SCALES)
def test_scaling_is_monotone_and_fills_the_unit_interval(values, scale):
    X = np.array(values)[:, None]
    encoded = TableEncoder(numeric_scale=scale).fit_transform(X)[:, 0]
    assert encoded.min() == 0
    assert encoded.max() == 1
    assert (np.diff(encoded[np.argsort(values)]) >= 0).all()


def test_ranks_spread_evenly_whatever_the_distribution():
    X = np.exp(np.random.RandomState(0).normal(size=(2000, 1)) * 5)
    encoded = np.sort(TableEncoder(numeric_scale="rank").fit_transform(X)[:, 0])
    np.testing.assert_allclose(encoded, np.linspace(0, 1, 2000), atol=2e-3)


@pytest.mark.parametrize(
    ("frame", "options", "message"),
    [
        (pd.DataFrame({"a": [1, 1]}), {}, "None of the 1 columns varies"),
        (pd.DataFrame(index=[0, 1]), {}, "0 columns to learn from and 2 rows"),
        (pd.DataFrame({"a": []}), {}, "1 column to learn from and 0 rows"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), {}, "more than one column named a"),
        (pd.DataFrame({"id": [f"k{i}" for i in range(300)]}), {}, r"id \(identifier\).*a role"),
        (FRAME, {"roles": {"nope": "out"}}, "'nope', which is not a column"),
        (FRAME, {"roles": {"age": "blob"}}, "the role 'blob'; it must be one of number"),
        (FRAME, {"categorical_features": ["nope"]}, "'nope', which is not a column"),
        (FRAME, {"categorical_features": [9]}, "9, which is not a column"),
        (FRAME, {"categorical_features": [True]}, "mask of 1 entries"),
        (FRAME, {"categorical_features": "all"}, "must be 'from_dtype'"),
    ],
)
def test_what_cannot_be_encoded_says_why(frame, options, message):
    with pytest.raises(ValueError, match=message):
        TableEncoder(**options).fit(frame)


def test_text_in_a_column_that_held_numbers_is_refused():
    encoder = TableEncoder().fit(pd.DataFrame({"a": [1.0, 2.0]}))
    with pytest.raises(ValueError, match="'a' is of type String and was expected to hold numbers"):
        encoder.transform(pd.DataFrame({"a": ["x", "y"]}))


def test_rows_of_no_weight_teach_nothing():
    weights = np.array([1, 1, 0, 0])
    encoder = TableEncoder().fit(FRAME, sample_weight=weights)
    alone = TableEncoder().fit(FRAME.iloc[:2])
    np.testing.assert_array_equal(encoder.transform(FRAME), alone.transform(FRAME))


def test_frequencies_count_rows_by_weight_and_leave_none_at_zero():
    frame = pd.DataFrame({"word": ["a", "b", "b", None, "c"], "number": range(5)})
    column = TableEncoder().fit(frame, sample_weight=[1, 1, 2, 5, 0]).columns_[0]
    assert column.categories.tolist() == ["a", "b"]
    np.testing.assert_allclose(column.frequencies, [2 / 6, 4 / 6])
