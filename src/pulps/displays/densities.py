"""What a network knows of each class: densities of one column, and of two."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
import pandas as pd

from pulps.displays.axes import NEGATIVE, POSITIVE, axes_or_new, colors_of
from pulps.estimators.classes.names import class_names


class MarginalDisplay:
    """Density of one column under each class, over the histogram of the rows.

    Parameters
    ----------
    classes : dict[str, Any] of pandas.Series
        Probabilities of intervals or categories, by the name of the class: ``"positive"`` and
        ``"negative"``, or those of several classes.
    observed : array
        Shares of the rows in the same intervals or categories.
    name : str
        Name of the column.
    colors : list of str, default=None
        One per class; None takes those of positive and negative.
    """

    def __init__(self, classes: Any, observed: Any, name: Any, colors: Any = None):
        self.classes, self.observed, self.name = classes, np.asarray(observed), name
        self.colors = colors or [POSITIVE, NEGATIVE]

    @classmethod
    def from_estimator(
        cls,
        model: Any,
        X: Any,
        column: Any,
        *,
        given: Mapping[Any, Any] | None = None,
        bins: int = 30,
        ax: Any = None,
    ) -> Self:
        """Compute and draw the density of a column.

        Parameters
        ----------
        model : LPSClassifier, PUClassifier or LPSSemiSupervisedClassifier
            Fitted on a data frame.
        X : data frame
            Rows for the histogram.
        column : str
            Name of the column.
        given : dict[str, Any], default=None
            Values of other columns, under which the density is taken.
        bins : int
            Intervals that the range of a numeric column is cut into.
        ax : matplotlib axes, default=None
            Where to draw; None makes new axes.

        Returns
        -------
        MarginalDisplay
            The display, drawn.
        """
        several = hasattr(model, "class_scale_")
        named = dict(zip(class_names(model), model.classes_.tolist(), strict=True))
        if not several:
            named = {name: named[name] for name in ("positive", "negative")}
        classes = {
            name: model.class_density(one).marginal(column, given=given, bins=bins)
            for name, one in named.items()
        }
        index = next(iter(classes.values())).index
        values = X[column].dropna().to_numpy()
        if _is_numeric(index):
            counts = np.histogram(values, _edges(index))[0]
        else:
            counts = np.array([(values == label).sum() for label in index])
        colors = colors_of(model) if several else None
        return cls(classes, counts / max(1, counts.sum()), column, colors).plot(ax=ax)

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
        index = next(iter(self.classes.values())).index
        drawn = zip(self.classes.items(), self.colors, strict=True)
        if _is_numeric(index):
            edges = _edges(index)
            width = np.diff(edges)
            ax.stairs(self.observed / width, edges, fill=True, color="#dddddd", label="rows")
            for (name, series), color in drawn:
                ax.stairs(series.to_numpy() / width, edges, color=color, lw=1.5, label=name)
            ax.set(ylabel="density")
        else:
            at, room = np.arange(len(index)), 0.8 / len(self.classes)
            ax.bar(at, self.observed, 0.9, color="#dddddd", label="rows")
            for number, ((name, series), color) in enumerate(drawn):
                shift = (number - (len(self.classes) - 1) / 2) * room
                ax.bar(at + shift, series.to_numpy(), 0.875 * room, color=color, label=name)
            ax.set_xticks(at, [str(label) for label in index])
            ax.set(ylabel="probability")
        ax.set(xlabel=self.name)
        ax.legend(frameon=False, fontsize="small")
        self.ax_, self.figure_ = ax, ax.figure
        return self


class PairDisplay:
    """Joint density of two columns under one class, all others integrated over.

    Parameters
    ----------
    table : pandas.DataFrame
        Probabilities of pairs of intervals or categories.
    names : pair of str
        Names of the columns.
    """

    def __init__(self, table: pd.DataFrame, names: tuple[Any, Any]):
        self.table, self.names = table, names

    @classmethod
    def from_estimator(
        cls,
        model: Any,
        columns: Any,
        *,
        y: Any = None,
        given: Mapping[Any, Any] | None = None,
        bins: int = 40,
        ax: Any = None,
    ) -> Self:
        """Compute and draw the joint density of two columns.

        Parameters
        ----------
        model : LPSClassifier or PUClassifier
            Fitted on a data frame.
        columns : pair of str
            Names of the columns.
        y : default=None
            The class, as it was labeled at fit; None takes the positive one of two.
        given : dict[str, Any], default=None
            Values of other columns, under which the density is taken.
        bins : int
            Intervals that the range of a numeric column is cut into.
        ax : matplotlib axes, default=None
            Where to draw; None makes new axes.

        Returns
        -------
        PairDisplay
            The display, drawn.
        """
        first, second = columns
        if y is None and hasattr(model, "class_scale_"):
            raise ValueError(f"Name the class with y, one of {model.classes_.tolist()[:30]}.")
        y = model.classes_[1] if y is None else y
        table = model.class_density(y).joint(first, second, given=given, bins=bins)
        return cls(table, (first, second)).plot(ax=ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw the probability per unit area, or of the cell.

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
        edges = [
            _edges(index) if _is_numeric(index) else np.arange(len(index) + 1) - 0.5
            for index in (self.table.index, self.table.columns)
        ]
        area = np.outer(np.diff(edges[0]), np.diff(edges[1]))
        mesh = ax.pcolormesh(*edges, (self.table.to_numpy() / area).T, cmap="Oranges", vmin=0)
        for index, axis in ((self.table.index, ax.xaxis), (self.table.columns, ax.yaxis)):
            if not _is_numeric(index):
                axis.set_ticks(np.arange(len(index)), [str(label) for label in index])
        ax.figure.colorbar(mesh, ax=ax, label="density")
        ax.set(xlabel=self.names[0], ylabel=self.names[1])
        self.ax_, self.figure_ = ax, ax.figure
        return self


def _is_numeric(index: pd.Index) -> bool:
    return hasattr(index, "left")


def _edges(index: pd.IntervalIndex) -> np.ndarray:
    return np.append(index.left.to_numpy(), index.right[-1])
