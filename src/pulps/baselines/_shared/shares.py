"""The share of positives among unlabeled rows, estimated."""

from __future__ import annotations

import numpy as np
from sklearn.model_selection import StratifiedKFold
from sklearn.utils import check_random_state

from pulps.baselines._shared.codes import one_hot


def estimate_share(
    codes: np.ndarray, n_values: np.ndarray, labeled: np.ndarray, random_state=None
) -> float:
    r"""Estimate the share of positives among the unlabeled rows.

    Best-bin estimation (Garg et al. 2021): if some region holds positives only, the ratio of
    the unlabeled to the labeled mass in it *is* the share, and it is larger everywhere else.
    Regions are "naive Bayes finds the row more labeled than this"; scores are out of fold;
    the region is chosen by an upper confidence bound of the ratio.

    Parameters
    ----------
    codes, n_values
        Rows of a :class:`~pulps.baselines._shared.codes.TableCoder`.
    labeled
        Which rows are labeled; at least two.
    random_state
        Draws the folds.
    """
    if labeled.sum() < 2 or (~labeled).sum() < 2:
        raise ValueError(
            f"There are {labeled.sum()} labeled and {(~labeled).sum()} unlabeled rows; the share "
            "of positives is estimated by naive Bayes on other rows, which takes two of each. "
            "Pass the share of positives in the population as prior, or label more rows."
        )
    scores = _out_of_fold_scores(codes, n_values, labeled, random_state)
    positive, unlabeled = np.sort(scores[labeled]), np.sort(scores[~labeled])
    thresholds = np.unique(positive)
    above_positive = 1 - np.searchsorted(positive, thresholds) / len(positive)
    above_unlabeled = 1 - np.searchsorted(unlabeled, thresholds) / len(unlabeled)
    doubt = np.sqrt(np.log(4 / 0.1) / 2) * (len(positive) ** -0.5 + len(unlabeled) ** -0.5)
    best = np.argmin((above_unlabeled + 1.01 * doubt) / above_positive)
    share = above_unlabeled[best] / above_positive[best]
    return float(np.clip(share, 1 / (len(unlabeled) + 1), 1 - 1 / (len(unlabeled) + 1)))


def _out_of_fold_scores(codes, n_values, labeled, random_state) -> np.ndarray:
    """Log-odds of labeled against unlabeled by naive Bayes that has not seen the row."""
    indicators = one_hot(codes, n_values)
    column = np.repeat(np.arange(len(n_values)), n_values)
    n_folds = min(10, int(labeled.sum()), int((~labeled).sum()))
    folds = StratifiedKFold(n_folds, shuffle=True, random_state=check_random_state(random_state))
    scores = np.empty(len(codes))
    for train, test in folds.split(codes, labeled):
        scores[test] = indicators[test] @ _log_odds(indicators[train], labeled[train], column)
    return scores


def _log_odds(indicators, labeled, column) -> np.ndarray:
    counts = [indicators[labeled].sum(axis=0) + 1, indicators[~labeled].sum(axis=0) + 1]
    log_p, log_u = (np.log(c / np.bincount(column, weights=c)[column]) for c in counts)
    return log_p - log_u
