"""What each attribute adds to the decision: on one row, and on many."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from pulps.displays.axes import NEGATIVE, NEUTRAL, POSITIVE, axes_or_new
from pulps.estimators.questions.explanation import Explanation
from pulps.io.optional import needs
from pulps.io.plain import cell

MOST_BARS, MOST_LINES = 10, 12
LONGEST_CELL = 20


class WaterfallDisplay:
    """From what is decided if nothing is known to the decision on one row, bar by bar.

    Parameters
    ----------
    explanation : Explanation
        From ``explain`` of a model.
    row : int, default=0
        Which of the rows that were explained, from 0.
    """

    def __init__(self, explanation: Explanation, row: int = 0) -> None:
        self.explanation = explanation
        self.row = row
        told = explanation.row(row)
        bars = [
            (_named(name, one), float(adds))
            for name, one, adds in zip(told.index, told["cell"], told["adds"], strict=True)
        ]
        if len(bars) > MOST_BARS:
            rest = bars[MOST_BARS - 1 :]
            bars = bars[: MOST_BARS - 1]
            bars.append((f"{len(rest)} other attributes", sum(adds for _, adds in rest)))
        self.bars = bars

    @classmethod
    def from_estimator(
        cls, model: Any, X: Any, *, row: int = 0, ax: Any = None, **options: Any
    ) -> Self:
        """Explain a row and draw it.

        Parameters
        ----------
        model : PUClassifier or LPSClassifier
            A fitted model.
        X : table or array
            Rows of the same kind as in ``fit``; only one of them is explained.
        row : int, default=0
            Which of the rows, from 0.
        ax : matplotlib axes, default=None
            Where to draw; None makes new axes.
        **options
            Passed on to ``explain``.

        Returns
        -------
        WaterfallDisplay
            The display, drawn.
        """
        one = X.iloc[[row]] if hasattr(X, "iloc") else X[row : row + 1]
        return cls(model.explain(one, **options)).plot(ax=ax)

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
        adds = np.array([one for _, one in self.bars])
        base = self.explanation.base
        # The smallest comes first, from below, so that the largest ends at the decision, on top.
        ends = base + np.cumsum(adds[::-1])
        starts = np.concatenate([[base], ends[:-1]])
        at = np.arange(len(adds))
        colors = np.where(adds[::-1] > 0, POSITIVE, NEGATIVE)
        ax.barh(at, ends - starts, 0.6, left=starts, color=colors)
        for place, (start, end) in enumerate(zip(starts, ends, strict=True)):
            right = end >= start
            ax.annotate(
                f"{end - start:+.2f}",
                (end, place),
                (4 if right else -4, 0),
                textcoords="offset points",
                ha="left" if right else "right",
                va="center",
                fontsize="small",
            )
        ax.vlines(ends[:-1], at[:-1] + 0.3, at[1:] - 0.3, color=NEUTRAL, linewidth=0.8)
        ax.axvline(base, color=NEUTRAL, linewidth=1, linestyle=":")
        ax.axvline(0, color="black", linewidth=1)
        ax.set_yticks(at, [name for name, _ in self.bars][::-1])
        decision = float(self.explanation.decision[self.row])
        ax.set(
            xlabel="decision; above 0 means positive",
            title=f"{decision:+.2f}: from {base:+.2f} if nothing is known",
        )
        ax.use_sticky_edges = False
        ax.margins(x=0.15)
        self.ax_, self.figure_ = ax, ax.figure
        return self


class BeeswarmDisplay:
    """What each attribute adds on many rows, one point per row, the largest on top.

    Numbers are colored by where they lie between the smallest and the largest of the fit;
    categories and missing cells are gray.

    Parameters
    ----------
    explanation : Explanation
        From ``explain`` of a model.
    """

    def __init__(self, explanation: Explanation) -> None:
        self.explanation = explanation

    @classmethod
    def from_estimator(cls, model: Any, X: Any, *, ax: Any = None, **options: Any) -> Self:
        """Explain rows and draw them.

        Parameters
        ----------
        model : PUClassifier or LPSClassifier
            A fitted model.
        X : table or array
            Rows of the same kind as in ``fit``.
        ax : matplotlib axes, default=None
            Where to draw; None makes new axes.
        **options
            Passed on to ``explain``.

        Returns
        -------
        BeeswarmDisplay
            The display, drawn.
        """
        return cls(model.explain(X, **options)).plot(ax=ax)

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
        with needs("plot", "Drawing"):
            from matplotlib.colors import LinearSegmentedColormap

        ax = axes_or_new(ax)
        found = self.explanation
        order = np.argsort(-np.abs(found.values).mean(axis=0), kind="stable")[:MOST_LINES][::-1]
        colors = LinearSegmentedColormap.from_list("low to high", [NEGATIVE, "#d9d9d9", POSITIVE])
        drawn: Any = None
        for line, attribute in enumerate(order.tolist()):
            adds, places = found.values[:, attribute], found.places[:, attribute]
            heights = line + _spread(adds)
            colored = ~np.isnan(places)
            ax.scatter(adds[~colored], heights[~colored], 12, color=NEUTRAL, linewidths=0)
            if colored.any():
                points = adds[colored], heights[colored], 12, places[colored]
                drawn = ax.scatter(*points, cmap=colors, vmin=0, vmax=1, linewidths=0)
        ax.axvline(0, color="black", linewidth=1)
        ax.set_yticks(np.arange(len(order)), [found.names[one] for one in order])
        ax.set(xlabel="added to the decision", title=f"{len(found)} rows")
        if drawn is not None:
            bar = ax.figure.colorbar(drawn, ax=ax, ticks=[0, 1], shrink=0.6)
            bar.ax.set_yticklabels(["smallest", "largest"])
        self.ax_, self.figure_ = ax, ax.figure
        return self


def _named(name: str, value: Any) -> str:
    text = cell(value)
    text = text if len(text) <= LONGEST_CELL else text[: LONGEST_CELL - 1] + "…"
    return f"{name} = {text}" if text else f"{name} (missing)"


def _spread(numbers: np.ndarray) -> np.ndarray:
    """Move points that would lie upon each other up and down in turns, within 0.4."""
    low, high = numbers.min(), numbers.max()
    bins = np.floor((numbers - low) / ((high - low) or 1) * 60).astype(int)
    order = np.argsort(bins, kind="stable")
    _, first, counts = np.unique(bins[order], return_index=True, return_counts=True)
    turn = np.arange(len(numbers)) - np.repeat(first, counts)
    heights = np.empty(len(numbers))
    heights[order] = (turn + 1) // 2 * np.where(turn % 2, 1, -1)
    return 0.4 * heights / max(np.abs(heights).max(), 8)
