r"""Which attributes sit side by side along the chain.

What two sites know of each other must pass through every bond between them, so attributes
that depend on each other should be neighbors. The order follows from all rows, labeled or
not: mutual information of every pair of attributes, and a path along which neighbors have
as much of it as a greedy search finds.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pulps.labels import every_nth
from pulps.tables.columns import CategoricalColumn, Column
from pulps.tables.dependence import pairwise_mutual_information

N_BINS = 8
ENOUGH_ROWS = 4096
MOST_COLUMNS = 1000  # beyond, the pairs are too many and the order of the table stays


def order_by_dependence(
    values: np.ndarray, columns: Sequence[Column], weights: np.ndarray
) -> np.ndarray:
    """Positions of the columns along the chain, dependent ones side by side.

    Parameters
    ----------
    values
        Encoded rows, shape (rows, columns), NaN where missing.
    columns
        What the columns are.
    weights
        Weight of each row: a row that weighs two counts as two rows.

    Returns
    -------
    array of int
        Which column comes first, second and so on.
    """
    if len(columns) > MOST_COLUMNS:
        return np.arange(len(columns))
    some = every_nth(len(values), ENOUGH_ROWS)
    values, weights = values[some], weights[some]
    levels = [
        _codes(column) if isinstance(kind, CategoricalColumn) else _bins(column, weights)
        for column, kind in zip(values.T, columns, strict=True)
    ]
    return path(pairwise_mutual_information(levels, weights))


def _codes(values: np.ndarray) -> np.ndarray:
    """Code of every row, missing as one more."""
    return np.where(np.isnan(values), -1, values).astype(int) + 1


def _bins(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Eighth of the rows that each row falls into, missing as one more."""
    seen = ~np.isnan(values)
    codes = np.zeros(len(values), dtype=int)
    if seen.any():
        edges = np.unique(quantiles(values[seen], np.arange(1, N_BINS) / N_BINS, weights[seen]))
        codes[seen] = 1 + np.searchsorted(edges, values[seen], side="right")
    return codes


def quantiles(values: np.ndarray, levels: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Interpolated quantiles of rows, each as often there as it weighs.

    Parameters
    ----------
    values
        Numbers, one per row.
    levels
        Numbers from 0 to 1.
    weights
        Weight of each row.

    Returns
    -------
    array of the shape of levels

    Examples
    --------
    >>> quantiles(np.array([3.0, 1.0]), np.array([0.0, 0.5, 1.0]), np.array([1.0, 3.0]))
    array([1., 1., 3.])
    """
    order = np.argsort(values, kind="stable")
    values, ends = values[order], np.cumsum(weights[order])
    position = levels * max(ends[-1] - 1, 0.0)
    below = np.floor(position)
    last = len(values) - 1
    low, high = (
        values[np.minimum(np.searchsorted(ends, at, side="right"), last)]
        for at in (below, below + 1)
    )
    return low + (high - low) * (position - below)


def path(weights: np.ndarray) -> np.ndarray:
    """Visit all nodes once: the heaviest edges that still make a path, one by one.

    Parameters
    ----------
    weights
        Symmetric, shape (nodes, nodes).

    Returns
    -------
    array of int
        The nodes in order.

    Examples
    --------
    >>> path(np.array([[0, 1, 9], [1, 0, 5], [9, 5, 0]]))
    array([0, 2, 1])
    """
    n = len(weights)
    ends: dict[int, list[int]] = {i: [i] for i in range(n)}  # fragment that ends at a node
    rows, columns = np.triu_indices(n, 1)
    for pair in np.argsort(-weights[rows, columns], kind="stable"):
        a, b = int(rows[pair]), int(columns[pair])
        if a not in ends or b not in ends or ends[a] is ends[b]:
            continue
        left, right = ends.pop(a), ends.pop(b)
        joined = (left if left[-1] == a else left[::-1]) + (
            right if right[0] == b else right[::-1]
        )
        ends[joined[0]] = ends[joined[-1]] = joined
    found = np.array(next(iter(ends.values())), dtype=int)
    return found if found[0] <= found[-1] else found[::-1].copy()
