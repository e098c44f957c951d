"""Kernel view: a logistic regression on random kernel features, cross-fitted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import LogisticRegression
from sklearn.metrics.pairwise import rbf_kernel

from pulps.io.randomness import new_seed
from pulps.views.rows import Labels, Rows

N_CENTERS = 150


@dataclass(frozen=True)
class KernelModel:
    """Logistic regressions on kernel values, one per fold.

    Parameters
    ----------
    gamma
        Sharpness of the kernel exp(−γ distance²).
    centers
        Rows that others are compared with, one array per fold.
    coefficients, intercepts
        Of each fold: log-odds per kernel value, and where all kernel values are zero.
    """

    gamma: float
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
        values = rbf_kernel(rows.matrix, self.centers[fold], gamma=self.gamma)
        return values @ self.coefficients[fold] + self.intercepts[fold]


def fit_kernel(
    rows: Rows, labels: Labels, rng: np.random.RandomState, *, sharpness: float
) -> tuple[np.ndarray, KernelModel]:
    """Fit the kernel view.

    Parameters
    ----------
    rows, labels
        Training rows.
    rng
        Draws centers.
    sharpness
        The kernel's γ times the width of the matrix.

    Returns
    -------
    honest, model
        Honest log-odds of the training rows, and the model for new ones.
    """
    gamma = sharpness / rows.matrix.shape[1]
    centers, coefficients, intercepts = [], [], []
    for fold in range(labels.n_folds):
        seen = np.flatnonzero(labels.folds != fold)
        features = Nystroem(
            gamma=gamma, n_components=min(N_CENTERS, len(seen)), random_state=new_seed(rng)
        )
        values = features.fit_transform(rows.matrix[seen])
        labeled, weights = labels.labeled[seen], labels.weights[seen]
        balanced = weights / np.where(labeled, weights[labeled].sum(), weights[~labeled].sum())
        regression = LogisticRegression(max_iter=200)
        regression.fit(values, labeled, balanced * weights.sum() / 2)
        centers.append(features.components_)
        coefficients.append(features.normalization_.T @ regression.coef_[0])
        intercepts.append(regression.intercept_[0])
    model = KernelModel(gamma, centers, coefficients, np.array(intercepts))
    honest = model.score(rows) if (labels.folds < 0).any() else np.empty(len(rows))
    for fold in range(labels.n_folds):
        left_out = labels.folds == fold
        honest[left_out] = model.score_of_fold(rows[left_out], fold)
    return honest, model
