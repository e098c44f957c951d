"""The scores of a record: against the truth, and from PU labels alone."""

from __future__ import annotations

import numpy as np
from sklearn.metrics import average_precision_score, roc_auc_score

from pulps.metrics import Scenario, lee_liu_score, pu_f1_score, pu_roc_auc_score


def scores_against_truth(
    y_true: np.ndarray, predicted: np.ndarray, decision: np.ndarray
) -> dict[str, float | int | None]:
    """Compute the confusion matrix, F1 of both classes and what follows from them.

    The F1 of a class that is neither there nor predicted is 0. Areas are ``None`` if a class
    is absent or a decision value is not finite.

    Parameters
    ----------
    y_true
        True classes.
    predicted
        Predicted classes.
    decision
        Decision values; larger is more positive.

    Returns
    -------
    dict
        Scores by name.

    Examples
    --------
    >>> s = scores_against_truth(np.array([1, 1, 0]), np.array([1, 1, 1]), np.ones(3))
    >>> s["f1_pos"], s["f1_neg"], s["auc"]
    (0.8, 0.0, 0.5)
    """
    true, predicted = np.asarray(y_true) == 1, np.asarray(predicted).astype(bool)
    tp, fn = int((true & predicted).sum()), int((true & ~predicted).sum())
    fp, tn = int((~true & predicted).sum()), int((~true & ~predicted).sum())
    f1_pos, f1_neg = _f1(tp, fp, fn), _f1(tn, fn, fp)
    recalls = [hit / n for hit, n in ((tp, tp + fn), (tn, tn + fp)) if n]
    areas = 0 < true.sum() < len(true) and np.isfinite(decision).all()
    return {
        "tp": tp,
        "fp": fp,
        "fn": fn,
        "tn": tn,
        "f1_pos": f1_pos,
        "f1_neg": f1_neg,
        "macro_f1": (f1_pos + f1_neg) / 2,
        "accuracy": (tp + tn) / len(true),
        "balanced_accuracy": sum(recalls) / len(recalls),
        "auc": float(roc_auc_score(true, decision)) if areas else None,
        "average_precision": float(average_precision_score(true, decision)) if areas else None,
    }


def scores_from_pu_labels(
    y: np.ndarray,
    predicted: np.ndarray,
    decision: np.ndarray,
    *,
    prior: float,
    scenario: Scenario,
) -> dict[str, float | None]:
    """Compute Lee–Liu, PU-F1 and PU-AUC (labeled against unlabeled, uncorrected).

    Parameters
    ----------
    y
        Labels, 1 for a labeled positive.
    predicted
        Predicted classes.
    decision
        Decision values; larger is more positive.
    prior
        Share of positives among all rows.
    scenario
        How the labels came about.

    Returns
    -------
    dict
        Scores by name.
    """
    finite = bool(np.isfinite(decision).all())
    return {
        "lee_liu": lee_liu_score(y, predicted, scenario=scenario),
        "pu_f1": pu_f1_score(y, predicted, prior=prior, scenario=scenario),
        "pu_auc": pu_roc_auc_score(y, decision) if finite else None,
    }


N_BINS = 10


def reliability(y_true: np.ndarray, probability: np.ndarray) -> list[list[float]]:
    """Count rows, probabilities and positives in ten bins of probability.

    Sums add over folds, so the calibration of a whole data set follows from its records.

    Parameters
    ----------
    y_true
        True classes.
    probability
        Probability of the positive class.

    Returns
    -------
    list
        One triple per bin.

    Examples
    --------
    >>> reliability(np.array([1, 0]), np.array([0.95, 0.99]))[-1]
    [2.0, 1.94, 1.0]
    """
    bins = np.minimum((probability * N_BINS).astype(int), N_BINS - 1)
    columns = (None, probability, np.asarray(y_true) == 1)
    sums = [np.bincount(bins, weights=column, minlength=N_BINS) for column in columns]
    return np.column_stack(sums).tolist()


def calibration_error(bins: np.ndarray) -> float:
    """Compute the expected calibration error from :func:`reliability`.

    The gap between mean probability and share of positives, averaged over rows.

    Parameters
    ----------
    bins
        From :func:`reliability`.

    Returns
    -------
    float
        The error.

    Examples
    --------
    >>> round(calibration_error(np.array([[2.0, 1.94, 1.0]])), 2)
    0.47
    """
    bins = np.asarray(bins, dtype=float)
    return float(np.abs(bins[:, 1] - bins[:, 2]).sum() / bins[:, 0].sum())


def _f1(hit: int, false: int, missed: int) -> float:
    return 2 * hit / (2 * hit + false + missed) if hit else 0.0
