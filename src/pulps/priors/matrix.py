"""A table becomes a matrix without holes, for methods that need distances or a classifier."""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from pulps.tables.encoding import CategoricalColumn, TableEncoder


class TableMatrix(TransformerMixin, BaseEstimator):
    """Numbers standardized, categories one-hot, missing cells marked.

    A numeric column is mapped to the unit interval (the mean of rank and min-max, see
    :class:`~pulps.tables.encoding.TableEncoder`), then centered and scaled to unit variance; a
    missing number becomes the mean. A categorical column becomes one column of zeros and
    ones a category, divided by √2 so that two categories are one apart. A column with
    missing cells at fit gets one more column that marks them.

    Parameters
    ----------
    categorical_features : "from_dtype", list or None, default="from_dtype"
        See :class:`~pulps.tables.encoding.TableEncoder`.

    Examples
    --------
    >>> TableMatrix().fit_transform([[1.0], [3.0], [np.nan]]).round(3)
    array([[-1.,  0.],
           [ 1.,  0.],
           [ 0.,  1.]])
    """

    def __init__(self, categorical_features="from_dtype"):
        self.categorical_features = categorical_features

    def fit(self, X, y=None):
        """Learn categories, ranges, means and deviations."""
        self.encoder_ = TableEncoder(self.categorical_features)
        values = self.encoder_.fit_transform(X)
        self.means_ = np.nanmean(values, axis=0)
        self.deviations_ = np.nanstd(values, axis=0)
        self.with_missing_ = np.isnan(values).any(axis=0)
        return self

    def transform(self, X):
        """Return the matrix, without NaN."""
        check_is_fitted(self)
        values = self.encoder_.transform(X)
        blocks = []
        for index, column in enumerate(self.encoder_.columns_):
            cells = values[:, index]
            if isinstance(column, CategoricalColumn):
                codes = np.arange(len(column.categories))
                blocks.append((cells[:, None] == codes) / np.sqrt(2))
            else:
                standard = (cells - self.means_[index]) / self.deviations_[index]
                blocks.append(np.nan_to_num(standard, nan=0.0)[:, None])
            if self.with_missing_[index]:
                blocks.append(np.isnan(cells)[:, None].astype(float))
        return np.hstack(blocks)
