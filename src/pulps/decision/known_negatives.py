"""What rows that are known to be negative tell: how many are positive, and how good the cut is.

With honest scores of labeled positives and of known negatives both ends of the mixture of
unlabeled rows are seen, so the share of positives follows without the assumptions that it needs
otherwise, and recall and precision are counted instead of estimated. Both kinds of labels must be
random among their class.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from pulps.decision.calibration import fit_slope_to
from pulps.decision.honest import HonestDecision, decide_honestly
from pulps.decision.threshold import ThresholdReport

ENOUGH = 10  # of either kind, to be counted on
N_BINS, N_ROUNDS = 8, 200
N_RESAMPLES, N_SHARES, LEVEL = 200, 40, 0.9


def decide_with_negatives(
    scores: np.ndarray,
    labeled: np.ndarray,
    weights: np.ndarray,
    negative: np.ndarray | None,
    *,
    known_prior: float | None = None,
    single_training_set: bool = True,
    **options: Any,
) -> HonestDecision:
    """Decide by honest scores, and by the known negatives if there are any.

    Parameters
    ----------
    scores, labeled, weights
        As in :func:`pulps.decision.honest.decide_honestly`.
    negative
        Which rows are known to be negative; None if nobody is, and nothing changes.
    known_prior, single_training_set, **options
        Also as there; ``known_prior`` counts known negatives among the unlabeled rows.

    Returns
    -------
    HonestDecision
        Prior, cut and slope by both kinds of labels, and scores that were counted, if there are
        ten of either kind.
    """
    options["single_training_set"] = single_training_set
    if negative is None:
        return decide_honestly(scores, labeled, weights, known_prior=known_prior, **options)
    rest = ~negative
    n_unlabeled = weights[rest & ~labeled].sum()
    share, counted = None, False
    if known_prior is not None:
        n_all = weights[~labeled].sum() if single_training_set else n_unlabeled
        share = min(known_prior * n_all / n_unlabeled, 1.0)
    else:
        share = share_by_both(scores, labeled, negative, weights)
        counted = share is not None
    told = decide_honestly(
        scores[rest], labeled[rest], weights[rest], known_prior=share, **options
    )
    report = told.report
    if counted:
        report = replace(
            report,
            prior_interval=_interval(scores, labeled, negative, weights, report),
            reason="known positives and negatives tell how many rows lie above",
        )
    report = with_counts(report, scores, report.threshold, labeled, negative, weights)
    prior, slope = told.prior, told.slope
    if single_training_set:
        prior = told.prior * weights[rest].sum() / weights.sum()
    if report.n_negative:
        known = labeled | negative
        mass = np.where(
            labeled,
            weights * report.prior_of_unlabeled / weights[labeled].sum(),
            weights * (1 - report.prior_of_unlabeled) / weights[negative].sum(),
        )
        slope = fit_slope_to(
            scores[known] - report.threshold, labeled[known].astype(float), mass[known]
        )
    return replace(told, report=report, prior=float(prior), slope=slope)


def _interval(
    scores: np.ndarray,
    labeled: np.ndarray,
    negative: np.ndarray,
    weights: np.ndarray,
    report: ThresholdReport,
) -> tuple[float, float]:
    """Where nine in ten resamples of the rows put the share of positives."""
    rng = np.random.RandomState(0)
    draws = []
    for _ in range(N_SHARES):
        drawn = weights.copy()
        for rows in (labeled, negative, ~labeled & ~negative):
            drawn[rows] = rng.dirichlet(weights[rows]) * weights[rows].sum()
        share = share_by_both(scores, labeled, negative, drawn + 1e-9)
        draws.append(report.prior_of_unlabeled if share is None else share)
    low, high = np.quantile(draws, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    prior = report.prior_of_unlabeled
    return float(min(low, prior)), float(max(high, prior))


def share_by_both(
    scores: np.ndarray, labeled: np.ndarray, negative: np.ndarray, weights: np.ndarray
) -> float | None:
    """Share of positives among the unlabeled rows, from positives and negatives that are known.

    The histogram of the unlabeled rows' honest scores is the mixture of those of both kinds; the
    share under which it is most likely is found by expectation and maximization.

    Parameters
    ----------
    scores
        Honest scores of all rows.
    labeled, negative
        Which rows are labeled positives, and which are known to be negative.
    weights
        Weight of each row.

    Returns
    -------
    float or None
        None with fewer than ten rows of either kind, or without unlabeled rows.

    Examples
    --------
    >>> scores = np.r_[np.zeros(40), np.ones(40), np.zeros(15), np.ones(5)]
    >>> kind = np.arange(100)
    >>> share = share_by_both(scores, (kind >= 40) & (kind < 80), kind < 40, np.ones(100))
    >>> 0.2 < share < 0.3
    True
    """
    unlabeled = ~labeled & ~negative
    if min(weights[labeled].sum(), weights[negative].sum()) < ENOUGH or not unlabeled.any():
        return None
    known = scores[labeled | negative]
    edges = np.unique(np.quantile(known, np.linspace(0, 1, N_BINS + 1)[1:-1]))
    bins = np.searchsorted(edges, scores, side="right")
    n_bins = len(edges) + 1

    def histogram(rows: np.ndarray) -> np.ndarray:
        counts = np.bincount(bins[rows], weights[rows], n_bins) + 1 / n_bins
        return counts / counts.sum()

    of_positive, of_negative = histogram(labeled), histogram(negative)
    counts = np.bincount(bins[unlabeled], weights[unlabeled], n_bins)
    share = 0.5
    for _ in range(N_ROUNDS):
        chance = share * of_positive / (share * of_positive + (1 - share) * of_negative)
        share = float(counts @ chance / counts.sum())
    return share


def with_counts(
    report: ThresholdReport,
    scores: np.ndarray,
    cut: float,
    labeled: np.ndarray,
    negative: np.ndarray,
    weights: np.ndarray,
) -> ThresholdReport:
    """Tell what a cut is worth by counting known rows on either side of it.

    Parameters
    ----------
    report
        What was estimated.
    scores, cut
        Honest scores of all rows, and where they are cut.
    labeled, negative, weights
        As in :func:`share_by_both`.

    Returns
    -------
    ThresholdReport
        The same one with fewer than ten rows of either kind.
    """
    if min(weights[labeled].sum(), weights[negative].sum()) < ENOUGH:
        return report
    rng = np.random.RandomState(0)
    draws = [
        rng.dirichlet(weights[rows], N_RESAMPLES) @ (scores[rows] > cut)
        for rows in (labeled, negative)
    ]
    found, passed = (np.average(scores[r] > cut, weights=weights[r]) for r in (labeled, negative))
    shares = rng.uniform(*report.prior_interval, N_RESAMPLES)
    values = _scores(report.prior_of_unlabeled, found, passed)
    spread = _scores(shares, *draws)
    tail = (1 - LEVEL) / 2
    counted: dict[str, Any] = {name: float(value) for name, value in values.items()}
    counted |= {
        f"{name}_interval": tuple(np.quantile(spread[name], [tail, 1 - tail]).tolist())
        for name in values
    }
    n_positive, n_negative = weights[labeled].sum(), weights[negative].sum()
    return replace(
        report,
        reason=f"{report.reason}; scores are counted on {n_positive:.0f} labeled positives and "
        f"{n_negative:.0f} known negatives",
        n_negative=round(n_negative),
        **counted,
    )


def _scores(share: Any, found: Any, passed: Any) -> dict[str, np.ndarray]:
    """Scores among rows of which a share is positive."""
    true, wrong = share * found, (1 - share) * passed
    missed, right = share * (1 - found), (1 - share) * (1 - passed)
    tiny = 1e-12
    return {
        "recall": found + 0 * share,
        "precision": true / np.maximum(true + wrong, tiny),
        "f1_pos": 2 * true / np.maximum(2 * true + wrong + missed, tiny),
        "f1_neg": 2 * right / np.maximum(2 * right + wrong + missed, tiny),
        "accuracy": true + right,
    }
