r"""The risk of a classifier from PU labels, unbiased and non-negative.

With a loss :math:`\ell` of the margin, :math:`R_P^\pm` its mean over labeled rows taken for
positive or negative ones and :math:`R_X^-` its mean over the population taken for negative,

.. math:: R = \pi R_P^+ + (R_X^- - \pi R_P^-),

because the population is positives and negatives (du Plessis et al. 2015). The bracket is
the risk of the negatives. A risk is never below zero, but a flexible model can drive this
estimate there, so Kiryo et al. (2017) cut it off at zero.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit

from pulps.metrics.rows import (
    Scenario,
    checked_prior,
    labeled_rows,
    population,
    scores_of,
    weights_of,
)

LOSSES = {
    "zero-one": lambda margin: (1 - np.sign(margin)) / 2,
    "sigmoid": lambda margin: expit(-margin),
    "logistic": lambda margin: np.logaddexp(0, -margin),
}


def pu_risk(
    y: ArrayLike,
    y_score: ArrayLike,
    *,
    prior: float,
    loss: str = "sigmoid",
    non_negative: bool = True,
    scenario: Scenario = "single-training-set",
    threshold: float = 0.0,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Estimate the expected loss; smaller is better.

    Parameters
    ----------
    y : array-like
        PU labels: 1 for a labeled positive, 0 or −1 for an unlabeled row.
    y_score : array-like of float
        Decision values; above the threshold means positive.
    prior : float
        Share of positives in the population.
    loss : {"zero-one", "sigmoid", "logistic"}
        Loss of the margin. The zero-one risk is one minus the accuracy; a score of exactly
        zero is half wrong.
    non_negative : bool
        Whether to cut the risk of the negatives off at zero.
    scenario : {"single-training-set", "case-control"}
        How the rows were drawn.
    threshold : float
        Where scores are cut: 0 for decision values, one half for probabilities.
    sample_weight : array-like, optional
        How many rows each row stands for; None counts each once.

    Returns
    -------
    float

    Examples
    --------
    >>> pu_risk([1, 1, 0, 0, 0, 0], [2, 1, 1, -1, -1, -1], prior=0.5, loss="zero-one")
    0.0
    """
    labeled = labeled_rows(y)
    prior = checked_prior(prior)
    if loss not in LOSSES:
        raise ValueError(f"loss is {loss!r}; it must be one of {', '.join(LOSSES)}.")
    score, sampled = scores_of(labeled, y_score) - threshold, population(labeled, scenario)
    weights = weights_of(labeled, sample_weight)
    positives, negatives = risk_parts(
        score[labeled],
        score[sampled],
        prior,
        LOSSES[loss],
        weights=(weights[labeled], weights[sampled]),
    )
    return float(positives + (max(negatives, 0.0) if non_negative else negatives))


def risk_parts(
    positive: Any,
    population: Any,
    prior: float,
    cost: Callable[[Any], Any],
    *,
    weights: tuple[Any, Any] | None = None,
) -> tuple[Any, Any]:
    r"""Return the two parts of the risk, :math:`\pi R_P^+` and :math:`R_X^- - \pi R_P^-`.

    Parameters
    ----------
    positive, population : arrays or tensors
        Decision values of the labeled rows, and of the sample of the population.
    prior : float
        Share of positives in the population.
    cost : callable
        Loss of a margin, element by element.
    weights : pair of arrays or tensors, optional
        How often each labeled row, and each row of the population, counts; None counts each once.

    Returns
    -------
    positives, negatives
        Scalars of the kind that ``cost`` gives; a torch loss keeps its gradient.

    Examples
    --------
    >>> risk_parts(np.array([2.0, -1.0]), np.array([1.0, -1.0]), 0.5, LOSSES["zero-one"])
    (np.float64(0.25), np.float64(0.25))
    """
    known, sampled = weights or (None, None)
    positives = prior * _mean(cost(positive), known)
    return positives, _mean(cost(-population), sampled) - prior * _mean(cost(-positive), known)


def _mean(values: Any, weights: Any) -> Any:
    return values.mean() if weights is None else (weights * values).sum() / weights.sum()
