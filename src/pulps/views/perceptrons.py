"""Small perceptrons as arrays: what is left of a network view after a fit."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pulps.views.rows import Rows


@dataclass(frozen=True)
class Perceptrons:
    """Perceptrons with two hidden layers, one per fold.

    Parameters
    ----------
    weights
        Of the three layers: shape (folds, inputs, outputs) each.
    offsets
        Of the three layers: shape (folds, 1, outputs) each.
    """

    weights: list[np.ndarray]
    offsets: list[np.ndarray]

    def score(self, rows: Rows) -> np.ndarray:
        """Mean score over the folds.

        Parameters
        ----------
        rows
            Rows.

        Returns
        -------
        array of shape (rows,)
        """
        n_folds = len(self.weights[0])
        return np.mean([self.score_of_fold(rows, fold) for fold in range(n_folds)], axis=0)

    def score_of_fold(self, rows: Rows, fold: int) -> np.ndarray:
        """Score by the perceptron that did not see a fold.

        Parameters
        ----------
        rows
            Rows.
        fold
            Number of the fold.

        Returns
        -------
        array of shape (rows,)
        """
        weights, offsets = (
            [values[[fold]] for values in part] for part in (self.weights, self.offsets)
        )
        return forward(rows.matrix, weights, offsets)[-1][0, :, 0]


def forward(
    rows: np.ndarray, weights: list[np.ndarray], offsets: list[np.ndarray]
) -> list[np.ndarray]:
    """Values of every layer.

    Parameters
    ----------
    rows
        Shape (rows, inputs).
    weights, offsets
        As in :class:`Perceptrons`.

    Returns
    -------
    list of arrays
        The rows, then shape (folds, rows, outputs) per layer, below zero cut off but for the last.
    """
    layers = [rows]
    for number, (weight, offset) in enumerate(zip(weights, offsets, strict=True)):
        values = layers[-1] @ weight + offset
        layers.append(values if number == len(weights) - 1 else np.maximum(values, 0))
    return layers
