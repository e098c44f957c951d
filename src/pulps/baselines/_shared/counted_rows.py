"""Rows that weigh as much as several: written out as often as they weigh."""

from __future__ import annotations

from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from sklearn.utils import check_random_state

from pulps.io._sklearn import check_sample_weight
from pulps.tables.reading import is_table

MOST_ROWS = 10_000_000


def counted(weights: np.ndarray, rng: np.random.RandomState) -> np.ndarray:
    """Numbers of rows, each as often as it weighs; fractions are rounded by chance.

    Rounding keeps the sum of all weights but for one, and the mean of every weight over seeds.

    Parameters
    ----------
    weights
        Weight of each row.
    rng
        Rounds; not asked if all weights are whole numbers.

    Returns
    -------
    array of int

    Examples
    --------
    >>> counted(np.array([2.0, 0.0, 1.0]), np.random.RandomState(0))
    array([0, 0, 2])
    """
    start = 0.5 if (weights == np.rint(weights)).all() else rng.uniform()
    ends = np.floor(np.cumsum(weights) + start)
    return np.repeat(np.arange(len(weights)), np.diff(ends, prepend=0.0).astype(int))


def rows_by_weight(X: Any, y: Any, sample_weight: Any, random_state: Any) -> tuple[Any, Any]:
    """Write out a table and its labels, every row as often as it weighs.

    Parameters
    ----------
    X, y
        As in ``fit``; y has one value per row.
    sample_weight
        Weight of each row.
    random_state
        Seed for weights that are no whole numbers.

    Returns
    -------
    X, y
        Of the same kind.
    """
    labels = np.asarray(y)
    weights = check_sample_weight(sample_weight, labels, dtype=float, ensure_non_negative=True)
    if weights.sum() > MOST_ROWS:
        raise ValueError(
            f"sample_weight sums to {weights.sum():.3g}, but this method writes every row out as "
            f"often as it weighs, up to {MOST_ROWS} rows. Divide the weights by a number."
        )
    chosen = counted(weights, check_random_state(random_state))
    if not len(chosen):
        raise ValueError(
            f"sample_weight sums to {weights.sum():.3g}, so no row is left. A row of weight one "
            "counts once; pass larger weights."
        )
    if is_table(X):
        return nw.from_native(X, eager_only=True)[chosen.tolist()].to_native(), labels[chosen]
    return np.asarray(X)[chosen], labels[chosen]
