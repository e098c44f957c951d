"""What is left of the views of several classes after a fit: probabilities of any rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from pulps.tables.matrix import MatrixForm
from pulps.views.classes.sureness import moved, sharpened
from pulps.views.opinions import Consensus

ROWS_AT_ONCE = 65_536


class ClassScorer(Protocol):
    """What a fitted view keeps."""

    def probabilities(self, matrix: np.ndarray) -> np.ndarray:
        """Tell the chance of each class.

        Parameters
        ----------
        matrix
            Rows, shape (rows, columns).

        Returns
        -------
        array of shape (rows, classes)
        """


@dataclass(frozen=True)
class ClassOpinion:
    """A fitted view of classes: how it scores rows, how sure it may be, and how much it counts.

    Parameters
    ----------
    name
        Name of the view.
    model
        Gives probabilities (:class:`ClassScorer`).
    temperature
        Factor of its log-probabilities.
    weight
        Share in the consensus.
    accuracy
        Share of held-out labels that it finds; NaN if none could be held out.
    """

    name: str
    model: ClassScorer
    temperature: float
    weight: float
    accuracy: float


@dataclass(frozen=True)
class ClassConsensus:
    """What several views say of the classes together.

    Parameters
    ----------
    form
        From encoded rows to the matrix that views see.
    opinions
        The fitted views.
    temperature
        Factor of the log-probabilities of their mean.
    offsets
        Added to the log-probabilities of each class.
    """

    form: MatrixForm
    opinions: Sequence[ClassOpinion]
    temperature: float
    offsets: np.ndarray

    def probabilities(self, values: np.ndarray) -> np.ndarray:
        """Tell the chance of each class.

        Parameters
        ----------
        values
            Encoded rows, NaN where missing.

        Returns
        -------
        array of shape (rows, classes)
        """
        parts = [np.empty((0, len(self.offsets)))]
        for first in range(0, len(values), ROWS_AT_ONCE):
            each = self.each(values[first : first + ROWS_AT_ONCE])
            weights = np.array([opinion.weight for opinion in self.opinions])
            parts.append(self.adjusted(np.tensordot(weights, each, 1)))
        return np.concatenate(parts)

    def adjusted(self, mean: np.ndarray) -> np.ndarray:
        """Make the mean of the views as sure as it may be, and mind the shares of classes.

        Parameters
        ----------
        mean
            Shape (rows, classes).

        Returns
        -------
        array of the same shape
        """
        return moved(sharpened(mean, self.temperature), self.offsets)

    def each(self, values: np.ndarray) -> np.ndarray:
        """Return the probabilities by every view alone.

        Parameters
        ----------
        values
            Encoded rows, NaN where missing.

        Returns
        -------
        array of shape (views, rows, classes)
        """
        matrix = self.form.write(values)
        return np.stack(
            [
                sharpened(opinion.model.probabilities(matrix), opinion.temperature)
                for opinion in self.opinions
            ]
        )


@dataclass(frozen=True)
class OpenConsensus:
    """Whether a row is like any labeled one, and if so, of which class.

    Parameters
    ----------
    like_labeled
        Tells labeled from unlabeled rows.
    cut, slope
        Where its score says that a row is as likely like a labeled one as not, and how sure it is
        away from there.
    classes
        Tells the labeled classes apart; None if there is only one.
    """

    like_labeled: Consensus
    cut: float
    slope: float
    classes: ClassConsensus

    def probabilities(self, values: np.ndarray) -> np.ndarray:
        """Tell the chance of each class, that without labels last.

        Parameters
        ----------
        values
            Encoded rows, NaN where missing.

        Returns
        -------
        array of shape (rows, classes)
        """
        scores = self.like_labeled.score(values)
        return self.together(scores, self.classes.probabilities(values))

    def together(self, scores: np.ndarray, of_labeled: np.ndarray) -> np.ndarray:
        """Multiply the chance to be like a labeled row with that of each of their classes.

        Parameters
        ----------
        scores
            By ``like_labeled``.
        of_labeled
            Chance of each labeled class, shape (rows, labeled classes).

        Returns
        -------
        array of shape (rows, classes)
        """
        like = np.exp(-np.logaddexp(0, -self.slope * (scores - self.cut)))[:, None]
        return np.hstack([like * of_labeled, 1 - like])
