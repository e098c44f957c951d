"""How a network was trained."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np

from pulps.displays.axes import axes_or_new, network_of

TERMS = ("labeled", "positive", "negative", "norm", "balance", "logistic")


class LossCurveDisplay:
    """The loss terms that are on over the epochs, averaged over the members kept.

    Parameters
    ----------
    curves : dict of arrays
        One curve per term, and ``labeled_recall`` and ``positive_share``.
    """

    def __init__(self, curves: Mapping[str, np.ndarray]):
        self.curves = curves

    @classmethod
    def from_estimator(cls, model: Any, *, ax: Any = None) -> Self:
        """Draw the training history of a model.

        Parameters
        ----------
        model : LPSClassifier or PUClassifier
            A fitted model; of a consensus, its network is drawn.
        ax : matplotlib axes, default=None
            Where to draw; None makes new axes.

        Returns
        -------
        LossCurveDisplay
            The display, drawn.
        """
        network = network_of(model)
        kept = {name: curve[:, network.members_] for name, curve in network.history_.items()}
        terms = [name for name in TERMS if np.nansum(kept[name]) > 0]
        names = (*terms, "labeled_recall", "positive_share")
        curves = {name: np.nanmean(kept[name], axis=1) for name in names}
        return cls(curves).plot(ax=ax)

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
        for name in (name for name in TERMS if name in self.curves):
            ax.plot(np.arange(1, len(self.curves[name]) + 1), self.curves[name], label=name)
        ax.set(yscale="log", xlabel="epoch", ylabel="loss term", title="Training")
        ax.legend(frameon=False, fontsize="small")
        self.ax_, self.figure_ = ax, ax.figure
        return self
