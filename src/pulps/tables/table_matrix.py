"""`TableMatrix`: the matrix of a table as a transformer of scikit-learn."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from pulps.tables.encoding import TableEncoder
from pulps.tables.matrix import MatrixForm


class TableMatrix(TransformerMixin, BaseEstimator):
    """Numbers standardized, categories one-hot, missing cells marked.

    A numeric column is mapped to the unit interval (the mean of rank and min-max, see
    :class:`~pulps.tables.encoding.TableEncoder`), then centered and scaled to unit variance; a
    missing number becomes the mean. A categorical column becomes one column of zeros and
    ones per category, divided by √2 so that two categories are one apart. A column with
    missing cells at fit gets one more column that marks them.

    Parameters
    ----------
    categorical_features : "from_dtype", list or None, default="from_dtype"
        See :class:`~pulps.tables.encoding.TableEncoder`.

    Attributes
    ----------
    encoder_ : TableEncoder
        Categories and ranges.
    means_, deviations_ : array of shape (columns,)
        Mean and standard deviation of the encoded columns, without missing cells.
    with_missing_ : array of bool, shape (columns,)
        Which columns had missing cells.

    Examples
    --------
    >>> import numpy as np
    >>> TableMatrix().fit_transform([[1.0], [3.0], [np.nan]]).round(3)
    array([[-1.,  0.],
           [ 1.,  0.],
           [ 0.,  1.]])
    """

    def __init__(self, categorical_features: Any = "from_dtype"):
        self.categorical_features = categorical_features

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn categories, ranges, means and deviations.

        Parameters
        ----------
        X : table or array of shape (rows, columns)
            pandas, polars or pyarrow table, or a numeric array.
        y
            Not used.

        Returns
        -------
        self
        """
        self.encoder_ = TableEncoder(self.categorical_features)
        values = self.encoder_.fit_transform(X)
        form = MatrixForm.of(values, self.encoder_.columns_)
        self.means_, self.deviations_ = form.means, form.deviations
        self.with_missing_ = form.with_missing
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Write a table as a matrix.

        Parameters
        ----------
        X : table or array of shape (rows, columns)
            With the columns of the fit.

        Returns
        -------
        array of shape (rows, width)
            Without NaN.
        """
        check_is_fitted(self)
        form = MatrixForm(
            self.encoder_.columns_, self.means_, self.deviations_, self.with_missing_
        )
        return form.write(self.encoder_.transform(X))
