"""Scores of predicted classes: recall, precision, specificity, F1, accuracy, Lee–Liu."""

from __future__ import annotations

from numpy.typing import ArrayLike

from pulps.metrics.rows import (
    Scenario,
    checked_prior,
    clip,
    labeled_and_positive,
    mean_of,
    population,
    weights_of,
)


def pu_recall_score(
    y: ArrayLike,
    y_pred: ArrayLike,
    *,
    threshold: float | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Estimate the recall: the share of the labeled rows that is predicted positive.

    Parameters
    ----------
    y : array-like
        PU labels: 1 for a labeled positive, 0 or −1 for an unlabeled row.
    y_pred : array-like
        Predicted classes, 1 for positive and 0 or −1 for negative; or scores, with a threshold.
    threshold : float, optional
        Scores above it mean positive; None reads ``y_pred`` as classes.
    sample_weight : array-like, optional
        How many rows each row stands for; None counts each once.

    Returns
    -------
    float
        In [0, 1].

    Examples
    --------
    >>> pu_recall_score([1, 1, 0, 0], [1, 0, 1, 0])
    0.5
    >>> pu_recall_score([1, 1, -1, -1], [0.9, 0.2, 0.6, 0.1], threshold=0.5)
    0.5
    """
    labeled, positive = labeled_and_positive(y, y_pred, threshold)
    return mean_of(positive, weights_of(labeled, sample_weight), labeled)


def pu_precision_score(
    y: ArrayLike,
    y_pred: ArrayLike,
    *,
    prior: float,
    scenario: Scenario = "single-training-set",
    threshold: float | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Estimate the precision; 0 if nothing is predicted positive.

    Parameters
    ----------
    y : array-like
        PU labels: 1 for a labeled positive, 0 or −1 for an unlabeled row.
    y_pred : array-like
        Predicted classes, 1 for positive and 0 or −1 for negative; or scores, with a threshold.
    prior : float
        Share of positives in the population.
    scenario : {"single-training-set", "case-control"}
        How the rows were drawn.
    threshold : float, optional
        Scores above it mean positive; None reads ``y_pred`` as classes.
    sample_weight : array-like, optional
        How many rows each row stands for; None counts each once.

    Returns
    -------
    float
        In [0, 1].
    """
    rate, recall = _rate_and_recall(y, y_pred, scenario, threshold, sample_weight)
    prior = checked_prior(prior)
    return clip(prior * recall / rate) if rate > 0 else 0.0


def pu_f1_score(
    y: ArrayLike,
    y_pred: ArrayLike,
    *,
    prior: float,
    scenario: Scenario = "single-training-set",
    threshold: float | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Estimate the F1 of the positive class.

    Parameters
    ----------
    y, y_pred, prior, scenario, threshold, sample_weight
        As in :func:`pu_precision_score`.

    Returns
    -------
    float
        In [0, 1].
    """
    rate, recall = _rate_and_recall(y, y_pred, scenario, threshold, sample_weight)
    prior = checked_prior(prior)
    return clip(2 * prior * recall / (prior + rate))


def pu_accuracy_score(
    y: ArrayLike,
    y_pred: ArrayLike,
    *,
    prior: float,
    scenario: Scenario = "single-training-set",
    threshold: float | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Estimate the accuracy.

    Two released benchmark codes add the labeled rows twice in the single-training-set
    scenario; their value is not monotone in the accuracy. This is the exact form.

    Parameters
    ----------
    y, y_pred, prior, scenario, threshold, sample_weight
        As in :func:`pu_precision_score`.

    Returns
    -------
    float
        In [0, 1].
    """
    rate, recall = _rate_and_recall(y, y_pred, scenario, threshold, sample_weight)
    prior = checked_prior(prior)
    return clip(2 * prior * recall + 1 - rate - prior)


def pu_specificity_score(
    y: ArrayLike,
    y_pred: ArrayLike,
    *,
    prior: float,
    scenario: Scenario = "single-training-set",
    threshold: float | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Estimate the specificity: the share of the negatives that is predicted negative.

    Parameters
    ----------
    y, y_pred, prior, scenario, threshold, sample_weight
        As in :func:`pu_precision_score`.

    Returns
    -------
    float
        In [0, 1].

    Examples
    --------
    >>> pu_specificity_score([1, 1, 0, 0, 0, 0], [1, 1, 1, 0, 0, 0], prior=0.5)
    1.0
    """
    rate, recall = _rate_and_recall(y, y_pred, scenario, threshold, sample_weight)
    prior = checked_prior(prior)
    return clip(1 - (rate - prior * recall) / (1 - prior))


def lee_liu_score(
    y: ArrayLike,
    y_pred: ArrayLike,
    *,
    scenario: Scenario = "single-training-set",
    threshold: float | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Lee and Liu's criterion, recall² over the share predicted positive.

    It equals precision × recall / prior, so it orders models without knowing the prior. It
    is not a probability: it reaches 1 / prior. The constant answer "positive" scores 1.

    Parameters
    ----------
    y, y_pred, scenario, threshold, sample_weight
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
    rate, recall = _rate_and_recall(y, y_pred, scenario, threshold, sample_weight)
    return recall**2 / rate if rate > 0 else 0.0


def _rate_and_recall(
    y: ArrayLike,
    y_pred: ArrayLike,
    scenario: Scenario,
    threshold: float | None,
    sample_weight: ArrayLike | None,
) -> tuple[float, float]:
    """Share of the population, and of the labeled rows, that is predicted positive."""
    labeled, positive = labeled_and_positive(y, y_pred, threshold)
    weights = weights_of(labeled, sample_weight)
    rate = mean_of(positive, weights, population(labeled, scenario))
    return rate, mean_of(positive, weights, labeled)
