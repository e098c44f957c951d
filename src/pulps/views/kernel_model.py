"""What is left of a kernel view after a fit: centers and log-odds, and the kernel itself."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pulps.views.rows import Rows


@dataclass(frozen=True)
class KernelModel:
    """Logistic regressions on kernel values, one per fold.

    Parameters
    ----------
    gamma
        Sharpness of the kernel exp(−γ distance²).
    stretch
        How much each column of the matrix is stretched before distances are taken, one array
        per fold.
    centers
        Rows that others are compared with, one array per fold.
    coefficients, intercepts
        Of each fold: log-odds per kernel value, and where all kernel values are zero.
    """

    gamma: float
    stretch: list[np.ndarray]
    centers: list[np.ndarray]
    coefficients: list[np.ndarray]
    intercepts: np.ndarray

    def score(self, rows: Rows) -> np.ndarray:
        """Mean log-odds over the folds.

        Parameters
        ----------
        rows
            Rows.

        Returns
        -------
        array of shape (rows,)
        """
        total = np.zeros(len(rows))
        for fold in range(len(self.centers)):
            total += self.score_of_fold(rows, fold)
        return total / len(self.centers)

    def score_of_fold(self, rows: Rows, fold: int) -> np.ndarray:
        """Log-odds by the model that did not see a fold.

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
        values = kernel_values(rows.matrix * self.stretch[fold], self.centers[fold], self.gamma)
        return values @ self.coefficients[fold] + self.intercepts[fold]


def kernel_values(matrix: np.ndarray, centers: np.ndarray, gamma: float) -> np.ndarray:
    """Compare rows with centers, as scikit-learn's ``rbf_kernel`` does.

    Parameters
    ----------
    matrix
        Rows, shape (rows, columns).
    centers
        Shape (centers, columns).
    gamma
        Sharpness of the kernel exp(−γ distance²).

    Returns
    -------
    array of shape (rows, centers)
    """
    squares = squared_distances(matrix, centers)
    squares *= -gamma
    return np.exp(squares, out=squares)


def squared_distances(matrix: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Square the distance of every row from every point.

    Parameters
    ----------
    matrix
        Rows, shape (rows, columns).
    points
        Shape (points, columns).

    Returns
    -------
    array of shape (rows, points)

    Examples
    --------
    >>> squared_distances(np.zeros((1, 2)), np.array([[3.0, 4.0]]))
    array([[25.]])
    """
    squares = -2 * (matrix @ points.T)
    squares += np.einsum("ij,ij->i", matrix, matrix)[:, None]
    squares += np.einsum("ij,ij->i", points, points)
    return np.maximum(squares, 0, out=squares)
