"""What is left of a consensus after a fit: the views on one scale, and scores of any rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from pulps.tables.matrix import MatrixForm
from pulps.views.rows import Rows
from pulps.views.scale import NormalScale

ROWS_AT_ONCE = 65_536


class Scorer(Protocol):
    """What a fitted view keeps: it scores any rows, larger means more positive."""

    def score(self, rows: Rows) -> np.ndarray:
        """Score rows.

        Parameters
        ----------
        rows
            Rows.

        Returns
        -------
        array of shape (rows,)
        """


@dataclass(frozen=True)
class Opinion:
    """A fitted view: how it scores rows, on which scale, and how much it counts.

    Parameters
    ----------
    name
        Name of the view.
    model
        Scores rows (:class:`pulps.views.catalog.Scorer`).
    scale
        From its scores to normal scores.
    weight
        Share in the consensus.
    area
        Chance that it honestly scores a labeled row above an unlabeled one.
    """

    name: str
    model: Scorer
    scale: NormalScale
    weight: float
    area: float


@dataclass(frozen=True)
class Consensus:
    """What several views say together.

    Parameters
    ----------
    form
        From encoded rows to the matrix that views see.
    opinions
        The fitted views.
    mean, deviation
        Of the weighted mean of normal scores over the unlabeled training rows.
    gaps
        Where honest scores leave a gap, see :func:`pulps.views.gaps.find_gaps`.
    """

    form: MatrixForm
    opinions: Sequence[Opinion]
    mean: float
    deviation: float
    gaps: np.ndarray

    def score(self, values: np.ndarray) -> np.ndarray:
        """Score encoded rows; the unlabeled training rows have mean zero and deviation one.

        Parameters
        ----------
        values
            Encoded rows, NaN where missing.

        Returns
        -------
        array of shape (rows,)
        """
        return self.together(self.each(values))

    def together(self, each: np.ndarray) -> np.ndarray:
        """Average what every view says.

        Parameters
        ----------
        each
            From :meth:`each`, shape (views, rows).

        Returns
        -------
        array of shape (rows,)
            On the scale of :meth:`score`.
        """
        weights = np.array([opinion.weight for opinion in self.opinions])
        return (weights @ each - self.mean) / self.deviation

    def each(self, values: np.ndarray) -> np.ndarray:
        """Return normal scores by every view alone.

        Parameters
        ----------
        values
            Encoded rows, NaN where missing.

        Returns
        -------
        array of shape (views, rows)
        """
        parts = []
        for first in range(0, len(values), ROWS_AT_ONCE):
            rows = Rows.of(values[first : first + ROWS_AT_ONCE], self.form)
            parts.append([opinion.scale(opinion.model.score(rows)) for opinion in self.opinions])
        return np.concatenate(parts, axis=1) if parts else np.empty((len(self.opinions), 0))
