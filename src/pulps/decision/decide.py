"""From trained members to a decision: who is kept, scales, threshold, probabilities, agreement."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from pulps.decision.calibration import fit_slope
from pulps.decision.learned_prior import common_scale, honest_evidence
from pulps.decision.selection import (
    AgreementWarning,
    agreement_matrix,
    doubts_about,
    kappa_matrix,
    mean_of_pairs,
    select_members,
)
from pulps.decision.threshold import ThresholdReport, choose_threshold
from pulps.network import engine
from pulps.training.ensemble import Trained
from pulps.training.loss import LossTerms

CONVENTIONAL_SLOPE = 2.0


@dataclass(frozen=True)
class Decision:
    """What members decide together.

    Parameters
    ----------
    scales
        Mean size of each member's log-ratio on the unlabeled rows.
    report
        Where the decision is cut, and why.
    prior
        Share of positives in the population.
    slope
        Steepness of the probability at the threshold.
    agreement_matrix, agreement, kappa
        Of all pairs of members; their mean; the same beyond chance.
    """

    scales: np.ndarray
    report: ThresholdReport
    prior: float
    slope: float
    agreement_matrix: np.ndarray
    agreement: float
    kappa: float

    def write_to(self, model) -> None:
        """Set the fitted attributes of an estimator."""
        model.member_scales_ = self.scales
        model.threshold_report_ = self.report
        model.prior_ = self.prior
        model.slope_ = self.slope
        model.agreement_matrix_ = self.agreement_matrix
        model.agreement_ = self.agreement
        model.kappa_ = self.kappa


def decide(
    log_ratios: np.ndarray,
    labeled: np.ndarray,
    spies: np.ndarray,
    weights: np.ndarray,
    *,
    rule: str,
    known_prior: float | None,
    alone: bool,
) -> Decision:
    """Put members on a common scale, find the threshold and the slope, compare members.

    Parameters
    ----------
    log_ratios
        Of the training rows, shape (members, rows).
    labeled
        Which rows are labeled.
    spies
        Which labeled rows each member took for unlabeled ones, shape (members, rows).
    weights
        Weight of each row.
    rule
        See :mod:`pulps.decision.threshold`.
    known_prior
        Share of positives among the unlabeled rows, where it is known.
    alone
        Whether the labeled rows are part of the population (a single training set).

    Warns
    -----
    AgreementWarning
        If held-out labels contradict the agreement.
    """
    scores, scales = common_scale(log_ratios, labeled, weights)
    evidence = honest_evidence(scores, labeled, spies)
    report = choose_threshold(evidence, rule, prior=known_prior, single_training_set=alone)
    prior = report.prior_of_unlabeled
    if alone:
        prior = float(np.mean(labeled + ~labeled * report.prior_of_unlabeled))
    slope = CONVENTIONAL_SLOPE
    if evidence.n_labeled:
        slope = fit_slope(
            evidence, report.threshold, report.prior_of_unlabeled, single_training_set=alone
        )
    votes = scores > report.threshold
    matrix = agreement_matrix(votes)
    agreement, kappa = mean_of_pairs(matrix), mean_of_pairs(kappa_matrix(votes))
    for doubt in doubts_about(
        agreement,
        kappa,
        recall=report.recall,
        share=report.share,
        accuracy=report.accuracy,
        n_held_out=report.n_labeled,
    ):
        warnings.warn(doubt, AgreementWarning, stacklevel=6)
    return Decision(scales, report, prior, slope, matrix, agreement, kappa)


def keep_members(
    model,
    trained: Trained,
    log_norms: Callable[[list[np.ndarray]], np.ndarray],
    labeled: np.ndarray,
    spies: np.ndarray,
    weights: np.ndarray,
    known_prior: float | None,
) -> None:
    """Choose members by agreement, find the threshold; set the fitted attributes of an estimator.

    Parameters
    ----------
    model
        The estimator; its parameters ``n_selected``, ``threshold``, ``scenario`` and
        ``learning_rate`` are read.
    trained
        Members, after training.
    log_norms
        From stacked cores to the log-norms of the training rows, shape (chains, rows).
    labeled, spies, weights, known_prior
        See :func:`decide`.
    """
    finite = np.array([epochs[-1].terms.total.isfinite().item() for epochs in trained.epochs])
    if not finite.any():
        raise ValueError(
            f"All {trained.n_members} members diverged: the loss is not finite. Lower "
            f"learning_rate (now {model.learning_rate})."
        )
    usable = np.flatnonzero(finite)
    chains = np.concatenate([usable, usable + trained.n_members])
    cores = [core.cpu().numpy()[chains] for core in trained.cores]
    log_p, log_n = log_norms(cores).reshape(2, len(usable), -1)
    choice = select_members(log_p > log_n, labeled, size=model.n_selected)
    model.members_ = usable[choice.chosen]
    model.restarts_ = trained.restarts
    model.positive_cores_ = [core[choice.chosen] for core in cores]
    model.negative_cores_ = [core[choice.chosen + len(usable)] for core in cores]
    decide(
        (log_p - log_n)[choice.chosen],
        labeled,
        spies[model.members_],
        weights,
        rule=model.threshold,
        known_prior=known_prior,
        alone=model.scenario == "single-training-set",
    ).write_to(model)
    model.n_iter_ = max(map(len, trained.epochs))
    model.history_ = trained.history()
    total = np.sum([model.history_[name] for name in LossTerms._fields], axis=0)
    model.loss_curve_ = np.nanmean(total[:, model.members_], axis=1)
    model.engine_ = engine.active_engine()[0]
    if not choice.sound.any():
        again = ", also after starting again" if model.max_restarts else ""
        warnings.warn(
            f"All {trained.n_members} members put every unlabeled row in one class or lose "
            f"most labeled rows{again}. The predictions are of no use; try another "
            "learning_rate, more labeled rows, or a prior.",
            ConvergenceWarning,
            stacklevel=4,
        )
