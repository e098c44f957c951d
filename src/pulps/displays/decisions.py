"""What a model decides: over two attributes, and over all rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from pulps.displays.axes import (
    CLASS_POSITIONS,
    LABELED,
    NEGATIVE,
    POSITIVE,
    UNLABELED,
    axes_or_new,
)
from pulps.io.optional import needs


def grid_of(X: Any, attributes: Any, grid_size: int) -> Any:
    """Make rows of which two numbers are known, over the range of a table.

    Parameters
    ----------
    X : data frame
        The table.
    attributes : pair of str
        Two numeric columns.
    grid_size : int
        Points along each axis.

    Returns
    -------
    x, y, rows
        Values along both axes, and a data frame with one row per pair; x runs fastest.
    """
    import pandas as pd

    first, second = attributes
    x = np.linspace(X[first].min(), X[first].max(), grid_size)
    y = np.linspace(X[second].min(), X[second].max(), grid_size)
    numeric = X.select_dtypes("number").columns
    grid = pd.DataFrame(index=range(grid_size**2), columns=X.columns, dtype=object)
    grid[numeric] = np.nan
    grid[numeric] = grid[numeric].astype(float)
    grid[first], grid[second] = np.tile(x, grid_size), np.repeat(y, grid_size)
    return x, y, grid


class DecisionMapDisplay:
    """How likely a row is positive, over two numeric attributes.

    All other attributes are missing: the map is what ``predict_proba`` says about a row of which
    only these two values are known. A network sums over the others exactly.

    Parameters
    ----------
    x, y : arrays
        Grid of the two attributes.
    probability : array of shape (rows, columns)
        Probability that a row with these two values is positive.
    names : pair of str
        Names of the attributes.
    """

    def __init__(
        self, x: np.ndarray, y: np.ndarray, probability: np.ndarray, names: tuple[str, str]
    ):
        self.x, self.y, self.probability, self.names = x, y, probability, names

    @classmethod
    def from_estimator(
        cls,
        model: Any,
        X: Any,
        attributes: tuple[str, str],
        *,
        labeled: np.ndarray | None = None,
        grid_size: int = 60,
        ax: Any = None,
    ) -> Self:
        """Compute and draw the map of two columns.

        Parameters
        ----------
        model : PUClassifier or LPSClassifier
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
            Where to draw; None makes new axes.

        Returns
        -------
        DecisionMapDisplay
            The display, drawn.
        """
        first, second = attributes
        x, y, grid = grid_of(X, attributes, grid_size)
        probability = model.predict_proba(grid)[:, CLASS_POSITIONS["positive"]]
        return cls(x, y, probability.reshape(grid_size, grid_size), (first, second)).plot(
            points=X[[first, second]].to_numpy(), labeled=labeled, ax=ax
        )

    def plot(
        self,
        *,
        points: np.ndarray | None = None,
        labeled: np.ndarray | None = None,
        ax: Any = None,
    ) -> Self:
        """Draw on the given axes, or on new ones.

        Parameters
        ----------
        points : array of shape (rows, 2), default=None
            Rows to draw as points.
        labeled : boolean array, default=None
            Which of them are labeled positives.
        ax : matplotlib axes, default=None
            Where to draw; None makes new axes.

        Returns
        -------
        self
            With ``ax_`` and ``figure_``.
        """
        with needs("plot", "Drawing"):
            from matplotlib.colors import LinearSegmentedColormap

        ax = axes_or_new(ax)
        colors = LinearSegmentedColormap.from_list("classes", [NEGATIVE, "white", POSITIVE])
        reach = max(0.05, float(np.abs(self.probability - 0.5).max()))  # faint maps can be read
        style = {"cmap": colors, "vmin": 0.5 - reach, "vmax": 0.5 + reach, "alpha": 0.55}
        mesh = ax.pcolormesh(self.x, self.y, self.probability, rasterized=True, **style)
        ax.figure.colorbar(mesh, ax=ax)
        ax.contour(self.x, self.y, self.probability, levels=[0.5], colors="black", linewidths=1)
        if points is not None:
            labeled = np.zeros(len(points), dtype=bool) if labeled is None else labeled
            ax.scatter(*points[~labeled].T, s=7, color=UNLABELED, label="unlabeled")
            edged = {"color": LABELED, "edgecolors": "black", "linewidths": 0.4}
            ax.scatter(*points[labeled].T, s=18, label="labeled positive", **edged)
            ax.legend(frameon=True, fontsize="small", loc="best")
        ax.set(xlabel=self.names[0], ylabel=self.names[1])
        ax.set_title("Probability of positive, all else unknown")
        self.ax_, self.figure_ = ax, ax.figure
        return self


class DecisionDisplay:
    """Histogram of the decision on labeled and on unlabeled rows; above zero means positive.

    Parameters
    ----------
    decision : array
        One number per row.
    labeled : boolean array
        Which rows are labeled.
    """

    def __init__(self, decision: np.ndarray, labeled: np.ndarray):
        self.decision = np.asarray(decision)
        self.labeled = np.asarray(labeled, dtype=bool)

    @classmethod
    def from_estimator(cls, model: Any, X: Any = None, y: Any = None, *, ax: Any = None) -> Self:
        """Score rows and draw the histogram.

        Rows that a model was fitted on look better than new ones will. Without X the honest scores
        of a consensus are drawn: its training rows, by models that did not see them.

        Parameters
        ----------
        model : PUClassifier or LPSClassifier
            A fitted model.
        X : table or array, default=None
            Rows of the same kind as in ``fit``; None takes honest scores, of a ``PUClassifier``.
        y : array, default=None
            Labels, as in ``fit``; None takes every row for unlabeled.
        ax : matplotlib axes, default=None
            Where to draw; None makes new axes.

        Returns
        -------
        DecisionDisplay
            The display, drawn.
        """
        if X is None:
            honest = model.honest_
            decision = np.concatenate([honest.labeled, honest.unlabeled])
            labeled = np.arange(len(decision)) < len(honest.labeled)
            return cls(decision - model.threshold_report_.threshold, labeled).plot(ax=ax)
        decision = model.decision_function(X)
        labeled = np.zeros(len(decision), dtype=bool)
        if y is not None:
            labeled = np.asarray(y) == model.classes_[CLASS_POSITIONS["positive"]]
        return cls(decision, labeled).plot(ax=ax)

    def plot(self, ax: Any = None, *, bins: int | Sequence[float] = 40) -> Self:
        """Draw on the given axes, or on new ones.

        Parameters
        ----------
        ax : matplotlib axes, default=None
            Where to draw; None makes new axes.
        bins : int
            Intervals of the histogram.

        Returns
        -------
        self
            With ``ax_`` and ``figure_``.
        """
        ax = axes_or_new(ax)
        edges = np.histogram_bin_edges(self.decision, bins)
        for rows, color, name in (
            (~self.labeled, UNLABELED, "unlabeled"),
            (self.labeled, LABELED, "labeled positive"),
        ):
            if rows.any():
                counts = np.histogram(self.decision[rows], edges)[0]
                ax.stairs(
                    counts / rows.sum(), edges, fill=True, alpha=0.6, color=color, label=name
                )
        ax.axvline(0, color="black", linewidth=1, linestyle="--")
        ax.set(xlabel="decision", ylabel="share of the rows", title="Positive above zero")
        ax.legend(frameon=False, fontsize="small")
        self.ax_, self.figure_ = ax, ax.figure
        return self
