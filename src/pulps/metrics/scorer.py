"""Scorers for scikit-learn's searches: choose models by what PU labels tell.

A scorer learns which value of ``y`` means positive from the fitted estimator: the second of
its ``classes_``, as everywhere in this library.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy.special import logit

from pulps.io._sklearn import BaseScorer
from pulps.labels import read_labels
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


class PUScorer(BaseScorer):
    """Scores a fitted estimator on rows with PU labels; make one with :func:`make_pu_scorer`.

    It is a scorer of scikit-learn: ``TunedThresholdClassifierCV`` and searches take it, and
    ``set_score_request`` works, for ``sample_weight`` as well.

    Parameters
    ----------
    metric, prior, scenario, warn, pos_label
        As in :func:`make_pu_scorer`.
    """

    def __init__(
        self, metric: str, prior: float | None, scenario: Scenario, warn: bool, pos_label: Any
    ) -> None:
        self.metric = metric
        self.prior = prior
        self.scenario = scenario
        self.warn = warn
        self.pos_label = pos_label
        known = METRICS[metric]
        options: dict[str, Any] = {"scenario": scenario} if known.scenario else {}
        if known.prior != "unused" and prior is not None:
            options["prior"] = prior
        self.options = options
        super().__init__(
            partial(_score_of_classes, metric),
            known.sign,
            options | {"pos_label": pos_label},
            "predict",
        )

    def __repr__(self) -> str:
        told = {"prior": self.prior, "pos_label": self.pos_label}
        given = "".join(f", {name}={value!r}" for name, value in told.items() if value is not None)
        return f"make_pu_scorer({self.metric!r}{given}, scenario={self.scenario!r})"

    def _score(
        self, method_caller: Any, estimator: Any, X: Any, y_true: Any, **metadata: Any
    ) -> float:
        """Score a fitted estimator; this is what scikit-learn calls."""
        unknown = [name for name in metadata if name != "sample_weight"]
        if unknown:
            raise ValueError(
                f"PU metrics take no {', '.join(unknown)}. Call "
                f"set_score_request({unknown[0]}=False) on this scorer."
            )
        metric = METRICS[self.metric]
        labels = positive_class(estimator, y_true, self.pos_label)
        predicted = positive_class(estimator, estimator.predict(X), self.pos_label)
        if self.warn and (why := why_degenerate(labels, predicted, **metadata)):
            warnings.warn(
                f"{type(estimator).__name__} is scored ({self.metric}), but {why}. Compare "
                "with the scores of the constant answers (pulps.metrics.constant_scores).",
                DegeneratePredictorWarning,
                stacklevel=2,
            )
        answers = predicted if metric.of == "classes" else decision_values(estimator, X)
        return metric.sign * metric.function(labels, answers, **self.options, **metadata)


def _score_of_classes(
    metric: str,
    y_true: Any,
    y_pred: Any,
    *,
    pos_label: Any = None,
    sample_weight: Any = None,
    **options: Any,
) -> float:
    """Score predicted classes, given in the values of y: for whoever tries many thresholds."""
    known = METRICS[metric]
    if known.of != "classes":
        fitting = ", ".join(name for name, one in METRICS.items() if one.of == "classes")
        raise ValueError(
            f"{metric!r} is a score of rankings, which is the same for every threshold. Choose a "
            f"threshold by one of {fitting}."
        )
    labels = np.asarray(y_true)
    positive = pos_label if pos_label is not None else read_labels(labels)[0][-1]
    return known.function(
        (labels == positive).astype(int),
        (np.asarray(y_pred) == positive).astype(int),
        sample_weight=sample_weight,
        **options,
    )


def pu_scorer_names() -> list[str]:
    """List the metrics that :func:`make_pu_scorer` knows by name.

    Returns
    -------
    list of str

    Examples
    --------
    >>> "lee_liu" in pu_scorer_names()
    True
    """
    return sorted(METRICS)


def make_pu_scorer(
    metric: str,
    *,
    prior: float | None = None,
    scenario: Scenario = "single-training-set",
    warn: bool = True,
    pos_label: Any = None,
) -> PUScorer:
    """Make a scorer for ``GridSearchCV``, ``TunedThresholdClassifierCV`` and the like.

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
    pos_label : object, optional
        The value of y that marks a labeled positive; by default the last of the estimator's
        ``classes_``, or the larger number.

    Returns
    -------
    PUScorer
        To be called with a fitted estimator, X and y, and with ``sample_weight`` if rows count
        differently.

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
    return PUScorer(metric, prior, scenario, warn, pos_label)


def positive_class(estimator: Any, values: Any, pos_label: Any = None) -> np.ndarray:
    """Turn labels or predictions into 1 and 0 by the second of the estimator's classes.

    Parameters
    ----------
    estimator
        Its ``classes_`` tell which class is positive; without them, 1 is.
    values
        Labels or predictions, one per row.
    pos_label
        The value of the positive class, if it is not the second.

    Returns
    -------
    array
        1 for the positive class, 0 for any other value.
    """
    positive = getattr(estimator, "classes_", (0, 1))[-1] if pos_label is None else pos_label
    return (np.asarray(values) == positive).astype(int)


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
