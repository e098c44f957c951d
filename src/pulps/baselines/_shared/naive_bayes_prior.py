"""The share of positives among unlabeled rows, from naive Bayes on codes."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold
from sklearn.utils import check_random_state

from pulps.priors.bbe import bbe
from pulps.tables.dependence import one_hot


def naive_bayes_prior(
    codes: np.ndarray,
    n_values: np.ndarray,
    labeled: np.ndarray,
    random_state: int | np.random.RandomState | None = None,
) -> float:
    r"""Estimate the share of positives among the unlabeled rows.

    Best bin estimation (:func:`pulps.priors.bbe`) on the log-odds of a naive Bayes classifier
    that tells labeled from unlabeled rows and has not seen the row it scores. At least one row
    in :math:`n_U + 1` is left to either class.

    Parameters
    ----------
    codes, n_values
        Rows of a :class:`~pulps.baselines._shared.codes.TableCoder`, and the number of values
        of each column.
    labeled
        Which rows are labeled; at least two.
    random_state
        Draws the folds.
    """
    if labeled.sum() < 2 or (~labeled).sum() < 2:
        raise ValueError(
            f"There are {labeled.sum()} labeled and {(~labeled).sum()} unlabeled rows. To "
            "estimate the share of positives, naive Bayes scores rows it was not fitted on, "
            "which takes at least two of each. Pass the share of positives in the population "
            "as prior, or label more rows."
        )
    scores = _out_of_fold_scores(codes, n_values, labeled, random_state)
    unlabeled = scores[~labeled]
    least = 1 / (len(unlabeled) + 1)
    return float(np.clip(bbe(scores[labeled], unlabeled).prior_of_unlabeled, least, 1 - least))


def _out_of_fold_scores(
    codes: np.ndarray,
    n_values: np.ndarray,
    labeled: np.ndarray,
    random_state: int | np.random.RandomState | None,
) -> np.ndarray:
    """Log-odds of labeled against unlabeled by naive Bayes that has not seen the row."""
    indicators = one_hot(codes, n_values)
    column = np.repeat(np.arange(len(n_values)), n_values)
    n_folds = min(10, int(labeled.sum()), int((~labeled).sum()))
    folds = StratifiedKFold(n_folds, shuffle=True, random_state=check_random_state(random_state))
    scores = np.empty(len(codes))
    for train, test in folds.split(codes, labeled):
        scores[test] = indicators[test] @ _log_odds(indicators[train], labeled[train], column)
    return scores


def _log_odds(indicators: np.ndarray, labeled: np.ndarray, column: Any) -> np.ndarray:
    counts = [indicators[labeled].sum(axis=0) + 1, indicators[~labeled].sum(axis=0) + 1]
    log_p, log_u = (np.log(c / np.bincount(column, weights=c)[column]) for c in counts)
    return log_p - log_u
