"""Where to cut scores so that a share of the rows lies above."""

from __future__ import annotations

import numpy as np


def cut_leaving(scores: np.ndarray, share: float, weights: np.ndarray) -> float:
    """Cut between two scores, with as nearly as possible a share of the rows above it.

    Rows with equal scores stay together, and the cut keeps away from them: a new row that equals
    them may be scored a little differently.

    Parameters
    ----------
    scores
        One per row.
    share
        From 0 to 1.
    weights
        Weight of each row.

    Returns
    -------
    float

    Examples
    --------
    >>> cut_leaving(np.array([1.0, 2.0, 2.0, 2.0, 3.0]), 0.7, np.ones(5))
    1.5
    """
    values, group = np.unique(scores, return_inverse=True)
    mass = np.bincount(group, weights)
    above = np.append(np.cumsum(mass[::-1])[::-1], 0.0) / mass.sum()
    first = int(np.abs(above - share).argmin())
    if first == 0:
        return float(values[0] - 1.0)
    if first == len(values):
        return float(values[-1])
    return float((values[first - 1] + values[first]) / 2)
