"""Curves from PU labels: ROC, and precision over recall."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from pulps.displays.axes import POSITIVE, axes_or_new
from pulps.io.randomness import Seed
from pulps.metrics.classes import pu_precision_score, pu_recall_score
from pulps.metrics.curves import Band, precision_recall_band, roc_band
from pulps.metrics.ranking import pu_roc_auc_score
from pulps.metrics.rows import Scenario, predicted_positive_rate
from pulps.metrics.scorer import decision_values, positive_class
from pulps.report.curves import honest_rows


def rows_to_score(
    model: Any, X: Any, y: Any, prior: float | None, scenario: Scenario | None
) -> dict[str, Any]:
    """Collect what a curve of a fitted model needs.

    Parameters
    ----------
    model : fitted classifier
        Of pulps, or any other if X, y and a prior are given.
    X : table or array, or None
        Rows that the model has not seen; None takes its honest scores.
    y : array or None
        Their PU labels.
    prior : float or None
        Share of positives in the population; None takes what the model learned.
    scenario : str or None
        How the rows were drawn; None takes the model's.

    Returns
    -------
    dict
        ``y``, ``y_score``, ``prior``, ``scenario``, ``threshold`` and ``prior_draws``.
    """
    if X is None:
        rows = honest_rows(model) if hasattr(model, "threshold_report_") else None
        if rows is None:
            raise ValueError(
                f"This {type(model).__name__} keeps no honest scores. Pass X and y of rows that "
                "it has not seen."
            )
        return {
            "y": rows.y,
            "y_score": rows.score,
            "prior": rows.prior if prior is None else prior,
            "scenario": "case-control",
            "threshold": rows.threshold,
            "prior_draws": rows.draws if prior is None else None,
        }
    if y is None:
        raise ValueError("y is missing: pass the labels of X, 1 for labeled and 0 for unlabeled.")
    prior = getattr(model, "prior_", None) if prior is None else prior
    if prior is None:
        raise ValueError(
            f"{type(model).__name__} knows no share of positives, which the curve rests on. Pass "
            "prior, for instance from pulps.priors.estimate_prior."
        )
    return {
        "y": positive_class(model, y),
        "y_score": decision_values(model, X),
        "prior": prior,
        "scenario": scenario or getattr(model, "scenario", "single-training-set"),
        "threshold": 0.0,
        "prior_draws": None,
    }


class _BandDisplay:
    """A curve with its band, and the point of a cut on it."""

    _labels: tuple[str, str]

    def __init__(
        self, band: Band, *, point: tuple[float, float] | None = None, name: str | None = None
    ):
        self.band, self.point, self.name = band, point, name

    def _plot(self, ax: Any, color: str, about: str) -> Any:
        ax = axes_or_new(ax)
        band = self.band
        ax.fill_between(band.places, band.low, band.high, color=color, alpha=0.18, linewidth=0)
        ax.plot(band.places, band.curve, color=color, label=self.name)
        if self.point is not None:
            ax.plot(*self.point, "o", color="black", markersize=5, label="the cut", zorder=3)
        ax.set(xlim=(0, 1), ylim=(0, 1.02), aspect="equal", title=about)
        ax.set(xlabel=self._labels[0], ylabel=self._labels[1])
        self.ax_, self.figure_ = ax, ax.figure
        return ax


class PURocDisplay(_BandDisplay):
    """ROC curve from PU labels, with a band from resampled rows.

    Parameters
    ----------
    band : Band
        From :func:`pulps.metrics.roc_band`.
    point : pair of float, default=None
        Rates of false and of true positives of a cut, to be marked.
    name : str, default=None
        What the legend calls the curve.
    """

    _labels = ("negatives called positive", "positives called positive (recall)")

    @classmethod
    def from_scores(
        cls,
        y: Any,
        y_score: Any,
        *,
        prior: float,
        scenario: Scenario = "single-training-set",
        threshold: float | None = None,
        prior_draws: np.ndarray | None = None,
        name: str | None = None,
        random_state: Seed = 0,
        ax: Any = None,
    ) -> Self:
        """Compute and draw the curve of scores.

        Parameters
        ----------
        y : array
            PU labels: 1 for a labeled positive, 0 or −1 for an unlabeled row.
        y_score : array
            Scores of the same rows, by a model that has not seen them.
        prior : float
            Share of positives in the population.
        scenario : {"single-training-set", "case-control"}
            How the rows were drawn.
        threshold : float, default=None
            A cut to mark.
        prior_draws : array, default=None
            Priors that are possible; they widen the band.
        name : str, default=None
            What the legend calls the curve; None tells the area.
        random_state : int, RandomState or None
            Seed of the resamples.
        ax : matplotlib axes, default=None
            Where to draw; None makes new axes.

        Returns
        -------
        PURocDisplay
            The display, drawn.
        """
        known: dict[str, Any] = {"prior": prior, "scenario": scenario}
        band = roc_band(y, y_score, prior_draws=prior_draws, random_state=random_state, **known)
        point = None
        if threshold is not None:
            recall = pu_recall_score(y, y_score, threshold=threshold)
            rate = predicted_positive_rate(y, y_score, scenario=scenario, threshold=threshold)
            point = float(np.clip((rate - prior * recall) / (1 - prior), 0, 1)), recall
        if name is None:
            name = f"area {pu_roc_auc_score(y, y_score, **known):.2f}"
        return cls(band, point=point, name=name).plot(ax=ax)

    @classmethod
    def from_estimator(
        cls,
        model: Any,
        X: Any = None,
        y: Any = None,
        *,
        prior: float | None = None,
        scenario: Scenario | None = None,
        name: str | None = None,
        ax: Any = None,
    ) -> Self:
        """Compute and draw the curve of a fitted model.

        Parameters
        ----------
        model : fitted classifier
            Of pulps, or any other if X, y and a prior are given.
        X : table or array, default=None
            Rows that the model has not seen. None takes the honest scores of a
            ``PUClassifier``; the curve is then that among the unlabeled rows.
        y : array, default=None
            PU labels of X.
        prior : float, default=None
            Share of positives in the population; None takes what the model learned.
        scenario : {"single-training-set", "case-control"}, default=None
            How the rows were drawn; None takes the model's.
        name : str, default=None
            What the legend calls the curve; None tells the area.
        ax : matplotlib axes, default=None
            Where to draw; None makes new axes.

        Returns
        -------
        PURocDisplay
            The display, drawn.
        """
        found = rows_to_score(model, X, y, prior, scenario)
        return cls.from_scores(**found, name=name, ax=ax)

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
        ax = self._plot(ax, POSITIVE, "ROC curve, estimated from PU labels")
        ax.plot([0, 1], [0, 1], ":", color="black", linewidth=1, label="chance")
        ax.legend(frameon=False, fontsize="small", loc="lower right")
        return self


class PUPrecisionRecallDisplay(_BandDisplay):
    """Precision over recall from PU labels, with a band from resampled rows.

    Parameters
    ----------
    band : Band
        From :func:`pulps.metrics.precision_recall_band`.
    prior : float
        Share of positives, the precision of random rows.
    point : pair of float, default=None
        Recall and precision of a cut, to be marked.
    name : str, default=None
        What the legend calls the curve.
    """

    _labels = ("positives found (recall)", "called positive and right (precision)")

    def __init__(
        self,
        band: Band,
        prior: float | None,
        *,
        point: tuple[float, float] | None = None,
        name: str | None = None,
    ):
        super().__init__(band, point=point, name=name)
        self.prior = prior

    @classmethod
    def from_scores(
        cls,
        y: Any,
        y_score: Any,
        *,
        prior: float,
        scenario: Scenario = "single-training-set",
        threshold: float | None = None,
        prior_draws: np.ndarray | None = None,
        name: str | None = None,
        random_state: Seed = 0,
        ax: Any = None,
    ) -> Self:
        """Compute and draw the curve of scores.

        Parameters
        ----------
        y, y_score, prior, scenario, threshold, prior_draws, name, random_state, ax
            As in :meth:`PURocDisplay.from_scores`.

        Returns
        -------
        PUPrecisionRecallDisplay
            The display, drawn.
        """
        known: dict[str, Any] = {"prior": prior, "scenario": scenario}
        band = precision_recall_band(
            y, y_score, prior_draws=prior_draws, random_state=random_state, **known
        )
        point = None
        if threshold is not None:
            point = (
                pu_recall_score(y, y_score, threshold=threshold),
                pu_precision_score(y, y_score, threshold=threshold, **known),
            )
        return cls(band, prior, point=point, name=name).plot(ax=ax)

    @classmethod
    def from_estimator(
        cls,
        model: Any,
        X: Any = None,
        y: Any = None,
        *,
        prior: float | None = None,
        scenario: Scenario | None = None,
        name: str | None = None,
        ax: Any = None,
    ) -> Self:
        """Compute and draw the curve of a fitted model.

        Parameters
        ----------
        model, X, y, prior, scenario, name, ax
            As in :meth:`PURocDisplay.from_estimator`.

        Returns
        -------
        PUPrecisionRecallDisplay
            The display, drawn.
        """
        found = rows_to_score(model, X, y, prior, scenario)
        return cls.from_scores(**found, name=name, ax=ax)

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
        self.name = self.name or "precision"
        ax = self._plot(ax, POSITIVE, "Precision over recall, estimated from PU labels")
        ax.axhline(self.prior, linestyle=":", color="black", linewidth=1, label="random rows")
        ax.legend(frameon=False, fontsize="small", loc="lower left")
        return self
