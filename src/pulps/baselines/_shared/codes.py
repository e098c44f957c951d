"""Any table becomes integer codes: categories keep their own, numbers fall into bins.

Bayesian tables, DILCA and one-hot vectors all count values, so they need finitely many.
A numeric column is cut into bins of equal counts or of equal widths; bins that hold no
training row are dropped. Missing values and categories never seen at fit are ``MISSING``,
or a value of their own on request.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from pulps.tables.columns import CategoricalColumn
from pulps.tables.dependence import MISSING
from pulps.tables.encoding import TableEncoder

SCALES = {"quantile": "rank", "uniform": "min-max"}


class TableCoder(BaseEstimator):
    """Encode a table as small whole numbers.

    Parameters
    ----------
    categorical_features
        See :class:`~pulps.tables.encoding.TableEncoder`.
    n_bins
        Largest number of bins a numeric column is cut into.
    binning
        ``"quantile"``: about as many rows in each bin. ``"uniform"``: bins of equal width.
    missing
        ``"skip"``: missing cells are ``MISSING``. ``"value"``: in a column with missing cells
        at fit, missing (or unseen) is one more value; a column with a single value beside
        missing ones does not vary and is left out.

    Attributes
    ----------
    n_values_ : array of int
        Number of codes of each column that varies.
    encoder_ : TableEncoder
        Categories and ranges.

    Examples
    --------
    >>> coder = TableCoder(n_bins=2)
    >>> coder.fit_transform(np.array([[1.0], [2.0], [np.nan], [9.0], [10.0]])).ravel()
    array([ 0,  0, -1,  1,  1])
    """

    def __init__(
        self,
        categorical_features: Any = "from_dtype",
        n_bins: int = 5,
        binning: str = "quantile",
        missing: str = "skip",
    ):
        self.categorical_features = categorical_features
        self.n_bins = n_bins
        self.binning = binning
        self.missing = missing

    def fit_transform(self, X: Any) -> np.ndarray:
        """Learn the values of every column and encode the same rows."""
        self.encoder_ = TableEncoder(self.categorical_features, SCALES[self.binning])
        values = self.encoder_.fit_transform(X)
        self.used_bins_ = [
            np.arange(len(column.categories))
            if isinstance(column, CategoricalColumn)
            else np.unique(self._bins(cells[~np.isnan(cells)]))
            for column, cells in zip(self.encoder_.columns_, values.T, strict=True)
        ]
        sizes = [len(bins) for bins in self.used_bins_]
        own_value = np.isnan(values).any(axis=0) & (self.missing == "value")
        self.missing_codes_ = np.where(own_value, sizes, MISSING)
        self.n_values_ = np.array(sizes) + own_value
        return self._codes(values)

    def transform(self, X: Any) -> np.ndarray:
        """Encode rows: integers of shape (rows, columns that vary)."""
        return self._codes(self.encoder_.transform(X))

    def _bins(self, values: np.ndarray) -> np.ndarray:
        return np.minimum((values * self.n_bins).astype(int), self.n_bins - 1)

    def _codes(self, values: np.ndarray) -> np.ndarray:
        codes = np.empty(values.shape, dtype=np.int64)
        for index, (column, bins) in enumerate(
            zip(self.encoder_.columns_, self.used_bins_, strict=True)
        ):
            known = ~np.isnan(values[:, index])
            cells = values[known, index]
            categorical = isinstance(column, CategoricalColumn)
            found = np.searchsorted(bins, cells.astype(int) if categorical else self._bins(cells))
            codes[known, index] = np.minimum(found, len(bins) - 1)
            codes[~known, index] = self.missing_codes_[index]
        return codes
