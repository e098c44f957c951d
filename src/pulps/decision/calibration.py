r"""Probabilities that mean something, from labeled and unlabeled rows.

The decision is turned into a probability by a logistic function that is one half at the
threshold. Its slope is the one under which the labels are most likely. In a single
training set a positive row is labeled with frequency *c*, so a row of score *s* is labeled
with probability :math:`c\,\sigma(a s)`; in case-control a row of the joint sample is a
labeled one with odds :math:`(n_L / n_U \pi_U)\,\sigma(a s)`. Only rows whose label was held
out count as labeled: the others are scored too well.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import expit

from pulps.decision.held_out import HeldOut, weighted_mean

STEEPEST = np.log(1e3)
N_SCORES = 50_000  # enough unlabeled scores to find one number


def fit_slope(
    held_out: HeldOut, threshold: float, prior: float, *, single_training_set: bool = True
) -> float:
    """Find the slope of the logistic function.

    Parameters
    ----------
    held_out
        Honest scores.
    threshold
        Where the probability is one half.
    prior
        Share of positives among the unlabeled rows.
    single_training_set
        Whether the labeled rows were taken out of the population.

    Returns
    -------
    float
        Steepness of the probability at the threshold.

    Examples
    --------
    >>> rng = np.random.RandomState(0)
    >>> score = rng.normal(0, 1, 40_000)
    >>> positive = rng.uniform(size=40_000) < expit(3 * score)
    >>> shown = positive & (rng.uniform(size=40_000) < 0.3)
    >>> held_out = HeldOut(score[None, shown], score[None, ~shown])
    >>> abs(fit_slope(held_out, 0.0, positive[~shown].mean()) - 3) < 0.2
    True
    """
    honest = ~np.isnan(held_out.labeled)
    labeled = held_out.labeled[honest] - threshold
    unlabeled = held_out.unlabeled.ravel()
    some = slice(None, None, 1 + len(unlabeled) // N_SCORES)
    unlabeled = unlabeled[some] - threshold
    of_labeled = of_unlabeled = None
    if held_out.hidden is not None and held_out.unlabeled_weights is not None:
        of_labeled = held_out.hidden[honest]
        of_unlabeled = np.tile(held_out.unlabeled_weights, len(honest))[some]
    n_labeled, n_unlabeled = held_out.n_labeled, held_out.n_unlabeled
    hidden_positives, tiny = n_unlabeled * prior, np.finfo(float).tiny

    def surprise(log_slope: float) -> float:
        slope = np.exp(log_slope)
        if single_training_set:
            frequency = n_labeled / (n_labeled + hidden_positives)
            shown, hidden = (frequency * expit(slope * s) for s in (labeled, unlabeled))
        else:
            shown, hidden = (
                n_labeled * p / np.maximum(hidden_positives + n_labeled * p, tiny)
                for p in (expit(slope * s) for s in (labeled, unlabeled))
            )
        return -float(
            n_labeled * weighted_mean(np.log(np.maximum(shown, tiny)), of_labeled, 0)
            + n_unlabeled * weighted_mean(np.log(np.maximum(1 - hidden, tiny)), of_unlabeled, 0)
        )

    return _best_slope(surprise)


def fit_slope_to(
    decision: np.ndarray, probability: np.ndarray, weights: np.ndarray | None = None
) -> float:
    """Find the slope that comes closest to probabilities that are known, in cross-entropy.

    Parameters
    ----------
    decision
        Decision of each row, zero where the probability should be one half.
    probability
        Probability that each row is positive.
    weights
        Weight of each row; None weighs all alike.

    Returns
    -------
    float
        Steepness of the logistic function.

    Examples
    --------
    >>> decision = np.linspace(-2, 2, 9)
    >>> round(fit_slope_to(decision, expit(3 * decision)), 2)
    3.0
    """
    some = slice(None, None, 1 + len(decision) // N_SCORES)
    decision, probability = decision[some], probability[some]
    mass = None if weights is None else weights[some]

    def surprise(log_slope: float) -> float:
        score = np.exp(log_slope) * decision
        of_positive, of_negative = np.logaddexp(0, -score), np.logaddexp(0, score)
        mixed = probability * of_positive + (1 - probability) * of_negative
        return float(weighted_mean(mixed, mass, 0))

    return _best_slope(surprise)


def _best_slope(surprise: Callable[[float], float]) -> float:
    found = minimize_scalar(surprise, bounds=(-STEEPEST, STEEPEST), method="bounded")
    return float(np.exp(found.x))
