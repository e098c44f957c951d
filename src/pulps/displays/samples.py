"""Rows that were drawn, beside those that were given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from pulps.displays.axes import CLASS_POSITIONS, NEGATIVE, POSITIVE, UNLABELED, network_of
from pulps.io.optional import needs

REJECTED_POSITIVE, REJECTED_NEGATIVE = "#c0392b", "#b5b5b5"


class SampleDisplay:
    """Training rows above, generated rows below, over two numeric attributes.

    Parameters
    ----------
    training : array of shape (rows, 2)
        Training rows.
    labeled : boolean array
        Which of them are labeled.
    generated : dict
        For each of ``"positive"`` and ``"negative"`` a pair: rows of shape (rows, 2), and
        which of them were accepted.
    names : pair of str
        Names of the attributes.
    """

    def __init__(
        self,
        training: np.ndarray,
        labeled: np.ndarray,
        generated: dict[str, tuple[np.ndarray, np.ndarray]],
        names: tuple[str, ...],
    ):
        self.training, self.labeled = np.asarray(training), np.asarray(labeled, dtype=bool)
        self.generated, self.names = generated, names

    @classmethod
    def from_estimator(
        cls,
        model: Any,
        X: Any,
        y: Any,
        attributes: Sequence[str],
        *,
        n_samples: int = 500,
        accept: float = 0.0,
        random_state: int | np.random.RandomState | None = None,
        axes: Any = None,
    ) -> Self:
        """Draw rows of both classes and show them under the training rows.

        Parameters
        ----------
        model : LPSClassifier or PUClassifier
            Fitted on a data frame.
        X, y : data frame and labels
            Training rows, with labels as at fit.
        attributes : pair of str
            Two numeric columns.
        n_samples : int
            Number of rows to draw from each class.
        accept : float
            A row is accepted if the log-ratio of every member, in favor of its class,
            exceeds this number.
        random_state : int, RandomState or None
            Source of the draws.
        axes : pair of matplotlib axes, default=None
            Where to draw; None makes new axes.

        Returns
        -------
        SampleDisplay
            The display, drawn.
        """
        network, columns = network_of(model), list(attributes)
        generated = {}
        for name, position in CLASS_POSITIONS.items():
            rows = network.sample(
                n_samples, y=network.classes_[position], states=True, random_state=random_state
            )
            ratios = network.log_ratios(rows) * (1 if name == "positive" else -1)
            generated[name] = rows[columns].to_numpy(), ratios.min(axis=0) > accept
        labeled = np.asarray(y) == model.classes_[CLASS_POSITIONS["positive"]]
        return cls(X[columns].to_numpy(), labeled, generated, tuple(columns)).plot(axes=axes)

    def plot(self, axes: Any = None) -> Self:
        """Draw on two axes, or on new ones.

        Parameters
        ----------
        axes : pair of matplotlib axes, default=None
            For the training rows and the generated rows; None makes new axes.

        Returns
        -------
        self
            With ``axes_`` and ``figure_``.
        """
        if axes is None:
            with needs("plot", "Drawing"):
                import matplotlib.pyplot as plt

            axes = plt.subplots(2, 1, figsize=(4, 7), layout="constrained")[1]
        above, below = axes
        self.plot_training(above)
        self.plot_generated(below)
        below.set(xlim=above.get_xlim(), ylim=above.get_ylim())
        self.axes_, self.figure_ = (above, below), above.figure
        return self

    def plot_training(self, ax: Any) -> None:
        """Draw the training rows: unlabeled ones gray, labeled ones blue.

        Parameters
        ----------
        ax : matplotlib axes
            Where to draw.
        """
        ax.scatter(*self.training[~self.labeled].T, s=5, color=UNLABELED, label="unlabeled")
        ax.scatter(*self.training[self.labeled].T, s=9, color=NEGATIVE, label="labeled positive")
        ax.set(ylabel=self.names[1])

    def plot_generated(self, ax: Any) -> None:
        """Draw the generated rows: circles if accepted, dots if not.

        Parameters
        ----------
        ax : matplotlib axes
            Where to draw.
        """
        for name, accepted_color, rejected_color in (
            ("negative", NEGATIVE, REJECTED_NEGATIVE),
            ("positive", POSITIVE, REJECTED_POSITIVE),
        ):
            rows, accepted = self.generated[name]
            ax.scatter(*rows[~accepted].T, s=2, color=rejected_color, label=f"rejected {name}")
            circles = {"facecolor": "none", "edgecolor": accepted_color, "linewidth": 0.7}
            ax.scatter(*rows[accepted].T, s=9, label=f"accepted {name}", **circles)
        ax.set(xlabel=self.names[0], ylabel=self.names[1])
