"""Predictors that put nearly all rows in one class: how to recognize them, what they score.

Agreement and recall are perfect for the constant answer "positive"; a score from PU labels
means something only beside those of the two constant answers.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pulps.metrics.classes import (
    lee_liu_score,
    pu_accuracy_score,
    pu_f1_score,
    pu_precision_score,
    pu_recall_score,
    pu_specificity_score,
)
from pulps.metrics.rows import (
    Scenario,
    labeled_and_positive,
    labeled_rows,
    mean_of,
    weights_of,
)


class DegeneratePredictorWarning(UserWarning):
    """A predictor puts nearly all rows in one class, or does not find the labeled rows."""


def why_degenerate(
    y: ArrayLike,
    y_pred: ArrayLike,
    *,
    min_share: float = 0.01,
    threshold: float | None = None,
    sample_weight: ArrayLike | None = None,
) -> str | None:
    """Say why predictions are useless; None if nothing speaks against them.

    Parameters
    ----------
    y : array-like
        PU labels: 1 for a labeled positive, 0 or −1 for an unlabeled row.
    y_pred : array-like
        Predicted classes, 1 for positive and 0 or −1 for negative; or scores, with a threshold.
    min_share : float
        Smallest share of the unlabeled rows that either class must have.
    threshold : float, optional
        Scores above it mean positive; None reads ``y_pred`` as classes.
    sample_weight : array-like, optional
        How many rows each row stands for; None counts each once.

    Returns
    -------
    str or None

    Examples
    --------
    >>> why_degenerate([1, 0, 0, 0], [1, 1, 1, 1])
    'all of 3 unlabeled rows are called positive'
    >>> why_degenerate([1, 0, 0, 0], [1, 1, 0, 0])
    """
    labeled, positive = labeled_and_positive(y, y_pred, threshold)
    weights = weights_of(labeled, sample_weight)
    share, n_rows = mean_of(positive, weights, ~labeled), int((weights[~labeled] > 0).sum())
    for found, name in ((share, "positive"), (1 - share, "negative")):
        if found > 1 - min_share:
            how_many = "all" if found == 1 else f"{found:.1%}"
            return f"{how_many} of {n_rows} unlabeled rows are called {name}"
    recall = mean_of(positive, weights, labeled)
    if recall < share:
        return (
            f"{recall:.0%} of the labeled rows are called positive, fewer than the {share:.0%} "
            "of the unlabeled ones"
        )
    return None


def constant_scores(
    y: ArrayLike, *, prior: float, scenario: Scenario = "single-training-set"
) -> dict[str, dict[str, float]]:
    """Score the two constant answers, to be shown beside a model.

    Parameters
    ----------
    y : array-like
        PU labels: 1 for a labeled positive, 0 or −1 for an unlabeled row.
    prior : float
        Share of positives in the population.
    scenario : {"single-training-set", "case-control"}
        How the rows were drawn.

    Returns
    -------
    dict of dict of float
        Scores of ``"all-positive"`` and of ``"all-negative"`` by name; weights of rows would not
        change them.

    Examples
    --------
    >>> scores = constant_scores([1, 0, 0, 0], prior=0.5)
    >>> scores["all-positive"]["precision"], scores["all-negative"]["accuracy"]
    (0.5, 0.5)
    """
    n_rows = len(labeled_rows(y))
    known: dict[str, Any] = {"prior": prior, "scenario": scenario}
    scores = {}
    for name, answer in (("all-positive", np.ones(n_rows)), ("all-negative", np.zeros(n_rows))):
        scores[name] = {
            "recall": pu_recall_score(y, answer),
            "precision": pu_precision_score(y, answer, **known),
            "specificity": pu_specificity_score(y, answer, **known),
            "f1": pu_f1_score(y, answer, **known),
            "accuracy": pu_accuracy_score(y, answer, **known),
            "lee_liu": lee_liu_score(y, answer, scenario=scenario),
        }
    return scores
