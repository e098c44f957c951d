r"""Scores that need no negative labels: what can be known from labeled and unlabeled rows.

Everywhere ``y`` holds PU labels (1 labeled positive, 0 unlabeled) and ``y_pred`` or
``y_score`` a model's answers for the same rows. If labels were given at random among the
positives (SCAR), the recall *r* on the labeled rows estimates the recall on all positives,
and with the share :math:`\hat p = P(\hat y = 1)` of the population that is predicted
positive and the class prior :math:`\pi = P(y = 1)` all else follows:

==============  ==================================================
recall          :math:`r`
precision       :math:`\pi r / \hat p`
F1              :math:`2 \pi r / (\pi + \hat p)`
accuracy        :math:`2 \pi r + (1 - \hat p) - \pi`
Lee–Liu         :math:`r^2 / \hat p`, precision × recall without the prior
AUC             :math:`(A - \pi_U / 2) / (1 - \pi_U)`, *A* of labeled against unlabeled
==============  ==================================================

The *scenario* says which rows are a sample of the population. In the
``"single-training-set"`` one sample was drawn and some of its positives were labeled: the
population is all rows, and the unlabeled ones hold fewer positives,
:math:`\pi_U = (\pi n - n_L) / (n - n_L)`. In ``"case-control"`` the unlabeled rows alone
are a sample of the population, and :math:`\pi_U = \pi`. Estimates are clipped to [0, 1].
Labeled rows a model was trained on are predicted too well; use rows it has not seen.

All functions work with :func:`sklearn.metrics.make_scorer`.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from sklearn.metrics import roc_auc_score

Scenario = Literal["single-training-set", "case-control"]


def pu_recall_score(y: ArrayLike, y_pred: ArrayLike) -> float:
    """Share of the labeled rows that is predicted positive; estimates the recall.

    >>> pu_recall_score([1, 1, 0, 0], [1, 0, 1, 0])
    0.5
    """
    labeled, positive = _masks(y, y_pred)
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
    """
    rate = predicted_positive_rate(y, y_pred, scenario=scenario)
    prior = _checked_prior(prior)
    return _clip(prior * pu_recall_score(y, y_pred) / rate) if rate > 0 else 0.0


def pu_f1_score(
    y: ArrayLike,
    y_pred: ArrayLike,
    *,
    prior: float,
    scenario: Scenario = "single-training-set",
) -> float:
    """Estimate the F1 of the positive class. Parameters as in :func:`pu_precision_score`."""
    rate = predicted_positive_rate(y, y_pred, scenario=scenario)
    prior = _checked_prior(prior)
    return _clip(2 * prior * pu_recall_score(y, y_pred) / (prior + rate))


def pu_accuracy_score(
    y: ArrayLike,
    y_pred: ArrayLike,
    *,
    prior: float,
    scenario: Scenario = "single-training-set",
) -> float:
    """Estimate the accuracy. Parameters as in :func:`pu_precision_score`.

    Two released benchmark codes add the labeled rows twice in the single-training-set
    scenario; their value is not monotone in the accuracy. This is the exact form.
    """
    rate = predicted_positive_rate(y, y_pred, scenario=scenario)
    prior = _checked_prior(prior)
    return _clip(2 * prior * pu_recall_score(y, y_pred) + 1 - rate - prior)


def lee_liu_score(
    y: ArrayLike, y_pred: ArrayLike, *, scenario: Scenario = "single-training-set"
) -> float:
    """Lee and Liu's criterion, recall² over the share predicted positive.

    It equals precision × recall / prior, so it orders models without knowing the prior. It
    is no probability: it reaches 1 / prior. The constant answer "positive" scores 1.

    >>> lee_liu_score([1, 1, 0, 0], [1, 1, 1, 1])
    1.0
    """
    rate = predicted_positive_rate(y, y_pred, scenario=scenario)
    return pu_recall_score(y, y_pred) ** 2 / rate if rate > 0 else 0.0


def pu_roc_auc_score(
    y: ArrayLike,
    y_score: ArrayLike,
    *,
    prior: float | None = None,
    scenario: Scenario = "single-training-set",
) -> float:
    """Estimate the area under the ROC curve.

    Parameters
    ----------
    y : array-like of {0, 1}
        PU labels.
    y_score : array-like of float
        Larger means more positive.
    prior : float, optional
        Share of positives in the population. Without it the area of labeled against
        unlabeled rows is returned, which orders models alike but is too small.
    scenario : {"single-training-set", "case-control"}
        How the rows were drawn; matters only with a prior.
    """
    labeled = _labels(y)
    area = float(roc_auc_score(labeled, np.asarray(y_score, dtype=float)))
    if prior is None:
        return area
    unlabeled_prior = prior_of_unlabeled(y, prior=prior, scenario=scenario)
    if unlabeled_prior >= 1:
        raise ValueError(
            f"With prior {prior} no unlabeled row is negative, so there is no area to estimate. "
            "Give a smaller prior, or none."
        )
    return _clip((area - unlabeled_prior / 2) / (1 - unlabeled_prior))


def predicted_positive_rate(
    y: ArrayLike, y_pred: ArrayLike, *, scenario: Scenario = "single-training-set"
) -> float:
    """Share of the population that is predicted positive."""
    labeled, positive = _masks(y, y_pred)
    return float(positive[_population(labeled, scenario)].mean())


def prior_of_unlabeled(
    y: ArrayLike, *, prior: float, scenario: Scenario = "single-training-set"
) -> float:
    """Share of positives among the unlabeled rows, given their share in the population.

    >>> prior_of_unlabeled([1, 1, 0, 0, 0, 0, 0, 0, 0, 0], prior=0.6)
    0.5
    """
    labeled = _labels(y)
    prior = _checked_prior(prior)
    _population(labeled, scenario)
    if scenario == "case-control":
        return prior
    n, n_labeled = len(labeled), int(labeled.sum())
    return _clip((prior * n - n_labeled) / (n - n_labeled))


def _labels(y: ArrayLike) -> np.ndarray:
    labels = np.asarray(y)
    if not np.isin(labels, [0, 1]).all():
        raise ValueError(
            f"y has values {np.unique(labels)[:5].tolist()}; PU labels are 1 (labeled positive) "
            "and 0 (unlabeled)."
        )
    labeled = labels.astype(bool)
    if labeled.all() or not labeled.any():
        raise ValueError(
            f"y has {int(labeled.sum())} labeled rows of {len(labeled)}; a score from PU labels "
            "needs labeled and unlabeled rows."
        )
    return labeled


def _masks(y: ArrayLike, y_pred: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    labeled, predicted = _labels(y), np.asarray(y_pred)
    if predicted.shape != labeled.shape or not np.isin(predicted, [0, 1]).all():
        raise ValueError(
            f"y_pred has shape {predicted.shape} and values {np.unique(predicted)[:5].tolist()}; "
            f"wanted shape {labeled.shape} and values 0, 1."
        )
    return labeled, predicted.astype(bool)


def _population(labeled: np.ndarray, scenario: Scenario) -> np.ndarray:
    if scenario == "single-training-set":
        return np.ones_like(labeled)
    if scenario == "case-control":
        return ~labeled
    raise ValueError(
        f'scenario is {scenario!r}; use "single-training-set" (labels were given to rows of one '
        'sample) or "case-control" (labeled and unlabeled rows were drawn apart).'
    )


def _checked_prior(prior: float) -> float:
    if not 0 < prior < 1:
        raise ValueError(f"prior is {prior}; the share of positives lies between 0 and 1.")
    return prior


def _clip(value: float) -> float:
    return float(min(max(value, 0.0), 1.0))
