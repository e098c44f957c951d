"""Statistics over a table of scores: one row per task, one column per method.

Larger scores are better. After Demšar (2006): Friedman's test asks whether the methods differ
at all, Nemenyi's which pairs do; the critical difference is the distance of average ranks that
matters. Wilcoxon's test with Holm's correction compares pairs, and Spearman's correlation
relates agreement to the test score.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy import stats

from pulps.io.optional import needs


class Friedman(NamedTuple):
    """Result of :func:`friedman`."""

    statistic: float
    p_value: float
    n_tasks: int
    n_methods: int


class Spearman(NamedTuple):
    """Result of :func:`spearman`; NaN where one of the two is constant."""

    rho: float
    p_value: float
    n: int


def average_ranks(scores: pd.DataFrame) -> pd.Series:
    """Rank the methods on each task, 1 = best, ties share their mean rank; then average.

    Parameters
    ----------
    scores
        One row per task, one column per method; larger is better.

    Returns
    -------
    Series
        Mean rank of each method.

    Examples
    --------
    >>> scores = pd.DataFrame({"a": [0.9, 0.8], "b": [0.7, 0.8]})
    >>> average_ranks(scores).to_dict()
    {'a': 1.25, 'b': 1.75}
    """
    return _complete(scores).rank(axis=1, ascending=False).mean()


def wins(scores: pd.DataFrame) -> pd.Series:
    """Count the tasks on which each method has the best score; ties win for each.

    Parameters
    ----------
    scores
        One row per task, one column per method; larger is better.

    Returns
    -------
    Series
        Number of wins of each method.

    Examples
    --------
    >>> wins(pd.DataFrame({"a": [0.9, 0.8], "b": [0.7, 0.8]})).to_dict()
    {'a': 2, 'b': 1}
    """
    return _complete(scores).eq(scores.max(axis=1), axis=0).sum()


def friedman(scores: pd.DataFrame) -> Friedman:
    """Test whether all methods perform alike. Needs three methods and two tasks.

    Parameters
    ----------
    scores
        One row per task, one column per method; larger is better.

    Returns
    -------
    Friedman
        The test.
    """
    scores = _complete(scores)
    n_tasks, n_methods = scores.shape
    if n_methods < 3 or n_tasks < 2:
        raise ValueError(
            f"Friedman's test needs at least 3 methods and 2 tasks, but got {n_methods} and "
            f"{n_tasks}. For two methods use wilcoxon_holm."
        )
    statistic, p_value = stats.friedmanchisquare(*scores.to_numpy().T)
    return Friedman(float(statistic), float(p_value), n_tasks, n_methods)


def critical_difference(n_methods: int, n_tasks: int, alpha: float = 0.05) -> float:
    r"""Distance of average ranks that is significant, :math:`q_\alpha \sqrt{k(k+1)/6N}`.

    Parameters
    ----------
    n_methods
        Number of methods.
    n_tasks
        Number of tasks.
    alpha
        Level of significance.

    Returns
    -------
    float
        The difference.

    Examples
    --------
    >>> round(critical_difference(5, 10), 2)
    1.93
    """
    return nemenyi_q(n_methods, alpha) * math.sqrt(n_methods * (n_methods + 1) / (6 * n_tasks))


def nemenyi_q(n_methods: int, alpha: float = 0.05) -> float:
    r"""Critical value of the Nemenyi test: the Studentized range over :math:`\sqrt 2`.

    Parameters
    ----------
    n_methods
        Number of methods.
    alpha
        Level of significance.

    Returns
    -------
    float
        The value.
    """
    return float(stats.studentized_range.ppf(1 - alpha, n_methods, np.inf) / math.sqrt(2))


def nemenyi(scores: pd.DataFrame) -> pd.DataFrame:
    """P-values of all pairs of methods by the Nemenyi test after Friedman.

    Parameters
    ----------
    scores
        One row per task, one column per method; larger is better.

    Returns
    -------
    DataFrame
        One row and one column per method.
    """
    with needs("bench", "A comparison of ranks"):
        from scikit_posthocs import posthoc_nemenyi_friedman

    p_values = posthoc_nemenyi_friedman(_complete(scores).to_numpy())
    return pd.DataFrame(p_values.to_numpy(), index=scores.columns, columns=scores.columns)


def wilcoxon_holm(scores: pd.DataFrame) -> pd.DataFrame:
    """Compare all pairs by the signed-rank test, p-values corrected after Holm.

    Parameters
    ----------
    scores
        One row per task, one column per method; larger is better.

    Returns
    -------
    DataFrame
        Columns ``first, second, difference, statistic, p_value, p_holm``; ``difference`` is
        the median of first minus second. Pairs that never differ have p = 1.
    """
    scores = _complete(scores)
    rows = []
    for first, second in combinations(scores.columns, 2):
        difference = scores[first] - scores[second]
        rows.append((first, second, float(difference.median()), *signed_rank(difference)))
    table = pd.DataFrame(rows, columns=["first", "second", "difference", "statistic", "p_value"])
    return table.assign(p_holm=holm(table["p_value"]))


def signed_rank(difference: pd.Series) -> tuple[float, float]:
    """Test by Wilcoxon whether differences are centered at zero; if all are zero, p = 1.

    Differences are rounded first: two that are equal but for rounding errors share a rank.

    Parameters
    ----------
    difference
        Differences of two methods, one per task.

    Returns
    -------
    statistic, p_value
        Of the test.

    Examples
    --------
    >>> signed_rank(pd.Series([0.0, 0.0]))
    (0.0, 1.0)
    """
    difference = difference.round(12)
    if not (difference != 0).any():
        return 0.0, 1.0
    statistic, p_value = stats.wilcoxon(difference, method="approx", correction=False)
    return float(statistic), float(p_value)


def holm(p_values: Sequence[float] | pd.Series) -> np.ndarray:
    """Correct p-values for being many, after Holm (1979).

    Parameters
    ----------
    p_values
        The p-values.

    Returns
    -------
    array
        Corrected p-values, in the same order.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03]).round(2)
    array([0.03, 0.06, 0.06])
    """
    p = np.asarray(p_values, dtype=float)
    order = np.argsort(p)
    raised = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    corrected = np.empty_like(p)
    corrected[order] = np.minimum(raised, 1)
    return corrected


def paired_difference(
    first: Sequence[float] | pd.Series, second: Sequence[float] | pd.Series
) -> tuple[float, float]:
    """Average first minus second over tasks.

    Parameters
    ----------
    first
        Scores of one method.
    second
        Scores of the other, on the same tasks.

    Returns
    -------
    mean, error
        The standard error is NaN for a single task.

    Examples
    --------
    >>> paired_difference([0.9, 0.7], [0.5, 0.5])
    (0.3, 0.1)
    """
    difference = np.subtract(first, second)
    error = (
        difference.std(ddof=1) / math.sqrt(len(difference)) if len(difference) > 1 else math.nan
    )
    return round(float(difference.mean()), 12), round(float(error), 12)


def spearman(agreement: Sequence[float], score: Sequence[float]) -> Spearman:
    """Correlate the ranks of agreement (the estimated accuracy) and of test scores.

    Parameters
    ----------
    agreement
        Agreement of each model.
    score
        Test score of each model.

    Returns
    -------
    Spearman
        The correlation.
    """
    pairs = np.column_stack([agreement, score]).astype(float)
    pairs = pairs[np.isfinite(pairs).all(axis=1)]
    if len(pairs) < 3 or (np.ptp(pairs, axis=0) == 0).any():
        return Spearman(math.nan, math.nan, len(pairs))
    rho, p_value = stats.spearmanr(*pairs.T)
    return Spearman(float(rho), float(p_value), len(pairs))


def _complete(scores: pd.DataFrame) -> pd.DataFrame:
    missing = scores.columns[scores.isna().any()]
    if len(missing):
        raise ValueError(
            f"Ranks need every method on every task, but {', '.join(map(str, missing))} has "
            "missing scores. Drop those tasks or methods first, and mention it."
        )
    return scores
