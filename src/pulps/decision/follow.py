"""From members that had a first guess to a decision: the guess says how many, they say which.

A first guess has honest scores of all training rows: none of its models saw the row it scored
(:mod:`pulps.views`). So prior, cut, probabilities and what to expect are the guess's
(:mod:`pulps.decision.honest`). The members were shown every label; what they add is the order of
the rows. Their threshold leaves as many training rows above it as the guess calls positive, and
the slope of their probability is the one that comes closest to the guess's probabilities.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from scipy.special import expit

from pulps.decision.calibration import fit_slope_to
from pulps.decision.cuts import cut_leaving
from pulps.decision.decide import Decision, compare_members
from pulps.decision.honest import HonestDecision, report_at
from pulps.decision.known_negatives import decide_with_negatives
from pulps.decision.learned_prior import common_scale
from pulps.decision.moving import MovableCut
from pulps.decision.selection import select_members
from pulps.decision.threshold import ThresholdReport

STEEPNESS = 3.0  # of hints at the cut, per unit of the scores


@dataclass(frozen=True)
class Guess:
    """Honest scores of the training rows, and what they say.

    Parameters
    ----------
    scores
        One honest score per row, larger for more positive, of deviation about one.
    labeled
        Which rows are labeled.
    weights
        Weight of each row.
    cut
        Score above which a row is taught as positive.
    told
        Prior, cut by the rule that was asked for, what to expect of it, and a probability.
    single_training_set
        Whether the labeled rows are part of the population.
    """

    scores: np.ndarray
    labeled: np.ndarray
    weights: np.ndarray
    cut: float
    told: HonestDecision
    single_training_set: bool

    @classmethod
    def of(
        cls,
        scores: np.ndarray,
        labeled: np.ndarray,
        weights: np.ndarray,
        *,
        rule: str = "auto",
        known_prior: float | None = None,
        single_training_set: bool = True,
        gaps: np.ndarray | None = None,
        negative: np.ndarray | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> Guess:
        """Find prior, cut and probability.

        Parameters
        ----------
        scores
            One honest score per row.
        labeled
            Which rows are labeled.
        weights
            Weight of each row.
        rule
            Where to cut in the end, see :mod:`pulps.decision.threshold`. What is taught is
            always cut by ``"auto"``.
        known_prior
            Share of positives among the unlabeled rows, where it is known.
        single_training_set
            Whether the labeled rows are part of the population.
        gaps
            Where the scores leave a gap, see :func:`pulps.decision.honest.decide_honestly`.
        negative
            Which rows are known to be negative, if any are.
        random_state
            Seed of the resamples of the prior.

        Returns
        -------
        Guess
        """

        def decided(rule: str) -> HonestDecision:
            return decide_with_negatives(
                scores,
                labeled,
                weights,
                negative,
                rule=rule,
                known_prior=known_prior,
                single_training_set=single_training_set,
                gaps=gaps,
                random_state=random_state,
            )

        taught = decided("auto")
        told = taught if rule in ("auto", "balance") else decided(rule)
        cut = taught.report.threshold
        return cls(scores, labeled, weights, cut, told, single_training_set)

    def hint(self, scores: np.ndarray) -> np.ndarray:
        """How sure the guess is of rows with these scores, from -1, surely negative, to 1.

        Parameters
        ----------
        scores
            Of training rows or any others.

        Returns
        -------
        array of the same shape
        """
        return np.tanh(STEEPNESS * (scores - self.cut))

    @property
    def probability(self) -> np.ndarray:
        """Probability that each row is positive."""
        return expit(self.told.slope * (self.scores - self.told.report.threshold))

    def share_of(self, positive: np.ndarray) -> float:
        """Share of the population that is called positive.

        Parameters
        ----------
        positive
            Which rows are called positive.

        Returns
        -------
        float
        """
        some = self._population
        return float(np.average(positive[some], weights=self.weights[some]))

    def cut_of(self, scores: np.ndarray, share: float) -> float:
        """Cut that leaves a share of the population above it.

        Parameters
        ----------
        scores
            Scores of the same rows, of the guess or of others.
        share
            From 0 to 1.

        Returns
        -------
        float
        """
        some = self._population
        return cut_leaving(scores[some], share, self.weights[some])

    def report_where(self, share: float, *, rule: str, reason: str) -> ThresholdReport:
        """Tell what to expect if a share of the population is called positive.

        Parameters
        ----------
        share
            From 0 to 1.
        rule, reason
            Why so many.

        Returns
        -------
        ThresholdReport
        """
        told, honest = self.told.report, self.told.honest
        return report_at(
            honest.held_out,
            self.cut_of(self.scores, share),
            told.prior_of_unlabeled,
            told.prior_interval,
            honest.draws.ravel(),
            rule=rule,
            reason=reason,
        )

    @property
    def _population(self) -> np.ndarray:
        return np.full(len(self.labeled), True) if self.single_training_set else ~self.labeled


def follow(
    log_ratios: np.ndarray, guess: Guess, *, size: int | Literal["cluster"] | None, rule: str
) -> Decision:
    """Keep members and cut their mean score where the guess says how many rows are positive.

    Parameters
    ----------
    log_ratios
        Of the training rows, shape (members, rows).
    guess
        The first guess of these rows.
    size
        How many members to keep, see :func:`pulps.decision.selection.select_members`.
    rule
        ``"balance"`` cuts where both norms are equal; any other takes the cut of the guess,
        which was made by that rule.

    Returns
    -------
    Decision
        Who is kept, where to cut, how sure.
    """
    labeled, weights = guess.labeled, guess.weights
    choice = select_members(log_ratios > 0, labeled, size=size, weights=weights)
    scores, scales = common_scale(log_ratios[choice.chosen], labeled, weights)
    mean = scores.mean(axis=0)
    if rule == "balance":
        threshold = 0.0
        report = guess.report_where(
            guess.share_of(mean > 0), rule=rule, reason="both norms are equal"
        )
    else:
        report = guess.told.report
        threshold = guess.cut_of(mean, guess.share_of(guess.scores > report.threshold))
    above = mean[~labeled] > threshold
    report = replace(
        report,
        threshold=threshold,
        share=float(np.average(above, weights=weights[~labeled])),
    )
    return Decision(
        members=choice.chosen,
        any_sound=bool(choice.sound.any() or np.ptp(mean) > 0),  # the guess says where to cut
        scales=scales,
        report=report,
        prior=guess.told.prior,
        slope=fit_slope_to(mean - threshold, guess.probability, weights),
        doubts=(),  # all members were taught the same sides: nobody takes that for an accuracy
        movable=MovableCut.of(
            guess.told.honest, guess.scores[~labeled], mean[~labeled], weights[~labeled]
        ),
        **compare_members(scores > threshold, weights),
    )
