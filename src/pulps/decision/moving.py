"""Cuts of a network that had a first guess, moved after the fit.

The guess knows honestly what to expect of a cut of its own scores. A cut of the network leaves the
same share of the unlabeled training rows above it, so it is told the same.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from pulps.decision.honest import HonestScores
from pulps.decision.threshold import ThresholdReport
from pulps.tables.ordering import quantiles

N_LEVELS = 2049


@dataclass(frozen=True)
class MovableCut:
    """Which cut of the network stands for which cut of its first guess.

    Parameters
    ----------
    honest
        Honest scores of the guess.
    guessed, own
        Scores of the guess and of the network at the same shares of the unlabeled training rows,
        increasing, shape (levels,) each.
    """

    honest: HonestScores
    guessed: np.ndarray
    own: np.ndarray

    @classmethod
    def of(
        cls, honest: HonestScores, guessed: np.ndarray, own: np.ndarray, weights: np.ndarray
    ) -> MovableCut:
        """Learn which cuts stand for each other.

        Parameters
        ----------
        honest
            Honest scores of the guess.
        guessed, own
            Scores of the unlabeled training rows by the guess and by the network.
        weights
            Weight of each row.

        Returns
        -------
        MovableCut
        """
        levels = np.linspace(0, 1, N_LEVELS)
        return cls(honest, quantiles(guessed, levels, weights), quantiles(own, levels, weights))

    def at(
        self,
        report: ThresholdReport,
        *,
        value: float | None,
        share: float | None,
        precision: float | None,
        recall: float | None,
    ) -> ThresholdReport:
        """Cut elsewhere, and tell what to expect.

        Parameters
        ----------
        report
            What was told of the cut so far.
        value
            The cut itself, on the scale of the network.
        share
            Share of the unlabeled training rows above it.
        precision, recall
            What is expected at least. One of these four is given.

        Returns
        -------
        ThresholdReport
        """
        moved = self.honest.at(
            value=None if value is None else float(np.interp(value, self.own, self.guessed)),
            share=share,
            precision=precision,
            recall=recall,
            prior=report.prior_of_unlabeled,
            interval=report.prior_interval,
        )
        if value is None:
            value = float(np.interp(moved.threshold, self.guessed, self.own))
        return replace(moved, threshold=value)
