"""Rows that are known to be negative: the third value of y beside positive and unlabeled.

``y`` with exactly the three numbers -1, 0 and 1 has known negatives (-1), unlabeled rows (0) and
labeled positives (1). Any two values mean what they always mean, see :mod:`reading`: -1 and 1
alone are unlabeled and positive.
"""

from __future__ import annotations

from typing import Any

import numpy as np

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
    if values.ndim != 1 or values.dtype.kind not in "if" or pos_label not in (None, POSITIVE):
        return y, None
    if set(np.unique(values).tolist()) != {NEGATIVE, UNLABELED, POSITIVE}:
        return y, None
    negative = values == NEGATIVE
    return np.where(negative, UNLABELED, values), negative
