"""Honest scores: every row is scored by a model that was fitted without it.

Models of different folds have scales of their own, so a score is a rank: the share of the fold's
unlabeled rows below it.
"""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.base import clone

from pulps.metrics import PUStratifiedKFold
from pulps.metrics.scorer import decision_values, positive_class
from pulps.views.scale import NormalScale


@dataclass(frozen=True)
class CrossFitted:
    """What a method says about rows it did not see.

    Parameters
    ----------
    ranks
        Share of the unlabeled rows of its fold below each row.
    normal
        The same as normal scores.
    positive
        Which rows are called positive.
    seconds
        Time of one fit, on average over folds.
    """

    ranks: np.ndarray
    normal: np.ndarray
    positive: np.ndarray
    seconds: float


def take_rows(X: Any, rows: np.ndarray) -> Any:
    """Take rows of a pandas table or of an array.

    Parameters
    ----------
    X
        The table.
    rows
        Numbers of the rows.

    Returns
    -------
    table or array
    """
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows]


def cross_fit(model: Any, X: Any, labeled: np.ndarray, folds: PUStratifiedKFold) -> CrossFitted:
    """Score every row by a model that was fitted without it.

    Parameters
    ----------
    model
        A classifier, not fitted.
    X
        A pandas table, or an array.
    labeled
        Which rows are labeled.
    folds
        How rows are dealt.

    Returns
    -------
    CrossFitted
    """
    y = labeled.astype(int)
    ranks, normal = np.empty(len(y)), np.empty(len(y))
    positive, seconds = np.empty(len(y), dtype=bool), []
    for train, test in folds.split(X, y):
        start = perf_counter()
        fitted = clone(model).fit(take_rows(X, train), y[train])
        seconds.append(perf_counter() - start)
        rows = take_rows(X, test)
        scores = decision_values(fitted, rows)
        unlabeled = scores[~labeled[test]]
        scale = NormalScale.of(unlabeled, np.ones(len(unlabeled)))
        ranks[test], normal[test] = scale.rank(scores), scale(scores)
        positive[test] = positive_class(fitted, fitted.predict(rows)) == 1
    return CrossFitted(ranks, normal, positive, float(np.mean(seconds)))
