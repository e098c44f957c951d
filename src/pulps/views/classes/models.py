"""What is left of a view after a fit: arrays that give any row a probability per class."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pulps.views.forest import Forest
from pulps.views.kernel_model import kernel_values, squared_distances

ROWS_AT_ONCE, ROWS_OF_POINTS = 4096, 1024
SAME = 1e-9  # distances that differ by this share, or by rounding, are equal


@dataclass(frozen=True)
class LinearClasses:
    """A softmax of linear functions.

    Parameters
    ----------
    slopes
        Shape (columns, classes).
    intercepts
        Shape (classes,); minus infinity for a class that was never seen.
    """

    slopes: np.ndarray
    intercepts: np.ndarray

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
        logits = matrix @ self.slopes + self.intercepts
        odds = np.exp(logits - logits.max(axis=1, keepdims=True))
        return odds / odds.sum(axis=1, keepdims=True)


@dataclass(frozen=True)
class KernelClasses:
    """A softmax of kernel values.

    Parameters
    ----------
    gamma
        Sharpness of the kernel exp(−γ distance²).
    stretch
        How much each column is stretched before distances are taken.
    centers
        Rows that others are compared with.
    linear
        From kernel values to probabilities.
    """

    gamma: float
    stretch: np.ndarray
    centers: np.ndarray
    linear: LinearClasses

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
        values = kernel_values(matrix * self.stretch, self.centers, self.gamma)
        return self.linear.probabilities(values)


@dataclass(frozen=True)
class TreeClasses:
    """Trees whose leaves hold shares of classes.

    Parameters
    ----------
    forest
        The trees; the answer of a leaf is its row in ``shares``.
    shares
        Shape (leaves, classes).
    """

    forest: Forest
    shares: np.ndarray

    def probabilities(self, matrix: np.ndarray) -> np.ndarray:
        """Tell the chance of each class: the mean over trees.

        Parameters
        ----------
        matrix
            Rows, shape (rows, columns).

        Returns
        -------
        array of shape (rows, classes)
        """
        found = np.empty((len(matrix), self.shares.shape[1]))
        for first in range(0, len(matrix), ROWS_AT_ONCE):
            part = slice(first, first + ROWS_AT_ONCE)
            leaves = self.forest.answers(matrix[part]).astype(int)
            total = np.zeros((leaves.shape[1], self.shares.shape[1]))
            for of_tree in leaves:
                total += self.shares[of_tree]
            found[part] = total / len(leaves)
        return found


@dataclass(frozen=True)
class NeighborClasses:
    """Shares of classes that labels have spread to; a row takes the mean of its neighbors.

    Points as far away as the last neighbor are neighbors too, so that neither the order of the
    points nor rounding decides.

    Parameters
    ----------
    points
        Rows that the labels spread between, stretched.
    shares
        What arrived at each of them, shape (points, classes).
    n_neighbors
        Neighbors of a row.
    stretch
        How much each column is stretched before distances are taken.
    """

    points: np.ndarray
    shares: np.ndarray
    n_neighbors: int
    stretch: np.ndarray

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
        found = np.empty((len(matrix), self.shares.shape[1]))
        stretched = matrix * self.stretch
        for first in range(0, len(matrix), ROWS_OF_POINTS):
            rows = stretched[first : first + ROWS_OF_POINTS]
            squares = squared_distances(rows, self.points)
            last = np.partition(squares, self.n_neighbors - 1, axis=1)[:, self.n_neighbors - 1]
            rounding = SAME**1.5 * (1 + np.einsum("ij,ij->i", rows, rows))
            near = (squares <= (last * (1 + SAME) + rounding)[:, None]).astype(float)
            near /= near.sum(axis=1, keepdims=True)
            found[first : first + ROWS_OF_POINTS] = near @ self.shares
        return found
