"""Scores of predicted classes: recall, precision, F1, accuracy, Lee–Liu."""

from __future__ import annotations

from numpy.typing import ArrayLike

from pulps.metrics.rows import (
    Scenario,
    checked_prior,
    clip,
    labeled_and_positive,
    predicted_positive_rate,
)


def pu_recall_score(y: ArrayLike, y_pred: ArrayLike) -> float:
    """Estimate the recall: the share of the labeled rows that is predicted positive.

    Parameters
    ----------
    y : array-like of {0, 1}
        PU labels.
    y_pred : array-like of {0, 1}
        Predicted classes.

    Returns
    -------
    float
        In [0, 1].

    Examples
    --------
    >>> pu_recall_score([1, 1, 0, 0], [1, 0, 1, 0])
    0.5
    """
    labeled, positive = labeled_and_positive(y, y_pred)
    return float(positive[labeled].mean())


def pu_precision_score(
    y: ArrayLike,
    y_pred: ArrayLike,
    *,
    prior: float,
    scenario: Scenario = "single-training-set",
) -> float:
    """Estimate the precision; 0 if nothing is predicted positive.

    Parameters
    ----------
    y : array-like of {0, 1}
        PU labels.
    y_pred : array-like of {0, 1}
        Predicted classes.
    prior : float
        Share of positives in the population.
    scenario : {"single-training-set", "case-control"}
        How the rows were drawn.

    Returns
    -------
    float
        In [0, 1].
    """
    rate = predicted_positive_rate(y, y_pred, scenario=scenario)
    prior = checked_prior(prior)
    return clip(prior * pu_recall_score(y, y_pred) / rate) if rate > 0 else 0.0


def pu_f1_score(
    y: ArrayLike,
    y_pred: ArrayLike,
    *,
    prior: float,
    scenario: Scenario = "single-training-set",
) -> float:
    """Estimate the F1 of the positive class.

    Parameters
    ----------
    y, y_pred, prior, scenario
        As in :func:`pu_precision_score`.

    Returns
    -------
    float
        In [0, 1].
    """
    rate = predicted_positive_rate(y, y_pred, scenario=scenario)
    prior = checked_prior(prior)
    return clip(2 * prior * pu_recall_score(y, y_pred) / (prior + rate))


def pu_accuracy_score(
    y: ArrayLike,
    y_pred: ArrayLike,
    *,
    prior: float,
    scenario: Scenario = "single-training-set",
) -> float:
    """Estimate the accuracy.

    Two released benchmark codes add the labeled rows twice in the single-training-set
    scenario; their value is not monotone in the accuracy. This is the exact form.

    Parameters
    ----------
    y, y_pred, prior, scenario
        As in :func:`pu_precision_score`.

    Returns
    -------
    float
        In [0, 1].
    """
    rate = predicted_positive_rate(y, y_pred, scenario=scenario)
    prior = checked_prior(prior)
    return clip(2 * prior * pu_recall_score(y, y_pred) + 1 - rate - prior)


def lee_liu_score(
    y: ArrayLike, y_pred: ArrayLike, *, scenario: Scenario = "single-training-set"
) -> float:
    """Lee and Liu's criterion, recall² over the share predicted positive.

    It equals precision × recall / prior, so it orders models without knowing the prior. It
    is not a probability: it reaches 1 / prior. The constant answer "positive" scores 1.

    Parameters
    ----------
    y, y_pred, scenario
        As in :func:`pu_precision_score`.

    Returns
    -------
    float
        From 0 to 1 / prior.

    Examples
    --------
    >>> lee_liu_score([1, 1, 0, 0], [1, 1, 1, 1])
    1.0
    """
    rate = predicted_positive_rate(y, y_pred, scenario=scenario)
    return pu_recall_score(y, y_pred) ** 2 / rate if rate > 0 else 0.0
