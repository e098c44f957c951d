"""What is left of a view after a fit: arrays that give any row a probability per class."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import softmax
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.neighbors import NearestNeighbors

from pulps.views.forest import Forest

ROWS_AT_ONCE = 4096


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
        return softmax(matrix @ self.slopes + self.intercepts, axis=1)


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
        values = rbf_kernel(matrix * self.stretch, self.centers, gamma=self.gamma)
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
        if not len(matrix):
            return np.empty((0, self.shares.shape[1]))
        near = NearestNeighbors(n_neighbors=self.n_neighbors).fit(self.points)
        found = near.kneighbors(matrix * self.stretch, return_distance=False)
        return self.shares[found].mean(axis=1)
