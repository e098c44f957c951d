r"""What a fitted model says about itself, and how true that is.

Every model may say how much its members agree, how probable the positive class is, and which
share of the unlabeled rows is positive, :math:`\pi_U`. The last is looked for where models keep
it: in ``threshold_report_``, as ``prior_of_unlabeled_``, or as ``prior_`` or ``label_frequency_``,
from which it follows. Where a model says nothing, nothing is recorded.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pulps.benchmark.scores import reliability
from pulps.labels import share_among_unlabeled
from pulps.metrics import Scenario

Score = float | bool | None
PRIOR_SCORES = (
    "prior_of_unlabeled_estimate",
    "prior_error",
    "prior_low",
    "prior_high",
    "prior_covered",
    "prior_width",
)


class ToldPrior(NamedTuple):
    """Share of positives among the unlabeled rows, with an interval if there is one."""

    estimate: float
    interval: tuple[float, float] | None = None


def told_prior(model: Any, labeled: np.ndarray, scenario: Scenario) -> ToldPrior | None:
    """Ask a fitted model for the share of positives among the unlabeled rows.

    Parameters
    ----------
    model
        A fitted model.
    labeled
        Boolean, True for a labeled row it was fitted on.
    scenario
        How the labels came about.

    Returns
    -------
    ToldPrior or None
        None if the model does not say.
    """
    report = getattr(model, "threshold_report_", None)
    if report is not None:
        if not report.n_labeled:
            return None
        return _finite(report.prior_of_unlabeled, report.prior_interval)
    interval = getattr(model, "prior_interval_", None)
    share = getattr(model, "prior_of_unlabeled_", None)
    if share is not None:
        return _finite(share, interval)
    prior = getattr(model, "prior_", None)
    if prior is None:
        prior = _prior_of_frequency(getattr(model, "label_frequency_", None), labeled, scenario)
    if prior is None or not np.isfinite(prior):
        return None
    share = share_among_unlabeled(min(float(prior), 1.0), labeled, scenario, clip=True)
    return _finite(share, None)


def prior_scores(told: ToldPrior | None, truth: float) -> dict[str, Score]:
    """Compare what a model says of the share with the truth.

    Parameters
    ----------
    told
        From :func:`told_prior`.
    truth
        True share of positives among the unlabeled rows.

    Returns
    -------
    dict
        The estimate, its error, the interval, whether it covers the truth, and its width; all
        None where the model says nothing.

    Examples
    --------
    >>> scores = prior_scores(ToldPrior(0.5, (0.25, 0.75)), 0.25)
    >>> scores["prior_error"], scores["prior_covered"], scores["prior_width"]
    (0.25, True, 0.5)
    """
    scores: dict[str, Score] = dict.fromkeys(PRIOR_SCORES)
    if told is not None:
        scores["prior_of_unlabeled_estimate"] = told.estimate
        scores["prior_error"] = abs(told.estimate - truth)
        if told.interval is not None:
            low, high = told.interval
            scores |= {"prior_low": low, "prior_high": high, "prior_width": high - low}
            scores["prior_covered"] = bool(low <= truth <= high)
    return scores


def share_scores(y_true: np.ndarray, predicted: np.ndarray) -> dict[str, Score]:
    """Compare the share of test rows that is called positive with the true one.

    Parameters
    ----------
    y_true
        True classes.
    predicted
        Predicted classes.

    Returns
    -------
    dict
        The predicted share, and that over the true share; the latter None if no row is positive.

    Examples
    --------
    >>> share_scores(np.array([1, 0, 0, 0]), np.array([1, 1, 0, 0]))
    {'predicted_share': 0.5, 'share_ratio': 2.0}
    """
    share, truth = float(np.mean(predicted)), float(np.mean(np.asarray(y_true) == 1))
    return {"predicted_share": share, "share_ratio": share / truth if truth else None}


def decision_values(model: Any, X: Any) -> np.ndarray:
    """Score rows, larger is more positive: decision values, else probabilities, else classes.

    Parameters
    ----------
    model
        A fitted model.
    X
        Rows.

    Returns
    -------
    array of float
        One value per row.
    """
    if hasattr(model, "decision_function"):
        return np.asarray(model.decision_function(X), dtype=float)
    if hasattr(model, "predict_proba"):
        column = list(model.classes_).index(1)
        return np.asarray(model.predict_proba(X), dtype=float)[:, column]
    return np.asarray(model.predict(X), dtype=float)


def engine_of(model: Any) -> str:
    """Name the engine of a model, or the library it comes from.

    Parameters
    ----------
    model
        A model.

    Returns
    -------
    str
        Such as ``"native"`` or ``"sklearn"``.
    """
    engine = getattr(model, "engine_", None) or getattr(model, "engine", None)
    return str(engine or type(model).__module__.partition(".")[0])


def told_agreement(model: Any) -> float | None:
    """Read the agreement of the members, the largest of pairs if the model keeps a matrix.

    Parameters
    ----------
    model
        A fitted model.

    Returns
    -------
    float or None
        None if the model does not say.
    """
    agreement = getattr(model, "agreement_", None)
    if agreement is None:
        return None
    values = np.asarray(agreement, dtype=float)
    if values.ndim == 2:
        values = values[~np.eye(len(values), dtype=bool)]
    values = values[np.isfinite(values)]
    return float(values.max()) if values.size else None


def told_accuracy(model: Any) -> float | None:
    """Read the accuracy that a model expects of itself.

    Parameters
    ----------
    model
        A fitted model.

    Returns
    -------
    float or None
        None if the model does not say.
    """
    accuracy = getattr(getattr(model, "threshold_report_", None), "accuracy", None)
    return float(accuracy) if accuracy is not None and np.isfinite(accuracy) else None


def told_reliability(model: Any, X: Any, y_true: np.ndarray) -> list[list[float]] | None:
    """Count probabilities and positives in bins.

    Parameters
    ----------
    model
        A fitted model.
    X
        Test rows.
    y_true
        Their true classes.

    Returns
    -------
    list or None
        From :func:`pulps.benchmark.scores.reliability`; None without finite probabilities.
    """
    if not hasattr(model, "predict_proba"):
        return None
    column = list(model.classes_).index(1)
    probability = np.asarray(model.predict_proba(X), dtype=float)[:, column]
    return reliability(y_true, probability) if np.isfinite(probability).all() else None


def _prior_of_frequency(
    frequency: float | None, labeled: np.ndarray, scenario: Scenario
) -> float | None:
    """Count the positives that so many labels stand for; only one training set tells that."""
    if frequency is None or not frequency > 0 or scenario == "case-control":
        return None
    return float(np.mean(labeled)) / frequency


def _finite(share: float, interval: Any) -> ToldPrior | None:
    if not np.isfinite(share):
        return None
    if interval is None or not np.isfinite(interval).all():
        return ToldPrior(float(share))
    return ToldPrior(float(share), (float(interval[0]), float(interval[1])))
