"""What every score from PU labels needs to know: which rows are labeled, which the population."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from pulps.labels import missing_labels, share_among_unlabeled

Scenario = Literal["single-training-set", "case-control"]


def predicted_positive_rate(
    y: ArrayLike,
    y_pred: ArrayLike,
    *,
    scenario: Scenario = "single-training-set",
    threshold: float | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Estimate the share of the population that is predicted positive.

    Parameters
    ----------
    y : array-like
        PU labels: 1 for a labeled positive, 0 or −1 for an unlabeled row.
    y_pred : array-like
        Predicted classes, 1 for positive; or scores, with a threshold.
    scenario : {"single-training-set", "case-control"}
        How the rows were drawn.
    threshold : float, optional
        Scores above it mean positive.
    sample_weight : array-like, optional
        How many rows each row stands for; None counts each once.

    Returns
    -------
    float
        In [0, 1].
    """
    labeled, positive = labeled_and_positive(y, y_pred, threshold)
    weights = weights_of(labeled, sample_weight)
    return mean_of(positive, weights, population(labeled, scenario))


def prior_of_unlabeled(
    y: ArrayLike,
    *,
    prior: float,
    scenario: Scenario = "single-training-set",
    sample_weight: ArrayLike | None = None,
) -> float:
    """Find the share of positives among the unlabeled rows from that in the population.

    Parameters
    ----------
    y : array-like
        PU labels: 1 for a labeled positive, 0 or −1 for an unlabeled row.
    prior : float
        Share of positives in the population. If it says that fewer rows are positive than
        are labeled, no unlabeled row is taken for positive.
    scenario : {"single-training-set", "case-control"}
        How the rows were drawn.
    sample_weight : array-like, optional
        How many rows each row stands for; None counts each once.

    Returns
    -------
    float
        In [0, 1].

    Examples
    --------
    >>> prior_of_unlabeled([1, 1, 0, 0, 0, 0, 0, 0, 0, 0], prior=0.6)
    0.5
    """
    labeled = labeled_rows(y)
    prior = checked_prior(prior)
    population(labeled, scenario)  # refuses an unknown scenario
    weights = weights_of(labeled, sample_weight)
    return clip(share_among_unlabeled(prior, labeled, scenario, weights=weights, clip=True))


def labeled_rows(y: ArrayLike) -> np.ndarray:
    """Read PU labels, True where a row is labeled positive; refuse anything else.

    Parameters
    ----------
    y
        PU labels: 1 or True for a labeled positive; 0, −1, False or nothing (NaN, None) for any
        other row.

    Returns
    -------
    array
        Boolean, True for a labeled row.

    Examples
    --------
    >>> labeled_rows([1, -1, -1])
    array([ True, False, False])
    """
    labels = np.asarray(y)
    blank = missing_labels(labels)
    if not np.isin(labels[~blank], [-1, 0, 1]).all():
        raise ValueError(
            f"y has values {_first_values(labels[~blank])}; PU labels are 1 (labeled positive) "
            "and 0 or −1 (unlabeled). Convert them, for example with "
            "(y == your_label).astype(int)."
        )
    labeled = np.asarray(labels == 1, dtype=bool)
    if labeled.all() or not labeled.any():
        raise ValueError(
            f"y has {int(labeled.sum())} labeled rows of {len(labeled)}; a score from PU labels "
            "needs labeled and unlabeled rows. Score a part of the data that has both."
        )
    return labeled


def _first_values(values: np.ndarray) -> list[Any]:
    """List a few distinct values, which need not have an order."""
    return list(dict.fromkeys(values.ravel().tolist()))[:5]


