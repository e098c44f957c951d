"""Rows that are known to be negative: the third value of y beside positive and unlabeled.

``y`` with exactly the three numbers -1, 0 and 1 has known negatives (-1), unlabeled rows (0) and
labeled positives (1); what is missing is unlabeled. Any two values mean what they always mean, see
:mod:`reading`: -1 and 1 alone are unlabeled and positive.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pulps.io.calls import warn_caller
from pulps.labels.reading import is_number, missing_labels

NEGATIVE, UNLABELED, POSITIVE = -1, 0, 1


def take_negatives(y: Any, pos_label: Any = None) -> tuple[Any, np.ndarray | None]:
    """Take known negatives out of y, if it has any.

    Parameters
    ----------
    y : array-like of shape (rows,)
        Labels.
    pos_label
        The value of a labeled positive, if it was named.

    Returns
    -------
    y, negative
        Labels in which known negatives count as unlabeled, and which rows are known to be
        negative; None if y does not hold -1, 0 and 1.

    Examples
    --------
    >>> take_negatives([1, 0, -1])
    (array([1, 0, 0]), array([False, False,  True]))
    >>> take_negatives([1, -1])
    ([1, -1], None)
    """
    values = np.asarray(y)
    is_column = values.ndim == 1 or (values.ndim == 2 and values.shape[1] == 1)
    if not is_column or values.dtype.kind not in "ifO" or pos_label not in (None, POSITIVE):
        return y, None
    cells = values.ravel()
    given = ~missing_labels(cells)
    if not all(is_number(value) for value in cells[given].tolist()):
        return y, None
    numbers = cells[given].astype(float)
    found = set(np.unique(numbers).tolist())
    if found == {NEGATIVE, POSITIVE} and not given.all():
        warn_caller(
            "y holds 1, -1 and missing values. Rows of -1 count as unlabeled, as missing ones do. "
            "If they are known to be negative, mark the unlabeled rows with 0.",
            UserWarning,
        )
    if found != {NEGATIVE, UNLABELED, POSITIVE}:
        return y, None
    negative = np.zeros(len(cells), dtype=bool)
    negative[given] = numbers == NEGATIVE
    kept = np.full(len(cells), UNLABELED, values.dtype if values.dtype.kind != "O" else int)
    kept[given & ~negative] = cells[given & ~negative]
    return kept.reshape(values.shape), negative


def known_states(labeled: np.ndarray, negative: np.ndarray) -> np.ndarray:
    """Tell which state each row is known to belong to, as a fit wants it.

    Parameters
    ----------
    labeled, negative
        Which rows are labeled positive, and which are known to be negative.

    Returns
    -------
    array of int
        0 for a labeled positive, 1 for a known negative, -1 for all others.

    Examples
    --------
    >>> known_states(np.array([True, False, False]), np.array([False, True, False]))
    array([ 0,  1, -1])
    """
    return np.where(labeled, 0, np.where(negative, 1, -1))
