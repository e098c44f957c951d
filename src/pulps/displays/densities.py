"""What a network knows of each class: densities of one column, and of two."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
import pandas as pd

from pulps.displays.axes import NEGATIVE, POSITIVE, axes_or_new


class MarginalDisplay:
    """Density of one column under each class, over the histogram of the rows.

    Parameters
    ----------
    positive, negative : pandas.Series
        Probabilities of intervals or categories.
    observed : array
        Shares of the rows in the same intervals or categories.
    name : str
        Name of the column.
    """

    def __init__(self, positive: pd.Series, negative: pd.Series, observed: Any, name: str):
        self.positive, self.negative, self.observed = positive, negative, np.asarray(observed)
        self.name = name

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
        model : LPSClassifier or PUClassifier
            Fitted on a data frame.
        X : data frame
            Rows for the histogram.
        column : str
            Name of the column.
        given : dict, default=None
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
        positive, negative = (
            model.class_density(model.classes_[position]).marginal(column, given=given, bins=bins)
            for position in (1, 0)
        )
        values = X[column].dropna().to_numpy()
        if _is_numeric(positive.index):
            counts = np.histogram(values, _edges(positive.index))[0]
        else:
            counts = np.array([(values == label).sum() for label in positive.index])
        return cls(positive, negative, counts / max(1, counts.sum()), column).plot(ax=ax)

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
        classes = ((self.positive, POSITIVE, "positive"), (self.negative, NEGATIVE, "negative"))
        if _is_numeric(self.positive.index):
            edges = _edges(self.positive.index)
            width = np.diff(edges)
            ax.stairs(self.observed / width, edges, fill=True, color="#dddddd", label="rows")
            for series, color, name in classes:
                ax.stairs(series.to_numpy() / width, edges, color=color, lw=1.5, label=name)
            ax.set(ylabel="density")
        else:
            at = np.arange(len(self.positive))
            ax.bar(at, self.observed, 0.9, color="#dddddd", label="rows")
            for shift, (series, color, name) in zip((-0.2, 0.2), classes, strict=True):
                ax.bar(at + shift, series.to_numpy(), 0.35, color=color, label=name)
            ax.set_xticks(at, [str(label) for label in self.positive.index])
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
            The class, as it was labeled at fit; None takes the positive one.
        given : dict, default=None
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
