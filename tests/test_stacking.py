"""Two tables become one, in every library."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from pulps import PUClassifier, stack_pu

POSITIVE = {"size": [1.5, 2.5], "color": ["red", None]}
UNLABELED = {"color": ["blue", "red", "red"], "size": [1, 2, 3]}
LIBRARIES = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "pyarrow": pa.table,
}


@pytest.mark.parametrize("library", LIBRARIES)
def test_tables_are_matched_by_name_and_stay_in_their_library(library):
    make = LIBRARIES[library]
    X, y = stack_pu(make(POSITIVE), make(UNLABELED))
    assert type(X) is type(make(POSITIVE))
    assert y.tolist() == [1, 1, 0, 0, 0]
    columns = X.to_pydict() if library == "pyarrow" else {n: X[n].to_list() for n in X.columns}
    assert list(columns) == ["size", "color"]
    assert columns["size"] == [1.5, 2.5, 1, 2, 3]
    assert [pd.isna(word) for word in columns["color"]] == [False, True, False, False, False]


def test_categories_that_differ_become_words():
    first, second = (pd.DataFrame({"c": pd.Categorical(words)}) for words in (["a"], ["b", "a"]))
    X, _ = stack_pu(first, second)
    assert X["c"].tolist() == ["a", "b", "a"]
    first, second = (pl.DataFrame({"c": words}) for words in (["a"], [1, 2]))
    assert stack_pu(first, second)[0]["c"].to_list() == ["a", "1", "2"]


def test_a_named_index_is_kept_and_any_other_counts_anew():
    plain = pd.DataFrame({"a": [1.0, 2.0]})
    assert stack_pu(plain, plain)[0].index.tolist() == [0, 1, 2, 3]
    named = plain.set_axis(["x", "y"]).rename_axis("customer")
    assert stack_pu(named, named)[0].index.tolist() == ["x", "y", "x", "y"]


def test_arrays_and_images_are_stacked_and_fitted():
    X, y = stack_pu(np.zeros((2, 4, 4)), np.ones((3, 4, 4)))
    assert X.shape == (5, 4, 4)
    rng = np.random.default_rng(0)
    X, y = stack_pu(rng.normal(3, 1, (20, 2)), rng.normal(0, 1, (60, 2)))
    model = PUClassifier(views=["kernel"], scenario="case-control", random_state=0).fit(X, y)
    assert model.predict(X)[y == 1].mean() > 0.8


@pytest.mark.parametrize(
    ("pair", "message"),
    [
        ((pd.DataFrame(POSITIVE), pl.DataFrame(UNLABELED)), "one library"),
        ((pd.DataFrame(POSITIVE), [[1, 2]]), "one library"),
        ((pd.DataFrame(POSITIVE), pd.DataFrame({"size": [1]})), "X_unlabeled lacks 1 .* color"),
        ((pd.DataFrame({"size": [1]}), pd.DataFrame(POSITIVE)), "X_positive lacks 1 .* color"),
        ((np.zeros((2, 3)), np.zeros((2, 4))), "same shape"),
        ((np.zeros((0, 3)), np.zeros((2, 3))), "X_positive has no rows"),
    ],
)
def test_what_does_not_fit_is_refused_with_the_way_out(pair, message):
    with pytest.raises(ValueError, match=message):
        stack_pu(*pair)
