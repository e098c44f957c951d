r"""Curves from PU labels: ROC, precision over recall, and what a wrong prior would change.

At every cut the recall *r* on labeled rows and the share :math:`\hat p` of the population above
it give the precision :math:`\pi r / \hat p` and the false positive rate
:math:`(\hat p - \pi r) / (1 - \pi)`. Both rest on the prior :math:`\pi`, so a curve is only as
good as the prior; :func:`prior_sensitivity` shows how much hangs on it. Bands come from resampled
rows, and from draws of the prior if these are given.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from pulps.metrics.classes import (
    pu_accuracy_score,
    pu_f1_score,
    pu_precision_score,
    pu_recall_score,
    pu_specificity_score,
)
from pulps.metrics.cumulative import Counts, CumulativeRows
from pulps.metrics.ranking import pu_roc_auc_score
from pulps.metrics.rows import (
    Scenario,
    checked_prior,
    labeled_rows,
    prior_of_unlabeled,
    weights_of,
)

N_POINTS = 101
BY_PRIOR = {
    "precision": pu_precision_score,
    "specificity": pu_specificity_score,
    "f1": pu_f1_score,
    "accuracy": pu_accuracy_score,
}


class RocCurve(NamedTuple):
    """Rates of false and of true positives at decreasing thresholds.

    Parameters
    ----------
    fpr, tpr
        Rates of false and of true positives, at each threshold.
    thresholds
        Decreasing.
    """

    fpr: np.ndarray
    tpr: np.ndarray
    thresholds: np.ndarray


class PrecisionRecallCurve(NamedTuple):
    """Precision and recall at decreasing thresholds.

    Parameters
    ----------
    precision, recall
        At each threshold.
    thresholds
        Decreasing.
    """

    precision: np.ndarray
    recall: np.ndarray
    thresholds: np.ndarray


class Band(NamedTuple):
    """A curve at given places, and between which numbers it lies in most resamples.

    Parameters
    ----------
    places
        Where the curve is given, on its first axis.
    curve
        Its height there, on all rows.
    low, high
        Ends of the interval at each place.
    """

    places: np.ndarray
    curve: np.ndarray
    low: np.ndarray
    high: np.ndarray


def pu_roc_curve(
    y: ArrayLike,
    y_score: ArrayLike,
    *,
    prior: float,
    scenario: Scenario = "single-training-set",
    sample_weight: ArrayLike | None = None,
) -> RocCurve:
    """Estimate the ROC curve.

    Parameters
    ----------
    y : array-like
        PU labels: 1 for a labeled positive, 0 or −1 for an unlabeled row.
    y_score : array-like of float
        Larger means more positive.
    prior : float
        Share of positives in the population.
    scenario : {"single-training-set", "case-control"}
        How the rows were drawn.
    sample_weight : array-like, optional
        How many rows each row stands for; None counts each once.

    Returns
    -------
    RocCurve
        ``fpr``, ``tpr`` and ``thresholds``, as of scikit-learn's ``roc_curve``. The rate of false
        positives is brought back to [0, 1] and never falls.

    Examples
    --------
    >>> curve = pu_roc_curve([1, 1, 0, 0, 0, 0], [6, 5, 4, 3, 2, 1], prior=0.5)
    >>> curve.tpr.tolist()
    [0.0, 0.5, 1.0, 1.0, 1.0, 1.0, 1.0]
    >>> curve.fpr.round(2).tolist()
    [0.0, 0.0, 0.0, 0.0, 0.33, 0.67, 1.0]
    """
    rows = CumulativeRows(y, y_score, scenario, sample_weight)
    return RocCurve(*_roc(rows.counted(), checked_prior(prior)), rows.cuts)


def pu_precision_recall_curve(
    y: ArrayLike,
    y_score: ArrayLike,
    *,
    prior: float,
    scenario: Scenario = "single-training-set",
    sample_weight: ArrayLike | None = None,
) -> PrecisionRecallCurve:
    """Estimate precision and recall at every cut.

    Parameters
    ----------
    y, y_score, prior, scenario, sample_weight
        As in :func:`pu_roc_curve`.

    Returns
    -------
    PrecisionRecallCurve
        ``precision``, ``recall`` and ``thresholds``, in the order of increasing recall. The
        first point calls no row positive, and takes the precision of the second.

    Examples
    --------
    >>> curve = pu_precision_recall_curve([1, 1, 0, 0], [4, 3, 2, 1], prior=0.5)
    >>> curve.precision.round(2).tolist(), curve.recall.tolist()
    ([1.0, 1.0, 1.0, 0.67, 0.5], [0.0, 0.5, 1.0, 1.0, 1.0])
    """
    rows = CumulativeRows(y, y_score, scenario, sample_weight)
    precision, recall = _precision_recall(rows.counted(), checked_prior(prior))
    return PrecisionRecallCurve(precision, recall, rows.cuts)


def _roc(counts: Counts, prior: float) -> tuple[np.ndarray, np.ndarray]:
    fpr = (counts.rate - prior * counts.recall) / (1 - prior)
    return np.maximum.accumulate(fpr.clip(0, 1)), counts.recall


def _precision_recall(counts: Counts, prior: float) -> tuple[np.ndarray, np.ndarray]:
    rate = np.where(counts.rate > 0, counts.rate, 1.0)
    precision = np.minimum(prior * counts.recall / rate, 1.0)
    first = int(np.argmax(counts.rate > 0))
    precision[:first] = precision[first]
    return precision, counts.recall


def roc_band(
    y: ArrayLike,
    y_score: ArrayLike,
    *,
    prior: float,
    scenario: Scenario = "single-training-set",
    prior_draws: ArrayLike | None = None,
    level: float = 0.9,
    n_resamples: int = 200,
    random_state: int | np.random.RandomState | None = None,
    sample_weight: ArrayLike | None = None,
) -> Band:
    """Estimate the ROC curve with a band.

    Parameters
    ----------
    y, y_score, prior, scenario
        As in :func:`pu_roc_curve`.
    prior_draws : array-like, optional
        Priors that are possible; each resample takes one of them. None takes ``prior`` as known.
    level : float
        Share of the resamples that lie in the band, at each place.
    n_resamples : int
        Number of resamples of the labeled and of the unlabeled rows.
    random_state : int, RandomState or None
        Seed of the resamples.
    sample_weight : array-like, optional
        How much each row counts where it is drawn; None counts each once.

    Returns
    -------
    Band
        ``curve``, ``low`` and ``high`` are rates of true positives at the rates ``places`` of
        false ones.
    """

    def at(places: np.ndarray, counts: Counts, share: float) -> np.ndarray:
        fpr, tpr = _roc(counts, share)
        last = np.append(fpr[1:] > fpr[:-1], True)  # the highest point of every vertical step
        return np.interp(places, fpr[last], tpr[last])

    drawn = prior_draws, level, n_resamples, random_state
    rows = CumulativeRows(y, y_score, scenario, sample_weight)
    return _band(at, rows, checked_prior(prior), *drawn)


def precision_recall_band(
    y: ArrayLike,
    y_score: ArrayLike,
    *,
    prior: float,
    scenario: Scenario = "single-training-set",
    prior_draws: ArrayLike | None = None,
    level: float = 0.9,
    n_resamples: int = 200,
    random_state: int | np.random.RandomState | None = None,
    sample_weight: ArrayLike | None = None,
) -> Band:
    """Estimate precision over recall with a band.

    Parameters
    ----------
    y, y_score, prior, scenario, prior_draws, level, n_resamples, random_state, sample_weight
        As in :func:`roc_band`.

    Returns
    -------
    Band
        ``curve``, ``low`` and ``high`` are precisions at the recalls ``places``: those of the
        highest cut with such a recall, and above zero.
    """

    def at(places: np.ndarray, counts: Counts, share: float) -> np.ndarray:
        precision, recall = _precision_recall(counts, share)
        first = np.searchsorted(recall, np.maximum(places - 1e-12, 1e-12))
        return precision[np.minimum(first, len(recall) - 1)]

    drawn = prior_draws, level, n_resamples, random_state
    rows = CumulativeRows(y, y_score, scenario, sample_weight)
    return _band(at, rows, checked_prior(prior), *drawn)


def _band(
    at: Callable[[np.ndarray, Counts, float], np.ndarray],
    rows: CumulativeRows,
    prior: float,
    prior_draws: ArrayLike | None,
    level: float,
    n_resamples: int,
    random_state: Any,
) -> Band:
    if not 0 < level < 1:
        raise ValueError(f"level is {level}; it must lie between 0 and 1, such as 0.9.")
    rng = check_random_state(random_state)
    priors = np.array([prior]) if prior_draws is None else np.asarray(prior_draws, dtype=float)
    shares = rng.choice(priors.clip(1e-6, 1 - 1e-6), n_resamples)
    places = np.linspace(0, 1, N_POINTS)
    drawn = [
        at(places, counts, float(share))
        for counts, share in zip(rows.resampled(n_resamples, rng), shares, strict=True)
    ]
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return Band(places, at(places, rows.counted(), prior), low, high)


def prior_sensitivity(
    y: ArrayLike,
    y_pred: ArrayLike,
    *,
    priors: ArrayLike | None = None,
    scenario: Scenario = "single-training-set",
    threshold: float | None = None,
    sample_weight: ArrayLike | None = None,
) -> pd.DataFrame:
    """Tell what every score would be if the share of positives were another.

    The answers stay the same; only what is thought of them changes. The recall does not depend on
    the prior.

    Parameters
    ----------
    y : array-like
        PU labels: 1 for a labeled positive, 0 or −1 for an unlabeled row.
    y_pred : array-like
        Predicted classes; or scores, with a threshold.
    priors : array-like, optional
        Shares of positives to try. None tries 99 of them, from the share of labeled rows (in
        one sample there are no fewer positives) to one.
    scenario : {"single-training-set", "case-control"}
        How the rows were drawn.
    threshold : float, optional
        Scores above it mean positive; None reads ``y_pred`` as classes.
    sample_weight : array-like, optional
        How many rows each row stands for; None counts each once.

    Returns
    -------
    pandas.DataFrame
        One row per prior, with ``precision``, ``specificity``, ``f1``, ``accuracy`` and
        ``recall``; of scores, the area under the ROC curve ``roc_auc`` as well.

    Examples
    --------
    >>> prior_sensitivity([1, 1, 0, 0, 0], [1, 1, 1, 1, 0], priors=[0.4, 0.6])["precision"]
    prior
    0.4    0.50
    0.6    0.75
    Name: precision, dtype: float64
    """
    labeled = labeled_rows(y)
    weights = weights_of(labeled, sample_weight)
    if priors is None:
        one_sample = scenario == "single-training-set"
        least = float(np.average(labeled, weights=weights)) if one_sample else 0.0
        priors = np.linspace(least, 1, 101)[1:-1]
    index = pd.Index([checked_prior(float(prior)) for prior in np.asarray(priors)], name="prior")
    cut: dict[str, Any] = {"threshold": threshold, "sample_weight": weights}
    table = {
        name: [score(y, y_pred, prior=prior, scenario=scenario, **cut) for prior in index]
        for name, score in BY_PRIOR.items()
    }
    table["recall"] = [pu_recall_score(y, y_pred, **cut)] * len(index)
    if threshold is not None:
        drawn: dict[str, Any] = {"scenario": scenario, "sample_weight": weights}
        table["roc_auc"] = [
            pu_roc_auc_score(y, y_pred, prior=prior, **drawn)
            if prior_of_unlabeled(y, prior=prior, **drawn) < 1
            else np.nan
            for prior in index
        ]
    return pd.DataFrame(table, index=index)
