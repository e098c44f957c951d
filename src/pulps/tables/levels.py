"""Words that are rare are merged, without looking at labels.

A category that a handful of rows have tells nothing, and hundreds of them hide what others tell.
The frequent ones of such a column stay; the rest become a few groups, to which a word belongs by
its letters alone, so that a word nobody saw at fit has a group as well.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from pulps.tables.cells import written

FEW_LEVELS = 32  # up to so many stay as they are
ROWS_PER_LEVEL = 5
MOST_GROUPS = 8
ROWS_PER_GROUP = 50


def merged_levels(
    values: np.ndarray, weights: np.ndarray, most: int
) -> tuple[np.ndarray, np.ndarray, int] | None:
    """Merge rare categories of a column that has too many.

    Parameters
    ----------
    values
        Categories, None or NaN where missing.
    weights
        Rows that each row stands for; zero where it is not looked at.
    most
        Categories that a column may have, however many rows there are.

    Returns
    -------
    values, categories, n_groups, or None
        The cells as text; the frequent categories, sorted, and after them the groups; how many
        groups there are. None if nothing needs to be merged.

    Examples
    --------
    >>> words = np.array([*"aaaaa", *map(str, range(45))], dtype=object)
    >>> merged_levels(words, np.ones(50), most=256)[1:]
    (array(['a', '(other)'], dtype='<U7'), 1)
    """
    seen = ~pd.isna(values) & (weights > 0)
    counts = pd.Series(weights[seen]).groupby(values[seen]).sum()
    n_rare = int((counts < ROWS_PER_LEVEL).sum())
    if len(counts) <= most and (len(counts) <= FEW_LEVELS or 2 * n_rare <= len(counts)):
        return None
    texts = np.array([written(value) for value in values.tolist()], dtype=object)
    counts = pd.Series(weights[seen]).groupby(texts[seen]).sum()
    frequent = counts[counts >= ROWS_PER_LEVEL].sort_values(ascending=False, kind="stable")
    kept = sorted(frequent.index[: most - MOST_GROUPS].tolist())
    rest = counts.sum() - counts[kept].sum()
    n_groups = int(np.clip(rest // ROWS_PER_GROUP, 1 if kept else 2, MOST_GROUPS))
    groups = [f"(other {number})" for number in range(1, n_groups + 1)]
    return texts, np.array([*kept, *(groups if n_groups > 1 else ["(other)"])]), n_groups
