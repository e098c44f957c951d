"""Scores of the same answers under other shares of positives."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import pandas as pd

from pulps.displays.axes import NEGATIVE, NEUTRAL, POSITIVE, UNLABELED, axes_or_new
from pulps.displays.curves import rows_to_score
from pulps.metrics.curves import prior_sensitivity
from pulps.metrics.rows import Scenario

COLORS = {"precision": POSITIVE, "f1": NEUTRAL, "accuracy": NEGATIVE, "specificity": UNLABELED}
STYLES = {"precision": "-", "f1": "--", "accuracy": "-.", "specificity": ":"}


class PriorSensitivityDisplay:
    """What the scores of the same answers would be under other shares of positives.

    Parameters
    ----------
    table : pandas.DataFrame
        From :func:`pulps.metrics.prior_sensitivity`.
    prior : float, default=None
        The share that is thought to be right, to be marked.
    interval : pair of float, default=None
        Between which shares it may lie, to be shaded.
    """

    def __init__(
        self,
        table: pd.DataFrame,
        *,
        prior: float | None = None,
        interval: tuple[float, float] | None = None,
    ):
        self.table, self.prior, self.interval = table, prior, interval

    @classmethod
    def from_scores(
        cls,
        y: Any,
        y_score: Any,
        *,
        threshold: float,
        prior: float | None = None,
        prior_draws: np.ndarray | None = None,
        scenario: Scenario = "single-training-set",
        ax: Any = None,
    ) -> Self:
        """Compute and draw the scores of answers cut at a threshold.

        Parameters
        ----------
        y : array
            PU labels: 1 for a labeled positive, 0 or −1 for an unlabeled row.
        y_score : array
            Scores of the same rows, by a model that has not seen them.
        threshold : float
            Scores above it mean positive.
        prior : float, default=None
            The share that is thought to be right, to be marked.
        prior_draws : array, default=None
            Priors that are possible; where nine in ten of them lie is shaded.
        scenario : {"single-training-set", "case-control"}
            How the rows were drawn.
        ax : matplotlib axes, default=None
            Where to draw; None makes new axes.

        Returns
        -------
        PriorSensitivityDisplay
            The display, drawn.
        """
        table = prior_sensitivity(y, y_score, scenario=scenario, threshold=threshold)
        interval = None
        if prior_draws is not None and np.ptp(prior_draws) > 0:
            interval = tuple(np.quantile(prior_draws, [0.05, 0.95]))
        return cls(table, prior=prior, interval=interval).plot(ax=ax)

    @classmethod
    def from_estimator(
        cls,
        model: Any,
        X: Any = None,
        y: Any = None,
        *,
        prior: float | None = None,
        scenario: Scenario | None = None,
        ax: Any = None,
    ) -> Self:
        """Compute and draw the scores of a fitted model.

        Parameters
        ----------
        model, X, y, prior, scenario, ax
            As in :meth:`PURocDisplay.from_estimator`.

        Returns
        -------
        PriorSensitivityDisplay
            The display, drawn.
        """
        return cls.from_scores(**rows_to_score(model, X, y, prior, scenario), ax=ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw on the given axes, or on new ones.

        Parameters
        ----------
        ax : matplotlib axes, default=None
            Where to draw; None makes new axes.

        Returns
        -------
        self
            With ``ax_`` and ``figure_``.
        """
        ax = axes_or_new(ax)
        if self.interval is not None:
            ax.axvspan(*self.interval, color="black", alpha=0.08, linewidth=0, label="likely")
        if self.prior is not None:
            ax.axvline(self.prior, color="black", linewidth=1, label="as estimated")
        for name, color in COLORS.items():
            if name in self.table:
                ax.plot(
                    self.table.index,
                    self.table[name],
                    STYLES[name],
                    color=color,
                    label="F1" if name == "f1" else name,
                )
        ax.set(xlim=(0, 1), ylim=(0, 1.02), xlabel="share of positives, if it were so")
        ax.set(ylabel="score of the same answers", title="If the prior is wrong")
        ax.legend(frameon=False, fontsize="small")
        self.ax_, self.figure_ = ax, ax.figure
        return self
