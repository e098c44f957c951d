"""Rows as dense numbers, for methods that know neither categories nor holes.

A categorical column becomes one indicator a category, and one more for "missing" if
something was missing at fit; a category never seen at fit counts as missing. A numeric
column is standardized and its holes are filled with the median; values beyond the range of
the fit are clipped to it. Columns that do not vary are dropped. Images keep their shape:
``(rows, height, width)`` or ``(rows, height, width, channels)`` becomes
``(rows, channels, height, width)``, each channel standardized.
"""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_array

from pulps.encoding import CategoricalColumn, TableEncoder, is_table


def is_images(X) -> bool:
    """Whether X is an array of images, as opposed to a table."""
    return not is_table(X) and np.ndim(X) in (3, 4)


class DenseFeatures(BaseEstimator):
    """Turn tables into dense vectors and images into channels.

    Parameters
    ----------
    categorical_features
        See :class:`~pulps.encoding.TableEncoder`.

    Attributes
    ----------
    shape_ : tuple of int
        Shape of one row of the result.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"word": ["a", "b", None], "size": [1.0, np.nan, 3.0]})
    >>> DenseFeatures().fit_transform(frame).round(2)
    array([[ 1.  ,  0.  ,  0.  , -1.22],
           [ 0.  ,  1.  ,  0.  ,  0.  ],
           [ 0.  ,  0.  ,  1.  ,  1.22]])
    """

    def __init__(self, categorical_features="from_dtype"):
        self.categorical_features = categorical_features

    def fit(self, X, y=None):
        """Learn categories, medians, means and spreads."""
        self.fit_transform(X)
        return self

    def fit_transform(self, X, y=None):
        """Learn from the rows and return them as dense numbers."""
        if is_images(X):
            pixels = _channels_first(X)
            self.means_ = pixels.mean(axis=(0, 2, 3), keepdims=True)
            self.spreads_ = _nonzero(pixels.std(axis=(0, 2, 3), keepdims=True))
            self.shape_ = pixels.shape[1:]
            return (pixels - self.means_) / self.spreads_
        self.encoder_ = TableEncoder(self.categorical_features, numeric_scale="min-max")
        values = self.encoder_.fit_transform(X)
        self.missing_ = np.isnan(values).any(axis=0)
        self.medians_ = np.nanmedian(values, axis=0)
        filled = np.where(np.isnan(values), self.medians_, values)
        self.means_, self.spreads_ = filled.mean(axis=0), _nonzero(filled.std(axis=0))
        dense = self._dense(values)
        self.shape_ = dense.shape[1:]
        return dense

    def transform(self, X):
        """Return rows as dense numbers, with what was learned at fit."""
        if len(self.shape_) == 3:
            if not is_images(X):
                raise ValueError(
                    f"X has {np.ndim(X)} axes, but fit saw images of shape {self.shape_} "
                    "(channels, height, width). Pass images of that shape."
                )
            pixels = _channels_first(X)
            if pixels.shape[1:] != self.shape_:
                raise ValueError(
                    f"The images have shape {pixels.shape[1:]} (channels, height, width), those "
                    f"of fit had {self.shape_}. Pass images of that shape."
                )
            return (pixels - self.means_) / self.spreads_
        return self._dense(self.encoder_.transform(X))

    def _dense(self, values: np.ndarray) -> np.ndarray:
        parts = []
        for index, column in enumerate(self.encoder_.columns_):
            one = values[:, index]
            if isinstance(column, CategoricalColumn):
                parts.append(one[:, None] == np.arange(len(column.categories)))
                if self.missing_[index]:
                    parts.append(np.isnan(one)[:, None])
            else:
                filled = np.where(np.isnan(one), self.medians_[index], one)
                parts.append(((filled - self.means_[index]) / self.spreads_[index])[:, None])
        return np.concatenate(parts, axis=1, dtype=float)


def _channels_first(X) -> np.ndarray:
    pixels = check_array(X, dtype=float, allow_nd=True)
    return pixels[:, None] if pixels.ndim == 3 else np.moveaxis(pixels, 3, 1)


def _nonzero(spreads: np.ndarray) -> np.ndarray:
    return np.where(spreads > 0, spreads, 1.0)
