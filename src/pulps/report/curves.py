"""Honest curves of a fitted model: precision over recall, and what a wrong prior would change.

Everything is told about the unlabeled rows, as in ``threshold_report_``: they are the population
here, and the share of positives is that among them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pulps.metrics.curves import precision_recall_band, prior_sensitivity

N_RESAMPLES = 100
N_PRIORS = 7


class HonestRows(NamedTuple):
    """Scores of rows by models that did not see them, and what is known of their classes.

    Parameters
    ----------
    y
        1 for a labeled row, 0 for an unlabeled one.
    score
        Honest scores.
    threshold
        Where they are cut.
    prior
        Share of positives among the unlabeled rows.
    draws
        That share on resampled rows; the share itself if it was given.
    """

    y: np.ndarray
    score: np.ndarray
    threshold: float
    prior: float
    draws: np.ndarray


def honest_rows(model: Any) -> HonestRows | None:
    """Collect the honest scores that a fit has left.

    Parameters
    ----------
    model
        A fitted classifier.

    Returns
    -------
    HonestRows or None
        None for a model that keeps none, or whose share of positives has no negatives.
    """
    cut = getattr(model, "movable_cut_", None)
    honest = getattr(model, "honest_", None) or (cut and cut.honest)
    report = model.threshold_report_
    if honest is None or not 0 < report.prior_of_unlabeled < 1:
        return None
    threshold = report.threshold
    if cut is not None:  # scores are those of the first guess, its cut leaves the same share
        threshold = float(np.interp(threshold, cut.own, cut.guessed))
    low, high = report.prior_interval
    known = np.array([report.prior_of_unlabeled])
    draws = honest.draws.ravel() if low < high else known
    return HonestRows(
        np.repeat([1, 0], [len(honest.labeled), len(honest.unlabeled)]),
        np.concatenate([honest.labeled, honest.unlabeled]),
        threshold,
        report.prior_of_unlabeled,
        draws.clip(1e-3, 1 - 1e-3),
    )


def curves_section(model: Any) -> dict[str, Any] | None:
    """Tell precision over recall with a band, and scores under other shares of positives.

    Parameters
    ----------
    model
        A fitted classifier.

    Returns
    -------
    dict or None
        ``recall``, ``precision``, ``low``, ``high`` along the curve, ``own`` the recall of the
        model's cut, and ``priors``: the precision, F1 and accuracy of its answers under several
        shares of positives among the unlabeled rows. None without honest scores.
    """
    rows = honest_rows(model)
    if rows is None:
        return None
    band = precision_recall_band(
        rows.y,
        rows.score,
        prior=rows.prior,
        scenario="case-control",
        prior_draws=rows.draws,
        n_resamples=N_RESAMPLES,
        random_state=0,
    )
    low, high = model.threshold_report_.prior_interval
    around = np.linspace(
        max(0.02, min(low, rows.prior / 2)), min(0.98, max(high, rows.prior * 1.5)), N_PRIORS - 1
    )
    priors = np.unique(np.append(around, np.clip(rows.prior, 0.02, 0.98)).round(4))
    table = prior_sensitivity(
        rows.y, rows.score, priors=priors, scenario="case-control", threshold=rows.threshold
    )
    return {
        "recall": band.places,
        "precision": band.curve,
        "low": band.low,
        "high": band.high,
        "own": model.threshold_report_.recall,
        "priors": table.reset_index()[["prior", "precision", "f1", "accuracy"]].to_dict("records"),
    }
