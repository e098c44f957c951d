"""Gaps: where the views leave a stretch of scores nearly empty.

Ranks tell nothing of gaps, so they are looked for in the scores themselves, before they become
ranks. Where classes are apart, the best cut lies in the gap between them, and the share of rows
above it is that of the positives.
"""

from __future__ import annotations

import numpy as np

N_CUTS = 200
DEEP = 0.5  # density at most, relative to the lower one of the peaks on both sides


def find_gaps(scores: np.ndarray, labeled: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Find cuts at which few rows lie, with more of them on both sides.

    Parameters
    ----------
    scores
        Honest scores, shape (rows,).
    labeled
        Which rows are labeled.
    weights
        Weight of each row.

    Returns
    -------
    array of shape (cuts, 3)
        Share of the labeled rows above the cut, share of the unlabeled rows above it, and the
        density there relative to the lower one of the peaks on both sides.

    Examples
    --------
    >>> scores = np.concatenate([np.linspace(-2, -1, 50), np.linspace(1, 2, 50)])
    >>> gaps = find_gaps(scores, np.arange(100) >= 90, np.ones(100))
    >>> gaps[gaps[:, 2].argmin(), :2].round(2)
    array([1.  , 0.44])
    """
    total = weights.sum()
    mean = weights @ scores / total
    spread = np.sqrt(weights @ (scores - mean) ** 2 / total)
    if spread == 0:
        return np.empty((0, 3))
    width = spread * total**-0.2
    cuts = np.linspace(scores.min(), scores.max(), N_CUTS)
    density = np.array([weights @ np.exp(-(((scores - cut) / width) ** 2) / 2) for cut in cuts])
    before = np.maximum.accumulate(density)
    behind = np.maximum.accumulate(density[::-1])[::-1]
    depth = density / np.minimum(before, behind)
    deep = depth < DEEP
    shares = [
        [(mass @ (scores > cut)) / mass.sum() for cut in cuts[deep]]
        for mass in (weights * labeled, weights * ~labeled)
    ]
    return np.column_stack([*shares, depth[deep]])
