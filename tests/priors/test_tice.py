"""TIcE: pieces of a table, and the region it finds."""

import numpy as np
import pandas as pd
import pytest
from prior_estimators import make

from pulps.priors.tice import Pieces


def test_pieces_are_quarters_categories_and_holes():
    X = pd.DataFrame({"number": [1.0, 2, 3, 4, np.nan], "word": ["b", "a", "b", None, "a"]})
    pieces = Pieces(X, "from_dtype", 4)
    assert pieces.first.tolist() == [0, 5]
    assert pieces.codes.T.tolist() == [[0, 1, 2, 3, 4], [6, 5, 6, 7, 5]]
    counts = pieces.count(np.array([0, 2, 4]))
    assert counts.tolist() == [1, 0, 1, 0, 1, 1, 2, 0]
    assert pieces.largest(counts).tolist() == [1, 2]
    assert pieces.split(np.array([0, 2, 4]), 1, 6).tolist() == [0, 2]


def test_tice_finds_the_region_where_half_of_the_rows_are_labeled():
    """Rows with a missing number are positive, and every other one of them is labeled."""
    rng = np.random.default_rng(0)
    X = np.c_[np.r_[np.full(400, np.nan), rng.normal(size=600)], rng.normal(size=1000)]
    y = np.zeros(1000, int)
    y[:400:2] = 1
    exact = make("tice", delta=0.999, max_splits=1).fit(X, y)
    assert all(300 < rows < 340 for rows in exact.diagnostics_["region_rows"])
    assert exact.label_frequency_ == pytest.approx(0.5, abs=0.01)
    assert exact.prior_ == pytest.approx(0.4, abs=0.01)
    careful = make("tice", delta=0.05, max_splits=1).fit(X, y)
    rows = np.array(careful.diagnostics_["region_rows"])
    shares = careful.diagnostics_["region_labeled"] / rows
    first = np.mean(shares - np.sqrt(0.25 / rows * 0.95 / 0.05))
    second = shares - np.sqrt(first * (1 - first) / rows * 0.95 / 0.05)
    np.testing.assert_allclose(careful.diagnostics_["fold_bounds"], second)
    assert careful.label_frequency_ == pytest.approx(second.mean())
