"""Columns are remembered at fit and must be the same later."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import BaseEstimator

from pulps.tables.checking import check_columns


@pytest.mark.parametrize("table", [pd.DataFrame, pl.DataFrame])
def test_a_table_stays_as_it_is_and_its_names_are_remembered(table):
    X = table({"word": ["a", None], "size": [1, 2]})
    estimator = BaseEstimator()
    assert check_columns(estimator, X, reset=True) is X
    assert estimator.feature_names_in_.tolist() == ["word", "size"]
    assert estimator.n_features_in_ == 2
    with pytest.raises(ValueError, match="feature names should match"):
        check_columns(estimator, table({"word": ["a"], "price": [1]}), reset=False)


def test_an_array_becomes_numeric_and_may_have_holes():
    estimator = BaseEstimator()
    X = check_columns(estimator, [[1, 2.5], [np.nan, 4]], reset=True)
    assert X.dtype == float
    assert np.isnan(X[1, 0])
    with pytest.raises(ValueError, match="1 features, but BaseEstimator is expecting 2"):
        check_columns(estimator, [[1.0]], reset=False)
    assert np.isinf(check_columns(estimator, [[np.inf, 1]], reset=False)[0, 0])
    with pytest.raises(ValueError, match="minimum of 2"):
        check_columns(estimator, [[1.0, 2.0]], reset=True, min_rows=2)
