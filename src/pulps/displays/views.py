"""How much each view of a consensus weighs, and how well it ranks or tells classes apart."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import pandas as pd

from pulps.displays.axes import NEUTRAL, axes_or_new


class ViewsDisplay:
    """Weight of every view, the heaviest on top, and its area, or its accuracy on classes.

    Parameters
    ----------
    views : pandas.DataFrame
        ``views_`` of a model.
    """

    def __init__(self, views: pd.DataFrame):
        self.views = views.sort_values("weight", kind="stable")

    @classmethod
    def from_estimator(cls, model: Any, *, ax: Any = None) -> Self:
        """Draw the views of a model.

        Parameters
        ----------
        model : PUClassifier or LPSSemiSupervisedClassifier
            A fitted model.
        ax : matplotlib axes, default=None
            Where to draw; None makes new axes.

        Returns
        -------
        ViewsDisplay
            The display, drawn.
        """
        return cls(model.views_).plot(ax=ax)

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
        at = np.arange(len(self.views))
        ax.barh(at, self.views["weight"], 0.6, color=NEUTRAL, label="weight in the consensus")
        ranks = "area" in self.views
        told = "area: ranks held-out labels" if ranks else "share of held-out labels found"
        found = self.views["area" if ranks else "accuracy"]
        ax.plot(found, at, "D", color="black", label=told)
        if ranks:  # a coin's
            ax.axvline(0.5, color="black", linewidth=1, linestyle=":")
        ax.set_yticks(at, self.views.index)
        ax.set(xlim=(0, 1), title="Views")
        below = {"loc": "upper center", "bbox_to_anchor": (0.5, -0.06), "ncols": 2}
        ax.legend(frameon=False, fontsize="small", **below)
        self.ax_, self.figure_ = ax, ax.figure
        return self
