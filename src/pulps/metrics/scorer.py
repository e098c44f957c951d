"""Scorers for scikit-learn's searches: choose models by what PU labels tell.

A scorer learns which value of ``y`` means positive from the fitted estimator: the second of
its ``classes_``, as everywhere in this library.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import logit

from pulps.metrics.classes import (
    lee_liu_score,
    pu_accuracy_score,
    pu_f1_score,
    pu_precision_score,
    pu_recall_score,
    pu_specificity_score,
)
from pulps.metrics.degenerate import DegeneratePredictorWarning, why_degenerate
from pulps.metrics.ranking import aul_score, pu_roc_auc_score
from pulps.metrics.risk import pu_risk
from pulps.metrics.rows import Scenario, checked_prior, population


def _unbiased_risk(y: Any, y_score: Any, **options: Any) -> float:
    return pu_risk(y, y_score, non_negative=False, **options)


@dataclass(frozen=True)
class _Metric:
    function: Callable[..., float]
    of: str = "classes"
    prior: str = "needed"
    scenario: bool = True
    sign: int = 1


METRICS = {
    "lee_liu": _Metric(lee_liu_score, prior="unused"),
    "recall": _Metric(pu_recall_score, prior="unused", scenario=False),
    "precision": _Metric(pu_precision_score),
    "specificity": _Metric(pu_specificity_score),
    "f1": _Metric(pu_f1_score),
    "accuracy": _Metric(pu_accuracy_score),
    "roc_auc": _Metric(pu_roc_auc_score, of="scores", prior="optional"),
    "aul": _Metric(aul_score, of="scores", prior="unused"),
    "neg_risk": _Metric(_unbiased_risk, of="scores", sign=-1),
    "neg_nn_risk": _Metric(pu_risk, of="scores", sign=-1),
}


@dataclass(frozen=True)
class PUScorer:
    """Scores a fitted estimator on rows with PU labels; make one with :func:`make_pu_scorer`."""

    metric: str
    prior: float | None
    scenario: Scenario
    warn: bool

    def __call__(self, estimator: Any, X: Any, y: Any) -> float:
        """Score a fitted estimator.

        Parameters
        ----------
        estimator
            Has ``predict``, and ``decision_function`` or ``predict_proba`` if the metric is
            one of scores.
        X
            What the estimator takes.
        y : array of shape (rows,)
            PU labels, in the values of the estimator's ``classes_``.

        Returns
        -------
        float
            Larger is better.
        """
        metric = METRICS[self.metric]
        labels = positive_class(estimator, y)
        predicted = positive_class(estimator, estimator.predict(X))
        if self.warn and (why := why_degenerate(labels, predicted)):
            warnings.warn(
                f"{type(estimator).__name__} is scored ({self.metric}), but {why}. Compare "
                "with the scores of the constant answers (pulps.metrics.constant_scores).",
                DegeneratePredictorWarning,
                stacklevel=2,
            )
        answers = predicted if metric.of == "classes" else decision_values(estimator, X)
        options: dict[str, Any] = {}
        if metric.scenario:
            options["scenario"] = self.scenario
        if metric.prior != "unused" and self.prior is not None:
            options["prior"] = self.prior
        return metric.sign * metric.function(labels, answers, **options)


def make_pu_scorer(
    metric: str,
    *,
    prior: float | None = None,
    scenario: Scenario = "single-training-set",
    warn: bool = True,
) -> PUScorer:
    """Make a scorer for ``GridSearchCV``, ``cross_val_score`` and the like.

    Parameters
    ----------
    metric : str
        "lee_liu", "recall", "precision", "specificity", "f1", "accuracy", "roc_auc", "aul", or
        "neg_risk" and "neg_nn_risk", the negative unbiased and non-negative risk with the sigmoid
        loss. "roc_auc" orders models alike whatever the prior.
    prior : float, optional
        Share of positives in the population. Needed by "precision", "specificity", "f1",
        "accuracy" and the risks, used by "roc_auc" if given.
    scenario : {"single-training-set", "case-control"}
        How the rows were drawn.
    warn : bool
        Whether to warn of a predictor that puts nearly all rows in one class.

    Returns
    -------
    PUScorer
        To be called with a fitted estimator, X and y.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import GridSearchCV
    >>> rng = np.random.RandomState(0)
    >>> X = rng.normal(size=(90, 2))
    >>> y = ((X[:, 0] > 0) & (rng.rand(90) < 0.5)).astype(int)
    >>> model = LogisticRegression(class_weight="balanced")
    >>> search = GridSearchCV(model, {"C": [1e-4, 1]}, scoring=make_pu_scorer("lee_liu"), cv=3)
    >>> bool(search.fit(X, y).best_score_ > 1)
    True
    """
    if metric not in METRICS:
        raise ValueError(f"metric is {metric!r}; it must be one of {', '.join(METRICS)}.")
    if prior is not None:
        checked_prior(prior)
    elif METRICS[metric].prior == "needed":
        raise ValueError(
            f"{metric!r} needs the share of positives: pass prior, for instance from "
            "pulps.priors.estimate_prior, or choose 'lee_liu', 'aul' or 'roc_auc'."
        )
    population(np.ones(1, dtype=bool), scenario)
    return PUScorer(metric, prior, scenario, warn)


def positive_class(estimator: Any, values: Any) -> np.ndarray:
    """Turn labels or predictions into 1 and 0 by the second of the estimator's classes.

    Parameters
    ----------
    estimator
        Its ``classes_`` tell which class is positive; without them, 1 is.
    values
        Labels or predictions, one per row.

    Returns
    -------
    array
        1 for the positive class, 0 for any other value.
    """
    classes = getattr(estimator, "classes_", (0, 1))
    return (np.asarray(values) == classes[-1]).astype(int)


def decision_values(estimator: Any, X: Any) -> np.ndarray:
    """Decision values, above zero where positive; log-odds of an estimator without them.

    Parameters
    ----------
    estimator
        A fitted classifier with ``decision_function`` or ``predict_proba``.
    X
        Rows to score.

    Returns
    -------
    array
        One value per row.
    """
    if hasattr(estimator, "decision_function"):
        return np.asarray(estimator.decision_function(X), dtype=float)
    if not hasattr(estimator, "predict_proba"):
        raise ValueError(
            f"{type(estimator).__name__} has neither decision_function nor predict_proba, so "
            "it gives no scores. Choose a metric of classes, such as 'lee_liu'."
        )
    probability = np.asarray(estimator.predict_proba(X), dtype=float)[:, -1]
    tiny = np.finfo(float).eps
    return logit(probability.clip(tiny, 1 - tiny))
