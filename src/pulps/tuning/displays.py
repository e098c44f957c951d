"""Pictures of a search; each Display is computed once and can be drawn again."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from pulps.io.optional import needs


class SearchHistoryDisplay:
    """Scores in the order of the trials, and the best so far.

    Parameters
    ----------
    scores : array
        Mean score of every finished trial, NaN where it failed.
    complete : array of bool
        Which trials were neither pruned nor failed.
    objective : str
        What the scores are.
    """

    def __init__(self, scores: np.ndarray, complete: np.ndarray, objective: str):
        self.scores, self.complete, self.objective = scores, complete, objective

    @classmethod
    def from_search(cls, search: Any, *, ax: Any = None) -> Self:
        """Draw a fitted ``AgreementSearch``.

        Parameters
        ----------
        search
            A fitted search.
        ax
            Axes to draw on; None makes new ones.

        Returns
        -------
        SearchHistoryDisplay
            The display, drawn.
        """
        results = search.cv_results_
        name = getattr(search.objective, "__name__", search.objective)
        return cls(
            results["mean_test_score"].to_numpy(float),
            (results["state"] == "COMPLETE").to_numpy(),
            name,
        ).plot(ax=ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw on the given axes, or on new ones.

        Parameters
        ----------
        ax
            Axes to draw on; None makes new ones.

        Returns
        -------
        self
            With ``ax_`` and ``figure_``.
        """
        ax = _axes(ax)
        number = np.arange(1, len(self.scores) + 1)
        ax.scatter(number[self.complete], self.scores[self.complete], s=14, label="trial")
        others = ~self.complete & np.isfinite(self.scores)
        ax.scatter(number[others], self.scores[others], s=14, marker="x", label="pruned")
        best = np.maximum.accumulate(np.where(self.complete, self.scores, -np.inf))
        shown = np.isfinite(best)
        ax.step(number[shown], best[shown], where="post", color="black", label="best so far")
        ax.set(xlabel="trial", ylabel=self.objective, title="Search")
        ax.legend(frameon=False, fontsize="small")
        self.ax_, self.figure_ = ax, ax.figure
        return self


class SearchParameterDisplay:
    """Scores against the values of one parameter.

    Parameters
    ----------
    values : array
        Value of the parameter in every complete trial.
    scores : array
        Mean score of these trials.
    name, objective : str
        Names of the parameter and of the score.
    """

    def __init__(self, values: Any, scores: np.ndarray, name: str, objective: str):
        self.values, self.scores = values, scores
        self.name, self.objective = name, objective

    @classmethod
    def from_search(cls, search: Any, name: str, *, ax: Any = None) -> Self:
        """Draw one parameter of a fitted ``AgreementSearch``.

        Parameters
        ----------
        search
            A fitted search.
        name
            Name of the parameter.
        ax
            Axes to draw on; None makes new ones.

        Returns
        -------
        SearchParameterDisplay
            The display, drawn.
        """
        results = search.cv_results_
        if f"param_{name}" not in results:
            known = [c.removeprefix("param_") for c in results if c.startswith("param_")]
            raise ValueError(f"{name!r} was not searched; {', '.join(known)} were.")
        complete = results[results["state"] == "COMPLETE"]
        return cls(
            complete[f"param_{name}"].to_numpy(),
            complete["mean_test_score"].to_numpy(float),
            name,
            getattr(search.objective, "__name__", search.objective),
        ).plot(ax=ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw on the given axes, or on new ones.

        Parameters
        ----------
        ax
            Axes to draw on; None makes new ones.

        Returns
        -------
        self
            With ``ax_`` and ``figure_``.
        """
        ax = _axes(ax)
        numeric = np.issubdtype(self.values.dtype, np.number)
        values = self.values if numeric else self.values.astype(str)
        ax.scatter(values, self.scores, s=14, alpha=0.8)
        ax.set(xlabel=self.name, ylabel=self.objective)
        self.ax_, self.figure_ = ax, ax.figure
        return self


def _axes(ax: Any) -> Any:
    if ax is not None:
        return ax
    with needs("plot", "Drawing"):
        from matplotlib.figure import Figure

    return Figure(figsize=(5, 3.5), layout="constrained").subplots()
