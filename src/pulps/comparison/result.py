"""What a comparison found: a table, advice in words, and a picture."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
import pandas as pd

from pulps.comparison.contenders import NAIVE
from pulps.decision.selection import ENOUGH_LABELS
from pulps.displays.axes import NEUTRAL, POSITIVE, axes_or_new
from pulps.io.shares import percent

SURE, LIKELY = 0.95, 0.8  # chances to be best


@dataclass(frozen=True, repr=False)
class Comparison:
    """Methods on one table, the best first.

    Parameters
    ----------
    table : pandas.DataFrame
        One row per method. ``auc`` with ``auc_low`` and ``auc_high``: area under the ROC curve,
        and where nine in ten resamples lie. ``labeled_auc``: the same of labeled against
        unlabeled rows, without a prior. ``behind``: how far the method is behind the best, with
        ``behind_low`` and ``behind_high``. ``chance_best``: share of the resamples in which it is
        best. ``f1``: F1 of its classes. ``called_positive``: share of the unlabeled rows.
        ``prior`` with ``prior_low`` and ``prior_high``: share of positives that its scores tell.
        ``seconds``: time of a fit.
    prior : float
        Share of positives in the population that areas and F1 rest on.
    prior_of_unlabeled : float
        The same among the unlabeled rows.
    prior_interval : pair of float
        Between which shares the latter lies; the same number twice if the prior was given.
    scores : dict of arrays
        Honest scores of every method: the share of the fold's unlabeled rows below each row.
    labeled : array of bool
        Which rows are labeled.
    """

    table: pd.DataFrame
    prior: float
    prior_of_unlabeled: float
    prior_interval: tuple[float, float]
    scores: dict[str, np.ndarray]
    labeled: np.ndarray

    @property
    def best(self) -> str:
        """Name of the method with the largest area."""
        return str(self.table.index[0])

    @property
    def chance(self) -> float:
        """Share of the resamples in which the best method is best."""
        return float(self.table["chance_best"].iloc[0])

    @property
    def advice(self) -> str:
        """Which method to take, how sure that is, and what the naive way would do."""
        return " ".join([self._which(), *self._naive(), *self._doubt()])

    def _which(self) -> str:
        first = self.table.iloc[0]
        area = f"area {first['auc']:.3f}, {first['auc_low']:.3f} to {first['auc_high']:.3f}"
        told = f"best in {self.chance:.0%} of the resamples"
        if self.chance >= SURE:
            return f"Take {self.best} ({area}): it is {told}."
        if self.chance >= LIKELY:
            return f"Take {self.best} ({area}): it is probably the best, {told}."
        close = self.table.index[(self.table["behind_low"] <= 0)][1:]
        alike = f" {_listed(close)} may be as good." if len(close) else ""
        return (
            f"There is no clear winner. {self.best} ({area}) is {told}.{alike} Take it, or the "
            "one you know best; more labels would tell."
        )

    def _naive(self) -> list[str]:
        if NAIVE not in self.table.index or self.best == NAIVE:
            return ["The naive way is no worse here."] if self.best == NAIVE else []
        naive = self.table.loc[NAIVE]
        gap = f"{naive['behind']:.3f}, {naive['behind_low']:.3f} to {naive['behind_high']:.3f}"
        low, high = self.prior_interval
        between = f" ({percent(low)} to {percent(high)})" if low < high else ""
        ranks = "ranks worse" if naive["behind_low"] > 0 else "may rank as well"
        return [
            f"The {NAIVE} {ranks} (behind by {gap}) and calls "
            f"{percent(naive['called_positive'])} of the unlabeled rows positive, where about "
            f"{percent(self.prior_of_unlabeled)}{between} are."
        ]

    def _doubt(self) -> list[str]:
        n_labeled = int(self.labeled.sum())
        if n_labeled >= ENOUGH_LABELS:
            return []
        return [
            f"All of this rests on {n_labeled} labeled rows, which say little: label at least "
            f"{ENOUGH_LABELS} if you can."
        ]

    def shown(self) -> pd.DataFrame:
        """Return the table as people read it.

        Returns
        -------
        pandas.DataFrame
            Text.
        """
        table = self.table

        def between(name: str) -> list[str]:
            columns = table[[name, f"{name}_low", f"{name}_high"]].to_numpy()
            return [f"{mid:.3f} ({low:.3f} to {high:.3f})" for mid, low, high in columns]

        return pd.DataFrame(
            {
                "area": between("auc"),
                "best in": [f"{chance:.0%}" for chance in table["chance_best"]],
                "F1": [f"{score:.3f}" for score in table["f1"]],
                "called positive": [percent(share) for share in table["called_positive"]],
                "prior": between("prior"),
                "seconds": [f"{seconds:.1f}" for seconds in table["seconds"]],
            },
            index=table.index,
        )

    def __repr__(self) -> str:
        """Show the table and the advice."""
        return f"{self.shown().to_string()}\n{self.advice}"

    def _repr_html_(self) -> str:
        return f"{self.shown().to_html()}<p>{escape(self.advice)}</p>"

    def plot(self, ax: Any = None) -> Any:
        """Draw areas with their intervals, the best on top.

        Parameters
        ----------
        ax : matplotlib axes, default=None
            Where to draw; None makes new axes.

        Returns
        -------
        matplotlib axes
        """
        ax = axes_or_new(ax)
        table = self.table.iloc[::-1]
        for place, (name, row) in enumerate(table.iterrows()):
            color = POSITIVE if name == self.best else NEUTRAL
            ax.plot([row["auc_low"], row["auc_high"]], [place, place], color=color, linewidth=2)
            ax.plot(row["auc"], place, "o", color=color)
            ax.annotate(
                f"best in {row['chance_best']:.0%}, {row['seconds']:.1f} s",
                (1.02, place),
                xycoords=("axes fraction", "data"),
                va="center",
                fontsize="small",
            )
        ax.set_yticks(range(len(table)), table.index)
        ax.axvline(0.5, color="black", linewidth=1, linestyle=":")
        low = min(0.5, float(table["auc_low"].min()))
        ax.set(xlim=(max(0.0, low - 0.02), 1.005), ylim=(-0.6, len(table) - 0.4))
        ax.set(xlabel="area under the ROC curve, honest; nine in ten resamples")
        ax.set_title("Which method ranks best on this table")
        return ax


def _listed(names: pd.Index) -> str:
    words = [str(name) for name in names]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
