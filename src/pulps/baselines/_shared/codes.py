"""Any table becomes integer codes: categories keep their own, numbers fall into bins.

Bayesian tables, DILCA and one-hot vectors all count values, so they need finitely many.
A numeric column is cut into bins of equal counts or of equal widths; bins that hold no
training row are dropped. Missing values and categories never seen at fit are ``MISSING``,
or a value of their own on request.
"""

from __future__ import annotations

import numpy as np
from scipy.special import xlogy
from sklearn.base import BaseEstimator

from pulps.tables.encoding import CategoricalColumn, TableEncoder

MISSING = -1
SCALES = {"quantile": "rank", "uniform": "min-max"}


class TableCoder(BaseEstimator):
    """Encode a table as small whole numbers.

    Parameters
    ----------
    categorical_features
        See :class:`~pulps.tables.encoding.TableEncoder`.
    n_bins
        Most bins a numeric column is cut into.
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
        self, categorical_features="from_dtype", n_bins=5, binning="quantile", missing="skip"
    ):
        self.categorical_features = categorical_features
        self.n_bins = n_bins
        self.binning = binning
        self.missing = missing

    def fit_transform(self, X) -> np.ndarray:
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

    def transform(self, X) -> np.ndarray:
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


def one_hot(codes: np.ndarray, n_values: np.ndarray) -> np.ndarray:
    """Put indicators of all values side by side, zeros where missing.

    >>> one_hot(np.array([[0, 1], [1, MISSING]]), np.array([2, 2]))
    array([[1., 0., 0., 1.],
           [0., 1., 0., 0.]])
    """
    indicators = np.zeros((len(codes), int(n_values.sum())))
    rows, columns = np.nonzero(codes != MISSING)
    indicators[rows, offsets(n_values)[columns] + codes[rows, columns]] = 1
    return indicators


def offsets(n_values: np.ndarray) -> np.ndarray:
    """Where the indicators of each column begin."""
    return np.concatenate([[0], np.cumsum(n_values)[:-1]])


def pair_counts(codes: np.ndarray, n_values: np.ndarray) -> np.ndarray:
    """Count all pairs of values, in blocks; on the diagonal single values."""
    indicators = one_hot(codes, n_values)
    return indicators.T @ indicators


def pair_entropies(counts: np.ndarray, n_values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Entropies in all pairs of columns: of both together, and of the first alone.

    Parameters
    ----------
    counts
        From :func:`pair_counts`; a pair of columns counts the rows where both are known.
    n_values
        Number of values of each column.

    Examples
    --------
    >>> counts = pair_counts(np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), np.array([2, 2]))
    >>> both, first = pair_entropies(counts, np.array([2, 2]))
    >>> (both[0, 1] / np.log(2)).round(6).item(), (first[0, 1] / np.log(2)).round(6).item()
    (2.0, 1.0)
    """
    starts = offsets(n_values)
    firsts = np.add.reduceat(counts, starts, axis=1)
    totals = np.maximum(np.add.reduceat(firsts, starts, axis=0), 1)
    both = np.add.reduceat(np.add.reduceat(xlogy(counts, counts), starts, axis=1), starts, axis=0)
    first = np.add.reduceat(xlogy(firsts, firsts), starts, axis=0)
    return np.log(totals) - both / totals, np.log(totals) - first / totals


def block(counts: np.ndarray, n_values: np.ndarray, first: int, second: int) -> np.ndarray:
    """Cut the table of two columns out of :func:`pair_counts`: (first values, second values)."""
    starts = offsets(n_values)
    rows = slice(starts[first], starts[first] + n_values[first])
    return counts[rows, starts[second] : starts[second] + n_values[second]]
