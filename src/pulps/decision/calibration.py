r"""Probabilities that mean something, from labeled and unlabeled rows.

The decision is turned into a probability by a logistic function that is one half at the
threshold. Its slope is the one under which the labels are most likely. In a single
training set a positive row is labeled with frequency *c*, so a row of score *s* is labeled
with probability :math:`c\,\sigma(a s)`; in case-control a row of the joint sample is a
labeled one with odds :math:`(n_L / n_U \pi_U)\,\sigma(a s)`. Only rows whose label was held
out count as labeled: the others are scored too well.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import expit

from pulps.decision.held_out import Evidence

STEEPEST = np.log(1e3)
N_SCORES = 50_000  # enough unlabeled scores to find one number


def fit_slope(
    evidence: Evidence, threshold: float, prior: float, *, single_training_set: bool = True
) -> float:
    """Find the slope of the logistic function.

    Parameters
    ----------
    evidence
        Honest scores.
    threshold
        Where the probability is one half.
    prior
        Share of positives among the unlabeled rows.
    single_training_set
        Whether the labeled rows were taken out of the population.

    Examples
    --------
    >>> rng = np.random.RandomState(0)
    >>> score = rng.normal(0, 1, 40_000)
    >>> positive = rng.uniform(size=40_000) < expit(3 * score)
    >>> shown = positive & (rng.uniform(size=40_000) < 0.3)
    >>> evidence = Evidence(score[None, shown], score[None, ~shown])
    >>> abs(fit_slope(evidence, 0.0, positive[~shown].mean()) - 3) < 0.2
    True
    """
    labeled = evidence.labeled[~np.isnan(evidence.labeled)] - threshold
    unlabeled = evidence.unlabeled.ravel()
    unlabeled = unlabeled[:: 1 + len(unlabeled) // N_SCORES] - threshold
    n_labeled, n_unlabeled = evidence.n_labeled, evidence.n_unlabeled
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
        return -(
            n_labeled * np.log(np.maximum(shown, tiny)).mean()
            + n_unlabeled * np.log(np.maximum(1 - hidden, tiny)).mean()
        )

    found = minimize_scalar(surprise, bounds=(-STEEPEST, STEEPEST), method="bounded")
    return float(np.exp(found.x))
