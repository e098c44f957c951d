"""Tables as matrices: what a missing cell, a category and a number become."""

import numpy as np
import pandas as pd
import pytest

from pulps.tables.encoding import TableEncoder
from pulps.tables.matrix import column_widths, spread_categories
from pulps.tables.table_matrix import TableMatrix

X = pd.DataFrame({"word": ["a", "b", None, "c"], "size": [1.0, np.nan, 3.0, 5.0]})


def test_categories_spread_and_holes_stay():
    encoder = TableEncoder(numeric_scale="min-max")
    values = encoder.fit_transform(X)
    assert column_widths(encoder.columns_) == [3, 1]
    hole = np.nan
    np.testing.assert_array_equal(
        spread_categories(values, encoder.columns_),
        [[1, 0, 0, 0], [0, 1, 0, hole], [hole, hole, hole, 0.5], [0, 0, 1, 1]],
    )


def test_a_matrix_has_no_holes_and_marks_where_they_were():
    matrix = TableMatrix().fit_transform(X)
    assert matrix.shape == (4, 3 + 1 + 1 + 1)
    assert np.isfinite(matrix).all()
    assert matrix[:, 3].tolist() == [0, 0, 1, 0]  # the word is missing
    assert matrix[:, 5].tolist() == [0, 1, 0, 0]  # the size is missing
    assert matrix[2, :3].tolist() == [0, 0, 0]
    assert matrix[1, 4] == 0  # the mean
    known = np.delete(matrix[:, 4], 1)
    assert known.mean() == pytest.approx(0)
    assert known.std() == pytest.approx(1)
    apart = np.linalg.norm(matrix[0, :3] - matrix[1, :3])
    assert apart == pytest.approx(1)  # two categories
