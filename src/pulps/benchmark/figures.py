"""The two figures: critical-difference diagram, and agreement against test score.

A figure is a Display: computed once, drawn at will. Files are written without dates and
random ids, so the same records give the same bytes.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from pulps.benchmark.averages import MEASURES
from pulps.benchmark.comparison import COMPARED, score_matrix
from pulps.benchmark.methods import title
from pulps.benchmark.stats import Spearman, average_ranks, critical_difference, nemenyi, spearman
from pulps.benchmark.tables import agreement_points
from pulps.io.optional import needs
from pulps.io.pictures import save_figure


@dataclass
class CriticalDifferenceDisplay:
    """Average ranks of several methods; bars join those a Nemenyi test cannot separate."""

    ranks: pd.Series
    p_values: pd.DataFrame
    critical_difference: float
    alpha: float = 0.05

    @classmethod
    def from_scores(
        cls, scores: pd.DataFrame, *, alpha: float = 0.05, ax: Any = None
    ) -> CriticalDifferenceDisplay:
        """Compute and draw from a table of scores.

        Parameters
        ----------
        scores
            One row per task, one column per method; larger is better.
        alpha
            Level of significance.
        ax
            Axes to draw on; None makes new ones.

        Returns
        -------
        CriticalDifferenceDisplay
            The display, drawn.
        """
        display = cls(
            average_ranks(scores),
            nemenyi(scores),
            critical_difference(scores.shape[1], scores.shape[0], alpha),
            alpha,
        )
        return display.plot(ax=ax)

    def plot(self, ax: Any = None) -> CriticalDifferenceDisplay:
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
        with needs("bench", "A critical difference diagram"):
            from scikit_posthocs import critical_difference_diagram

        self.ax_ = ax if ax is not None else _new_axes(7, 0.4 + 0.35 * len(self.ranks))
        self.figure_ = self.ax_.figure
        drawn = critical_difference_diagram(
            self.ranks, self.p_values, alpha=self.alpha, ax=self.ax_, text_h_margin=0.05
        )
        for (bar,) in drawn["crossbars"]:  # its points come in the order of a set of names
            bar.set_xdata(sorted(bar.get_xdata()))
        self.ax_.set_title(
            f"average rank, critical difference {self.critical_difference:.2f}", fontsize=9
        )
        return self


@dataclass
class AgreementDisplay:
    """Agreement of the members against the test score, for one data set."""

    agreement: pd.Series
    score: pd.Series
    name: str
    measure: str
    correlation: Spearman

    @classmethod
    def from_records(
        cls, points: pd.DataFrame, *, name: str, measure: str = "f1_pos", ax: Any = None
    ) -> AgreementDisplay:
        """Compute and draw from records that have an agreement.

        Parameters
        ----------
        points
            Records that have an agreement.
        name
            Name of the data set.
        measure
            Name of a score, such as ``"f1_pos"``.
        ax
            Axes to draw on; None makes new ones.

        Returns
        -------
        AgreementDisplay
            The display, drawn.
        """
        correlation = spearman(points["agreement"], points[measure])
        display = cls(points["agreement"], points[measure], name, measure, correlation)
        return display.plot(ax=ax)

    def plot(self, ax: Any = None) -> AgreementDisplay:
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
        self.ax_ = ax if ax is not None else _new_axes(3, 3)
        self.figure_ = self.ax_.figure
        self.ax_.scatter(self.agreement, self.score, s=12, alpha=0.7)
        rho = self.correlation.rho
        known = f"ρ = {rho:.2f}" if rho == rho else "ρ undefined"
        self.ax_.set_title(f"{self.name}, {known}", fontsize=9)
        self.ax_.set_xlabel("agreement", fontsize=8)
        self.ax_.set_ylabel(MEASURES[self.measure], fontsize=8)
        self.ax_.tick_params(labelsize=7)
        return self


def write_figures(records: pd.DataFrame, out: Path, *, suffix: str = "svg") -> list[Path]:
    """Write every figure that the records allow.

    Parameters
    ----------
    records
        Records of the store, one row per record.
    out
        Folder to write into.
    suffix
        Kind of file.

    Returns
    -------
    list of Path
        The files.
    """
    out.mkdir(parents=True, exist_ok=True)
    written: list[Path] = []
    if records.empty:
        return written
    for measure in COMPARED:
        scores = score_matrix(records, measure).rename(columns=title)
        if scores.shape[1] > 2 and scores.shape[0] > 1:
            display = CriticalDifferenceDisplay.from_scores(scores)
            path = out / f"ranks-{measure.replace('_', '-')}.{suffix}"
            written.append(save_figure(display.figure_, path))
    points = agreement_points(records)
    for method in dict.fromkeys(method for method, _, _ in points):
        path = out / f"agreement-{method.replace(':', '-')}.{suffix}"
        written.append(save_figure(_agreement_grid(method, points), path))
    return written


def _agreement_grid(method: str, points: list[tuple[str, str, pd.DataFrame]]) -> Any:
    with needs("plot", "Drawing"):
        from matplotlib.figure import Figure

    panels = [(name, rows) for other, name, rows in points if other == method]
    n_columns = min(5, len(panels))
    n_rows = -(-len(panels) // n_columns)
    figure = Figure(figsize=(2.4 * n_columns, 2.4 * n_rows), layout="constrained")
    axes = figure.subplots(n_rows, n_columns, squeeze=False).ravel()
    for ax, (name, rows) in zip(axes, panels, strict=False):
        AgreementDisplay.from_records(rows, name=name, ax=ax)
    for ax in axes[len(panels) :]:
        ax.set_axis_off()
    figure.suptitle(title(method), fontsize=10)
    return figure


def _new_axes(width: float, height: float) -> Any:
    with needs("plot", "Drawing"):
        from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained").subplots()