def labeled_and_positive(
    y: ArrayLike, y_pred: ArrayLike, threshold: float | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Read PU labels and predicted classes.

    Parameters
    ----------
    y
        PU labels, as in :func:`labeled_rows`.
    y_pred
        Answers for the same rows: classes, 1 for positive and 0 or −1 for negative; or scores,
        if a threshold is given.
    threshold
        Scores above it mean positive; None reads classes.

    Returns
    -------
    labeled, predicted
        Boolean arrays, True for a labeled row and for a row predicted positive.

    Examples
    --------
    >>> labeled_and_positive([1, 0], [0.7, 0.2], threshold=0.5)
    (array([ True, False]), array([ True, False]))
    """
    labeled = labeled_rows(y)
    if threshold is not None:
        return labeled, scores_of(labeled, y_pred) > threshold
    predicted = np.asarray(y_pred)
    values = set(predicted.ravel().tolist())
    if predicted.shape != labeled.shape or not (values <= {0, 1} or values <= {-1, 1}):
        raise ValueError(
            f"y_pred has shape {predicted.shape} and values {_first_values(predicted)}; "
            f"expected shape {labeled.shape} and the values 0 (or −1) and 1. Pass predicted "
            "classes of the same rows, or scores and a threshold."
        )
    return labeled, predicted == 1


def scores_of(labeled: np.ndarray, y_score: ArrayLike) -> np.ndarray:
    """Read scores, one finite number per row.

    Parameters
    ----------
    labeled
        From :func:`labeled_rows`.
    y_score
        Scores of the same rows; larger means more positive.

    Returns
    -------
    array of float
    """
    scores = np.asarray(y_score, dtype=float)
    if scores.shape != labeled.shape or np.isnan(scores).any():
        n_missing = int(np.isnan(scores).sum())
        raise ValueError(
            f"The scores have shape {scores.shape} and {n_missing} of them are missing; expected "
            f"shape {labeled.shape} and a number for every row. Pass one score per row, such as "
            "decision_function(X) or predict_proba(X)[:, 1]."
        )
    return scores


def weights_of(labeled: np.ndarray, sample_weight: ArrayLike | None) -> np.ndarray:
    """Read weights: how many rows each row stands for.

    Parameters
    ----------
    labeled
        From :func:`labeled_rows`.
    sample_weight
        One number per row, none of them negative; None weighs each row one.

    Returns
    -------
    array of float
        One weight per row; labeled rows weigh something, and so do the others.

    Examples
    --------
    >>> weights_of(np.array([True, False]), [2, 1])
    array([2., 1.])
    """
    if sample_weight is None:
        return np.ones(len(labeled))
    weights = np.asarray(sample_weight, dtype=float)
    if weights.shape != labeled.shape or not np.isfinite(weights).all() or (weights < 0).any():
        n_odd = int((~np.isfinite(weights) | (weights < 0)).sum())
        raise ValueError(
            f"sample_weight has shape {weights.shape}, and {n_odd} weights are missing, infinite "
            f"or negative; expected shape {labeled.shape} and numbers from zero. Pass one weight "
            "per row."
        )
    for kind, name in ((labeled, "labeled"), (~labeled, "unlabeled")):
        if weights[kind].sum() == 0:
            raise ValueError(
                f"All {int(kind.sum())} {name} rows have weight zero; a score from PU labels "
                "needs rows of both kinds that count. Pass positive weights for some of them."
            )
    return weights


def mean_of(values: np.ndarray, weights: np.ndarray, rows: np.ndarray) -> float:
    """Average over some of the rows, each as often as it counts.

    Parameters
    ----------
    values
        One number or truth value per row.
    weights
        From :func:`weights_of`.
    rows
        Boolean, True for the rows to average over.

    Returns
    -------
    float

    Examples
    --------
    >>> mean_of(np.array([1, 0, 5]), np.array([3.0, 1.0, 1.0]), np.array([True, True, False]))
    0.75
    """
    return float(np.average(values[rows], weights=weights[rows]))


def population(labeled: np.ndarray, scenario: Scenario) -> np.ndarray:
    """Tell which rows are a sample of the population.

    Parameters
    ----------
    labeled
        Boolean, True for a labeled row.
    scenario
        How the rows were drawn: ``"single-training-set"`` or ``"case-control"``.

    Returns
    -------
    array
        Boolean: True for all rows of a single training set, for the unlabeled ones otherwise.
    """
    if scenario == "single-training-set":
        return np.ones_like(labeled)
    if scenario == "case-control":
        return ~labeled
    raise ValueError(
        f'scenario is {scenario!r}; use "single-training-set" (labels were given to rows of one '
        'sample) or "case-control" (labeled and unlabeled rows were drawn apart).'
    )


def checked_prior(prior: float) -> float:
    """Refuse a number that is not a share of positives.

    Parameters
    ----------
    prior
        Share of positives.

    Returns
    -------
    float
        The same number.
    """
    if not 0 < prior < 1:
        raise ValueError(f"prior is {prior}; the share of positives must lie between 0 and 1.")
    return prior


def clip(value: float) -> float:
    """Bring an estimate of a share back to [0, 1].

    Parameters
    ----------
    value
        An estimate, which may lie outside of [0, 1].

    Returns
    -------
    float
        The nearest number in [0, 1].
    """
    return float(min(max(value, 0.0), 1.0))
