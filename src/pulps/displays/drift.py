"""How far new rows are from those of the fit."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from pulps.displays.axes import NEUTRAL, POSITIVE, axes_or_new
from pulps.estimators.questions.drift import DriftReport, check_drift

MOST_COLUMNS = 20


class DriftDisplay:
    """Distance of every column and of the score, the largest on top.

    Parameters
    ----------
    report : DriftReport
        From :func:`pulps.check_drift`.
    """

    def __init__(self, report: DriftReport):
        self.report = report

    @classmethod
    def from_estimator(cls, model: Any, X: Any, *, ax: Any = None, **options: Any) -> Self:
        """Check new rows and draw the distances.

        Parameters
        ----------
        model : PUClassifier or LPSClassifier
            A fitted model.
        X : table or array
            New rows.
        ax : matplotlib axes, default=None
            Where to draw; None makes new axes.
        **options
            Passed on to :func:`pulps.check_drift`.

        Returns
        -------
        DriftDisplay
            The display, drawn.
        """
        return cls(check_drift(model, X, **options)).plot(ax=ax)

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
        table = self.report.table.iloc[:MOST_COLUMNS].iloc[::-1]
        colors = np.where(table["drifted"], POSITIVE, NEUTRAL)
        ax.barh(np.arange(len(table)), table["distance"], 0.6, color=colors)
        ax.set_yticks(np.arange(len(table)), table.index)
        ax.axvline(self.report.limit, color="black", linewidth=1, linestyle="--")
        ax.set(xlim=(0, 1), xlabel="distance from the rows of the fit")
        ax.set_title("Drift" if self.report.alarm else "No drift")
        self.ax_, self.figure_ = ax, ax.figure
        return self
