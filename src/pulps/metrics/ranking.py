r"""Scores of rankings: the areas under the ROC curve and under the lift curve.

A labeled row, drawn against a row of the population, ranks higher with probability
:math:`L = \pi / 2 + (1 - \pi) A`, where *A* is the area under the ROC curve; *L* is the area
under the lift curve (AUL). It needs no prior, and it is the same number in both scenarios;
the area of labeled against *unlabeled* rows is not.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from sklearn.metrics import roc_auc_score

from pulps.metrics.cumulative import CumulativeRows
from pulps.metrics.rows import (
    Scenario,
    clip,
    labeled_rows,
    prior_of_unlabeled,
    scores_of,
    weights_of,
)


def pu_roc_auc_score(
    y: ArrayLike,
    y_score: ArrayLike,
    *,
    prior: float | None = None,
    scenario: Scenario = "single-training-set",
    sample_weight: ArrayLike | None = None,
) -> float:
    """Estimate the area under the ROC curve.

    Parameters
    ----------
    y : array-like
        PU labels: 1 for a labeled positive, 0 or −1 for an unlabeled row.
    y_score : array-like of float
        Larger means more positive.
    prior : float, optional
        Share of positives in the population. Without it the area of labeled against
        unlabeled rows is returned, which orders models alike but is too small.
    scenario : {"single-training-set", "case-control"}
        How the rows were drawn; matters only with a prior.
    sample_weight : array-like, optional
        How many rows each row stands for; None counts each once.

    Returns
    -------
    float
        In [0, 1].
    """
    labeled = labeled_rows(y)
    scores, weights = scores_of(labeled, y_score), weights_of(labeled, sample_weight)
    area = float(roc_auc_score(labeled, scores, sample_weight=weights))
    if prior is None:
        return area
    unlabeled_prior = prior_of_unlabeled(y, prior=prior, scenario=scenario, sample_weight=weights)
    if unlabeled_prior >= 1:
        raise ValueError(
            f"With prior {prior} no unlabeled row is negative, so there is no area to estimate. "
            "Pass a smaller prior, or none."
        )
    return clip((area - unlabeled_prior / 2) / (1 - unlabeled_prior))


def aul_score(
    y: ArrayLike,
    y_score: ArrayLike,
    *,
    scenario: Scenario = "single-training-set",
    sample_weight: ArrayLike | None = None,
) -> float:
    """Area under the lift curve: how often a labeled row outranks one of the population.

    It estimates prior / 2 + (1 − prior) × AUC without knowing the prior, so it orders models
    as the AUC does. A labeled row of a single training set is also a row of the population;
    against itself it counts one half, like every tie.

    Parameters
    ----------
    y : array-like
        PU labels: 1 for a labeled positive, 0 or −1 for an unlabeled row.
    y_score : array-like of float
        Larger means more positive.
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
    >>> aul_score([1, 0, 0, 0], [4, 3, 2, 1])
    0.875
    >>> aul_score([1, 0, 0, 0], [4, 3, 2, 1], scenario="case-control")
    1.0
    """
    counts = CumulativeRows(y, y_score, scenario, sample_weight).counted()
    return float(np.trapezoid(counts.recall, counts.rate))
