"""Tables as codes: bins, categories, missing values."""

import numpy as np
import pandas as pd

from pulps.baselines._shared.codes import TableCoder
from pulps.tables.dependence import MISSING


def test_quantile_bins_hold_as_many_rows_and_uniform_bins_are_as_wide():
    X = np.arange(100.0)[:, None] ** 2
    counts = np.bincount(TableCoder(n_bins=4).fit_transform(X).ravel())
    assert counts.tolist() == [25, 25, 25, 25]
    wide = TableCoder(n_bins=4, binning="uniform").fit_transform(X).ravel()
    np.testing.assert_array_equal(wide, np.minimum(X.ravel() / 99**2 * 4, 3).astype(int))


def test_empty_bins_are_dropped_and_values_between_find_a_neighbor():
    coder = TableCoder(n_bins=5)
    codes = coder.fit_transform(np.array([[0.0], [0.0], [1.0], [1.0]]))
    assert coder.n_values_.tolist() == [2]
    assert codes.ravel().tolist() == [0, 0, 1, 1]
    assert coder.transform(np.array([[-5.0], [0.5], [7.0]])).ravel().tolist() == [0, 1, 1]


def test_missing_is_skipped_or_a_value():
    X = pd.DataFrame({"a": ["x", None, "y"], "b": ["u", "v", "u"]})
    unseen = pd.DataFrame({"a": ["z"], "b": ["w"]})
    skipping = TableCoder()
    assert skipping.fit_transform(X).tolist() == [[0, 0], [MISSING, 1], [1, 0]]
    assert skipping.transform(unseen).tolist() == [[MISSING, MISSING]]
    valuing = TableCoder(missing="value")
    assert valuing.fit_transform(X).tolist() == [[0, 0], [2, 1], [1, 0]]
    assert valuing.n_values_.tolist() == [3, 2]
    assert valuing.transform(unseen).tolist() == [[2, MISSING]]
