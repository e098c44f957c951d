"""From trained members to a decision: who is kept, scales, threshold, probability, agreement."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from pulps.decision.calibration import fit_slope
from pulps.decision.learned_prior import common_scale, held_out_scores
from pulps.decision.moving import MovableCut
from pulps.decision.selection import (
    agreement_matrix,
    kappa_matrix,
    mean_of_pairs,
    reasons_to_doubt,
    select_members,
)
from pulps.decision.threshold import ThresholdReport, choose_threshold
from pulps.labels import shares_of

CONVENTIONAL_SLOPE = 2.0


@dataclass(frozen=True)
class Decision:
    """What members decide together.

    Parameters
    ----------
    members
        Which members were kept, in order of choice.
    any_sound
        Whether any member was not degenerate.
    scales
        Mean size of each kept member's log-ratio on the unlabeled rows.
    report
        Where the decision is cut, and why.
    prior
        Share of positives in the population.
    slope
        Steepness of the probability at the threshold.
    agreement_matrix, agreement, kappa
        Of all pairs of kept members; their mean; the same beyond chance.
    doubts
        Reasons not to take the agreement for an accuracy.
    movable
        What another cut would be told, if a first guess knows that.
    """

    members: np.ndarray
    any_sound: bool
    scales: np.ndarray
    report: ThresholdReport
    prior: float
    slope: float
    agreement_matrix: np.ndarray
    agreement: float
    kappa: float
    doubts: Sequence[str]
    movable: MovableCut | None = None


def decide(
    log_ratios: np.ndarray,
    labeled: np.ndarray,
    hidden: np.ndarray,
    weights: np.ndarray | None = None,
    *,
    size: int | Literal["cluster"] | None,
    rule: str,
    known_prior: float | None,
    single_training_set: bool,
) -> Decision:
    """Keep members, put them on a common scale, find threshold and slope, compare them.

    Parameters
    ----------
    log_ratios
        Of the training rows, shape (members, rows).
    labeled
        Which rows are labeled.
    hidden
        Which labeled rows each member took for unlabeled ones, or how much of them, shape
        (members, rows); see :func:`pulps.decision.held_out.hide_parts`.
    weights
        Weight of each row: one that weighs two counts as two rows. None weighs all alike.
    size
        How many members to keep, see :func:`pulps.decision.selection.select_members`.
    rule
        See :mod:`pulps.decision.threshold`.
    known_prior
        Share of positives among the unlabeled rows, where it is known.
    single_training_set
        Whether the labeled rows are part of the population.

    Returns
    -------
    Decision
        Who is kept, where to cut, how sure.
    """
    choice = select_members(log_ratios > 0, labeled, size=size, weights=weights)
    scores, scales = common_scale(log_ratios[choice.chosen], labeled, weights)
    held_out = held_out_scores(scores, labeled, hidden[choice.chosen], weights)
    report = choose_threshold(
        held_out, rule, prior=known_prior, single_training_set=single_training_set
    )
    slope = CONVENTIONAL_SLOPE
    if held_out.n_labeled:
        slope = fit_slope(
            held_out,
            report.threshold,
            report.prior_of_unlabeled,
            single_training_set=single_training_set,
        )
    compared = compare_members(scores > report.threshold, weights)
    doubts = reasons_to_doubt(
        compared["agreement"],
        compared["kappa"],
        recall=report.recall,
        share=report.share,
        accuracy=report.accuracy,
        n_held_out=report.n_labeled,
    )
    return Decision(
        members=choice.chosen,
        any_sound=bool(choice.sound.any()),
        scales=scales,
        report=report,
        prior=_prior_of_population(report, labeled, weights, single_training_set),
        slope=slope,
        doubts=doubts,
        **compared,
    )


def compare_members(votes: np.ndarray, weights: np.ndarray | None = None) -> dict[str, Any]:
    """Say how members agree.

    Parameters
    ----------
    votes
        Which rows each kept member calls positive, shape (members, rows).
    weights
        Weight of each row; None weighs all alike.

    Returns
    -------
    dict
        ``agreement_matrix``, ``agreement`` and ``kappa`` of a :class:`Decision`.
    """
    matrix = agreement_matrix(votes, weights)
    kappas = kappa_matrix(votes, weights=weights)
    return {
        "agreement_matrix": matrix,
        "agreement": mean_of_pairs(matrix),
        "kappa": mean_of_pairs(kappas),
    }


def _prior_of_population(
    report: ThresholdReport,
    labeled: np.ndarray,
    weights: np.ndarray | None,
    single_training_set: bool,
) -> float:
    counts = np.ones(len(labeled)) if weights is None else weights
    shares = shares_of(
        report.prior_of_unlabeled,
        n_labeled=counts[labeled].sum(),
        n_unlabeled=counts[~labeled].sum(),
        scenario="single-training-set" if single_training_set else "case-control",
    )
    return float(shares.prior)
