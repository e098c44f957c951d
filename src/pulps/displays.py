"""Pictures of a fitted model; each Display is computed once and can be drawn again."""

from __future__ import annotations

import numpy as np
from scipy.special import expit

TERMS = ("labeled", "positive", "negative", "norm", "balance")
POSITIVE, NEGATIVE, UNLABELED = "#d95f02", "#1f78b4", "#9a9a9a"


class LossCurveDisplay:
    """The five loss terms over the epochs, averaged over the members kept.

    Parameters
    ----------
    curves : dict of arrays
        One curve a term, and ``labeled_recall`` and ``positive_share``.
    """

    def __init__(self, curves):
        self.curves = curves

    @classmethod
    def from_estimator(cls, model, *, ax=None):
        """Draw the training history of a fitted ``LPSClassifier``."""
        names = (*TERMS, "labeled_recall", "positive_share")
        curves = {
            name: np.nanmean(model.history_[name][:, model.members_], axis=1) for name in names
        }
        return cls(curves).plot(ax=ax)

    def plot(self, ax=None):
        """Draw on the given axes, or on new ones."""
        ax = _axes(ax)
        for name in TERMS:
            ax.plot(np.arange(1, len(self.curves[name]) + 1), self.curves[name], label=name)
        ax.set(yscale="log", xlabel="epoch", ylabel="loss term", title="Training")
        ax.legend(frameon=False, fontsize="small")
        self.ax_, self.figure_ = ax, ax.figure
        return self


class DecisionMapDisplay:
    """Where a model says positive, over two numeric attributes.

    All other attributes are traced out: the map shows the exact marginal decision, not a
    slice.

    Parameters
    ----------
    x, y : arrays
        Grid of the two attributes.
    probability : array of shape (len(y), len(x))
        Confidence that a row with these two values is positive.
    names : pair of str
        Names of the attributes.
    """

    def __init__(self, x, y, probability, names):
        self.x, self.y, self.probability, self.names = x, y, probability, names

    @classmethod
    def from_estimator(cls, model, X, attributes, *, labeled=None, grid_size=60, ax=None):
        """Compute and draw the map of two columns.

        Parameters
        ----------
        model : LPSClassifier
            Fitted on a data frame.
        X : data frame
            Rows that give the range and are drawn as points.
        attributes : pair of str
            Two numeric columns.
        labeled : boolean array, default=None
            Rows drawn as labeled positives.
        grid_size : int
            Points along each axis.
        ax : matplotlib axes, default=None
            Where to draw.
        """
        import pandas as pd

        first, second = attributes
        x = np.linspace(X[first].min(), X[first].max(), grid_size)
        y = np.linspace(X[second].min(), X[second].max(), grid_size)
        grid = pd.DataFrame(np.nan, index=range(grid_size**2), columns=list(X.columns))
        grid[first] = np.tile(x, grid_size)
        grid[second] = np.repeat(y, grid_size)
        decision = model.decision_function(grid.astype(X.dtypes.to_dict()))
        spread = float(np.abs(decision).mean()) or 1.0
        probability = expit(2 * decision / spread).reshape(grid_size, grid_size)
        return cls(x, y, probability, (first, second)).plot(
            points=X[[first, second]].to_numpy(), labeled=labeled, ax=ax
        )

    def plot(self, *, points=None, labeled=None, ax=None):
        """Draw on the given axes, or on new ones."""
        from matplotlib.colors import LinearSegmentedColormap

        ax = _axes(ax)
        colors = LinearSegmentedColormap.from_list("classes", [NEGATIVE, "white", POSITIVE])
        ax.pcolormesh(
            self.x,
            self.y,
            self.probability,
            cmap=colors,
            vmin=0,
            vmax=1,
            alpha=0.55,
            rasterized=True,
        )
        ax.contour(self.x, self.y, self.probability, levels=[0.5], colors="black", linewidths=1)
        if points is not None:
            labeled = np.zeros(len(points), dtype=bool) if labeled is None else labeled
            ax.scatter(*points[~labeled].T, s=7, color=UNLABELED, label="unlabeled")
            ax.scatter(*points[labeled].T, s=12, color=POSITIVE, label="labeled positive")
            ax.legend(frameon=True, fontsize="small", loc="best")
        ax.set(
            xlabel=self.names[0],
            ylabel=self.names[1],
            title="Decision (orange: positive), other attributes traced",
        )
        self.ax_, self.figure_ = ax, ax.figure
        return self


def _axes(ax):
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots(layout="constrained")[1]
