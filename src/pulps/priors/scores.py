"""Scores of rows that a classifier has not seen, which is what methods on scores need."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.model_selection import PredefinedSplit, cross_val_predict
from sklearn.pipeline import make_pipeline

from pulps.io.randomness import new_seed
from pulps.tables.encoding import TableEncoder
from pulps.tables.table_matrix import TableMatrix


def default_classifier(rng: np.random.RandomState) -> Any:
    """Return a forest of random splits, whose leaves are not too small to be probabilities.

    Parameters
    ----------
    rng
        Draws the seed of the forest.

    Returns
    -------
    Pipeline
        Takes a table; not fitted yet.
    """
    forest = ExtraTreesClassifier(n_estimators=100, min_samples_leaf=3, random_state=new_seed(rng))
    return make_pipeline(TableMatrix(), forest)


def held_out_scores(
    X: Any,
    labeled: np.ndarray,
    *,
    classifier: Any,
    cv: int,
    scenario: str,
    rng: np.random.RandomState,
) -> np.ndarray:
    """Chance of each row to be labeled, by a classifier trained on other rows.

    In case-control the same row is often in both samples, once labeled and once unlabeled.
    If one of the two were among the training rows, it would answer for the other, and wrongly;
    so an unlabeled row that equals a labeled one shares its fold.

    Parameters
    ----------
    X
        The table.
    labeled
        Boolean, True for a labeled row.
    classifier
        Has ``predict_proba``; it sees X as it is. None takes :func:`default_classifier`.
    cv
        Number of folds, or the number of labeled or of unlabeled rows if that is smaller.
    scenario
        Whether to look for twins.
    rng
        Draws folds, and the default classifier's trees.

    Returns
    -------
    scores
        One for each row, in [0, 1].
    """
    classifier = default_classifier(rng) if classifier is None else clone(classifier)
    twins = twins_of(X, labeled) if scenario == "case-control" else np.arange(len(labeled))
    n_folds = min(cv, int(labeled.sum()), int((~labeled).sum()))
    folds = PredefinedSplit(deal(labeled, twins, n_folds, rng))
    chances = cross_val_predict(
        classifier, X, labeled.astype(int), cv=folds, method="predict_proba"
    )
    return chances[:, 1]


def twins_of(X: Any, labeled: np.ndarray) -> np.ndarray:
    """Give every row a number, shared by a labeled row and one unlabeled row equal to it.

    Parameters
    ----------
    X
        Table or array.
    labeled
        Boolean, True for a labeled row.

    Returns
    -------
    array
        One whole number per row.

    Examples
    --------
    >>> twins_of([[1.0], [2.0], [2.0], [2.0]], np.array([True, True, False, False]))
    array([0, 1, 1, 2])
    """
    values = pd.DataFrame(TableEncoder().fit_transform(X))
    same = values.groupby(list(values.columns), dropna=False, sort=False).ngroup()
    copy = values.groupby([same, labeled]).cumcount()
    return pd.MultiIndex.from_arrays([same, copy]).factorize()[0]


def deal(
    labeled: np.ndarray, twins: np.ndarray, n_folds: int, rng: np.random.RandomState
) -> np.ndarray:
    """Deal rows into folds: labeled and unlabeled rows evenly, twins together.

    Parameters
    ----------
    labeled
        Boolean, True for a labeled row.
    twins
        One number per row, see :func:`twins_of`.
    n_folds
        Number of folds.
    rng
        Shuffles the rows.

    Returns
    -------
    array
        Number of the fold of each row.
    """
    n_groups = int(twins.max()) + 1
    n_labeled = np.bincount(twins[labeled], minlength=n_groups)
    n_unlabeled = np.bincount(twins[~labeled], minlength=n_groups)
    shuffled = rng.permutation(n_groups)
    order = shuffled[np.argsort((n_unlabeled - n_labeled)[shuffled], kind="stable")]
    folds = np.empty(n_groups, dtype=int)
    folds[order] = np.arange(n_groups) % n_folds
    return folds[twins]


def check_scores(
    labeled_scores: ArrayLike, unlabeled_scores: ArrayLike, *, probabilities: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """Return two arrays of finite scores, or say what is wrong with them.

    Parameters
    ----------
    labeled_scores, unlabeled_scores
        One score per row, for at least two rows of each kind.
    probabilities
        Whether the scores must lie in [0, 1].

    Returns
    -------
    labeled_scores, unlabeled_scores
        The same scores as arrays of floats.
    """
    checked = []
    for name, scores in (
        ("labeled_scores", labeled_scores),
        ("unlabeled_scores", unlabeled_scores),
    ):
        array = np.asarray(scores, dtype=float)
        if array.ndim != 1 or len(array) < 2:
            raise ValueError(
                f"{name} has shape {array.shape}; expected one score per row, for at least 2 rows."
            )
        if not np.isfinite(array).all():
            raise ValueError(
                f"{name} holds {int((~np.isfinite(array)).sum())} values that are not finite "
                f"among {len(array)}. Score these rows, or leave them out."
            )
        if probabilities and not ((array >= 0) & (array <= 1)).all():
            raise ValueError(
                f"{name} ranges from {array.min():g} to {array.max():g}; expected "
                "probabilities, in [0, 1]. Calibrate the scores first."
            )
        checked.append(array)
    return checked[0], checked[1]
