"""Rows that are equal become one row that weighs as much as they do together."""

from __future__ import annotations

import numpy as np


def distinct_rows(
    values: np.ndarray, labeled: np.ndarray, weights: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Merge rows with equal cells and equal label.

    A row that weighs two is then, to the bit, the same as two equal rows: what is left has an
    order of its own, which does not depend on how the rows came. Rows that all differ and all
    weigh one stay as they are.

    Parameters
    ----------
    values
        Encoded rows, shape (rows, columns), NaN where missing.
    labeled
        Which rows are labeled.
    weights
        Weight of each row, above zero.

    Returns
    -------
    values, labeled, weights
        Of the distinct rows.

    Examples
    --------
    >>> values, labeled = np.array([[2.0], [1.0], [2.0]]), np.array([False, False, False])
    >>> values, labeled, weights = distinct_rows(values, labeled, np.ones(3))
    >>> values.tolist(), weights.tolist()
    ([[2.0], [1.0]], [2.0, 1.0])
    """
    first, group = groups_of_equal(np.column_stack([labeled, values]))
    if len(first) == len(values) and (weights == 1).all():
        return values, labeled, weights
    return _comparable(values[first]), labeled[first], np.bincount(group, weights=weights)


def groups_of_equal(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Give every distinct row a number.

    Parameters
    ----------
    values
        Rows, shape (rows, columns), NaN where missing.

    Returns
    -------
    first, group
        First row of each group, shape (groups,), and group of each row, shape (rows,).
    """
    rows = np.ascontiguousarray(_comparable(values))
    as_bytes = rows.view(np.dtype((np.void, rows.itemsize * rows.shape[1])))[:, 0]
    _, first, group = np.unique(as_bytes, return_index=True, return_inverse=True)
    return first, group


def _comparable(values: np.ndarray) -> np.ndarray:
    """Bytes are compared, so there must be one zero and one NaN."""
    return np.where(np.isnan(values), np.nan, values + 0.0)
