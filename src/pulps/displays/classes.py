"""Several classes: where each is likeliest over two attributes, and how common it is."""

from __future__ import annotations

from typing import Any

import numpy as np

from pulps.displays.axes import axes_or_new, colors_of
from pulps.displays.decisions import grid_of
from pulps.estimators.classes.names import class_names
from pulps.io.optional import needs
from pulps.labels import unlabeled_rows


class ClassMapDisplay:
    """Likeliest class over two numeric attributes; paler where it is less sure.

    All other attributes are missing: the map is what ``predict_proba`` says about a row of which
    only these two values are known.

    Parameters
    ----------
    x, y : arrays
        Grid of the two attributes.
    probability : array of shape (rows, columns, classes)
        Probability of every class.
    names : pair of str
        Names of the attributes.
    classes : list of str
        Names of the classes.
    colors : list of str
        One per class.
    """

    def __init__(self, x: Any, y: Any, probability: Any, names: Any, classes: Any, colors: Any):
        self.x, self.y, self.probability, self.names = x, y, np.asarray(probability), names
        self.classes, self.colors = classes, colors

    @classmethod
    def from_estimator(
        cls,
        model: Any,
        X: Any,
        attributes: Any,
        *,
        y: Any = None,
        grid_size: Any = 60,
        ax: Any = None,
    ) -> Any:
        """Compute and draw the map of two columns.

        Parameters
        ----------
        model : LPSSemiSupervisedClassifier
            Fitted on a data frame.
        X : data frame
            Rows that give the range and are drawn as points.
        attributes : pair of str
            Two numeric columns.
        y : array, default=None
            Labels, as in ``fit``: labeled rows are drawn in the color of their class.
        grid_size : int
            Points along each axis.
        ax : matplotlib axes, default=None
            Where to draw; None makes new axes.

        Returns
        -------
        ClassMapDisplay
            The display, drawn.
        """
        first, second = attributes
        across, up, grid = grid_of(X, attributes, grid_size)
        chances = model.predict_proba(grid).reshape(grid_size, grid_size, -1)
        known = np.full(len(X), -1)
        if y is not None:
            labeled = ~unlabeled_rows(np.asarray(y))
            known[labeled] = [model.class_index(one) for one in np.asarray(y)[labeled].tolist()]
        made = cls(across, up, chances, (first, second), class_names(model), colors_of(model))
        return made.plot(points=X[[first, second]].to_numpy(), known=known, ax=ax)

    def plot(self, *, points: Any = None, known: Any = None, ax: Any = None) -> Any:
        """Draw on the given axes, or on new ones.

        Parameters
        ----------
        points : array of shape (rows, 2), default=None
            Rows to draw as points.
        known : array of int, default=None
            Number of the class of each labeled row, -1 for others.
        ax : matplotlib axes, default=None
            Where to draw; None makes new axes.

        Returns
        -------
        self
            With ``ax_`` and ``figure_``.
        """
        with needs("plot", "Drawing"):
            from matplotlib.colors import to_rgb

        ax = axes_or_new(ax)
        colors = np.array([to_rgb(color) for color in self.colors])
        best, sure = self.probability.argmax(axis=2), self.probability.max(axis=2)
        least = 1 / len(self.classes)
        strength = 0.55 * np.clip((sure - least) / (1 - least), 0, 1)[..., None]
        picture = 1 - strength * (1 - colors[best])
        edges = self.x[0], self.x[-1], self.y[0], self.y[-1]
        ax.imshow(picture, origin="lower", extent=edges, aspect="auto", interpolation="nearest")
        if points is not None:
            known = np.full(len(points), -1) if known is None else known
            ax.scatter(*points[known < 0].T, s=7, color="#5b6470", label="unlabeled")
        for number, (name, color) in enumerate(zip(self.classes, self.colors, strict=True)):
            own = np.empty((0, 2)) if points is None else points[known == number]
            ax.scatter(*own.T, s=22, color=color, edgecolors="black", linewidths=0.5, label=name)
        ax.legend(frameon=True, fontsize="small", loc="best")
        ax.set(xlabel=self.names[0], ylabel=self.names[1])
        ax.set_title("Likeliest class, all else unknown")
        self.ax_, self.figure_ = ax, ax.figure
        return self


class ClassSharesDisplay:
    """Share of every class in the population, with its interval.

    Parameters
    ----------
    shares : pandas.DataFrame
        ``class_shares_`` of a model.
    colors : list of str
        One per class.
    """

    def __init__(self, shares: Any, colors: Any):
        self.shares, self.colors = shares, colors

    @classmethod
    def from_estimator(cls, model: Any, *, ax: Any = None) -> Any:
        """Draw the shares of a model.

        Parameters
        ----------
        model : LPSSemiSupervisedClassifier or LPSSemiSupervisedImageClassifier
            A fitted model.
        ax : matplotlib axes, default=None
            Where to draw; None makes new axes.

        Returns
        -------
        ClassSharesDisplay
            The display, drawn.
        """
        return cls(model.class_shares_, colors_of(model)).plot(ax=ax)

    def plot(self, ax: Any = None) -> Any:
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
        at, share = np.arange(len(self.shares)), self.shares["share"].to_numpy()
        ends = np.abs(self.shares[["low", "high"]].to_numpy().T - share)
        ax.barh(at, share, 0.6, color=self.colors)
        ax.errorbar(share, at, xerr=ends, fmt="none", ecolor="black", capsize=3, linewidth=1)
        ax.set_yticks(at, [str(name) for name in self.shares.index])
        ax.invert_yaxis()
        ax.set(xlabel="share of the rows, with an interval of 90 %", title="Classes")
        self.ax_, self.figure_ = ax, ax.figure
        return self
