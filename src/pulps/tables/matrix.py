"""A table becomes a matrix without holes, for methods that need distances or a classifier."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pulps.tables.columns import CategoricalColumn, Column


def column_widths(columns: Sequence[Column]) -> list[int]:
    """Width of each column in a matrix: its number of categories, or 1 for a number.

    Parameters
    ----------
    columns
        What the columns are.

    Returns
    -------
    list of int
    """
    return [
        len(column.categories) if isinstance(column, CategoricalColumn) else 1
        for column in columns
    ]


def spread_categories(values: np.ndarray, columns: Sequence[Column]) -> np.ndarray:
    """Leave numbers as they are and give every category a column of zeros and ones.

    Parameters
    ----------
    values
        Encoded rows, shape (rows, columns), NaN where missing.
    columns
        What the columns are.

    Returns
    -------
    array of shape (rows, sum of :func:`column_widths`)
        A missing cell is NaN in all columns of its attribute.

    Examples
    --------
    >>> from pulps.tables.encoding import TableEncoder
    >>> import pandas as pd
    >>> encoder = TableEncoder()
    >>> values = encoder.fit_transform(pd.DataFrame({"a": ["x", "y", None], "b": [0, 1, 2]}))
    >>> spread_categories(values, encoder.columns_)
    array([[1. , 0. , 0. ],
           [0. , 1. , 0.5],
           [nan, nan, 1. ]])
    """
    blocks = []
    for cells, width in zip(values.T, column_widths(columns), strict=True):
        block = cells[:, None]
        if width > 1:  # a column of one category is constant, and the encoder drops it
            block = np.where(np.isnan(block), np.nan, block == np.arange(width))
        blocks.append(block)
    return np.hstack(blocks)


@dataclass(frozen=True)
class MatrixForm:
    """How encoded rows become a matrix without holes.

    Parameters
    ----------
    columns
        What the columns are.
    means, deviations
        Mean and standard deviation of each, without missing cells.
    with_missing
        Which columns had missing cells.
    """

    columns: Sequence[Column]
    means: np.ndarray
    deviations: np.ndarray
    with_missing: np.ndarray

    @classmethod
    def of(
        cls, values: np.ndarray, columns: Sequence[Column], weights: np.ndarray | None = None
    ) -> MatrixForm:
        """Learn means and deviations.

        Parameters
        ----------
        values
            Encoded rows, NaN where missing.
        columns
            What the columns are.
        weights
            Weight of each row; None weighs all alike.

        Returns
        -------
        MatrixForm
        """
        missing = np.isnan(values)
        if weights is None:
            means, deviations = np.nanmean(values, axis=0), np.nanstd(values, axis=0)
        else:
            mass = weights[:, None] * ~missing
            cells = np.where(missing, 0.0, values)
            means = (mass * cells).sum(axis=0) / mass.sum(axis=0)
            squares = (mass * (cells - means) ** 2).sum(axis=0)
            deviations = np.sqrt(squares / mass.sum(axis=0))
        return cls(columns, means, deviations, missing.any(axis=0))

    def write(self, values: np.ndarray) -> np.ndarray:
        """Write encoded rows as a matrix.

        Parameters
        ----------
        values
            Encoded rows, NaN where missing.

        Returns
        -------
        array of shape (rows, width)
            Without NaN.
        """
        blocks = []
        for index, column in enumerate(self.columns):
            cells = values[:, [index]]
            if isinstance(column, CategoricalColumn):
                block = spread_categories(cells, [column]) / np.sqrt(2)
            else:
                block = (cells - self.means[index]) / self.deviations[index]
            blocks.append(np.nan_to_num(block, nan=0.0))
            if self.with_missing[index]:
                blocks.append(np.isnan(cells).astype(float))
        return np.hstack(blocks)
