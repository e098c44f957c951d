"""Arrays of images become channels of numbers around zero, for rivals that read images."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from pulps.tables.checking import check_columns


def is_images(X: Any) -> bool:
    """Whether X is an array of images, as opposed to a table.

    >>> is_images(np.zeros((5, 8, 8))), is_images(np.zeros((5, 8)))
    (True, False)
    """
    return isinstance(X, np.ndarray) and X.ndim in (3, 4)


def check_columns_or_images(estimator: Any, X: Any, *, reset: bool) -> Any:
    """Check a table as :func:`~pulps.tables.checking.check_columns` does; images stay images."""
    if is_images(X):
        return validate_data(estimator, X, reset=reset, skip_check_array=True)
    return check_columns(estimator, X, reset=reset)


class ImageChannels(TransformerMixin, BaseEstimator):
    """Put channels first and standardize each.

    ``(rows, height, width)`` or ``(rows, height, width, channels)`` becomes
    ``(rows, channels, height, width)``.

    Attributes
    ----------
    shape_ : tuple of int
        Channels, height and width.

    Examples
    --------
    >>> ImageChannels().fit_transform(np.arange(8.0).reshape(2, 2, 2)).shape
    (2, 1, 2, 2)
    """

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn shape, mean and spread of the channels."""
        pixels = channels_first(X)
        self.shape_ = pixels.shape[1:]
        self.means_ = pixels.mean(axis=(0, 2, 3), keepdims=True)
        spreads = pixels.std(axis=(0, 2, 3), keepdims=True)
        self.spreads_ = np.where(spreads > 0, spreads, 1.0)
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Return the channels."""
        check_is_fitted(self)
        pixels = channels_first(X) if is_images(X) else np.asarray(X)
        if pixels.shape[1:] != self.shape_:
            raise ValueError(
                f"A row has shape {pixels.shape[1:]}, but fit saw images of shape {self.shape_} "
                "(channels, height, width). Pass images of that shape."
            )
        return (pixels - self.means_) / self.spreads_


def channels_first(X: Any) -> np.ndarray:
    """Images as (rows, channels, height, width)."""
    pixels = check_array(X, dtype=float, allow_nd=True)
    return pixels[:, None] if pixels.ndim == 3 else np.moveaxis(pixels, 3, 1)
