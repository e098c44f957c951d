"""Which columns matter to a score: those that random trees use more than shuffled ones."""

from __future__ import annotations

import numpy as np
from sklearn.ensemble import ExtraTreesRegressor

from pulps.io.randomness import new_seed

N_TREES, LEAF = 50, 5
TRIED, MOST_TRIED = 1 / 3, 32  # columns that a split may choose from: a share, and at most
MOST_SHUFFLED = 64
MISSING = -1.0  # below every code and every number of an encoded table


def relevance(values: np.ndarray, scores: np.ndarray, rng: np.random.RandomState) -> np.ndarray:
    """How much each column matters to a score, from 0 to 1.

    Random trees learn the score from the columns and from shuffled copies of some of them.
    A column that helps no more than the best shuffled one does not matter, one that helps
    twice as much matters fully; in between it matters in part.

    Parameters
    ----------
    values
        Encoded rows, NaN where missing.
    scores
        One number per row.
    rng
        Source of the trees and shuffles.

    Returns
    -------
    array of shape (columns,)

    Examples
    --------
    >>> rng = np.random.RandomState(0)
    >>> values = rng.rand(500, 3)
    >>> relevance(values, values[:, 0] + values[:, 2], rng)
    array([1., 0., 1.])
    """
    known = np.nan_to_num(values, nan=MISSING)
    n_columns = known.shape[1]
    chosen = rng.permutation(n_columns)[:MOST_SHUFFLED]
    shuffled = np.column_stack([rng.permutation(known[:, column]) for column in chosen])
    both = np.hstack([known, shuffled])
    trees = ExtraTreesRegressor(
        N_TREES,
        min_samples_leaf=LEAF,
        max_features=min(max(1, round(TRIED * both.shape[1])), MOST_TRIED),
        random_state=new_seed(rng),
    )
    trees.fit(both, scores)
    helps = trees.feature_importances_
    by_chance = helps[n_columns:].max()
    if by_chance == 0:
        return (helps[:n_columns] > 0).astype(float)
    return np.clip(helps[:n_columns] / by_chance - 1, 0, 1)
