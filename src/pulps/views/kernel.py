"""Kernel view: a logistic regression on random kernel features, cross-fitted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import LogisticRegression
from sklearn.metrics.pairwise import rbf_kernel

from pulps.io.randomness import new_seed
from pulps.labels import every_nth
from pulps.views.rows import Labels, Rows, honest_scores

N_CENTERS = 150
N_TREES, ENOUGH_ROWS = 20, 1500
LEAST_USEFUL = 0.1  # of all columns together


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
        values = rbf_kernel(rows.matrix * self.stretch[fold], self.centers[fold], gamma=self.gamma)
        return values @ self.coefficients[fold] + self.intercepts[fold]


def fit_kernel(
    rows: Rows,
    labels: Labels,
    rng: np.random.RandomState,
    *,
    sharpness: float,
    relevant: bool = False,
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
    relevant
        Whether columns that random trees find useful are stretched and the others shrunk, so
        that distances are not drowned by columns that do not matter.

    Returns
    -------
    honest, model
        Honest log-odds of the training rows, and the model for new ones.
    """
    gamma = sharpness / rows.matrix.shape[1]
    stretch, centers, coefficients, intercepts = [], [], [], []
    for fold in range(labels.n_folds):
        seen = np.flatnonzero(labels.folds != fold)
        labeled, weights = labels.labeled[seen], labels.weights[seen]
        scale = np.ones(rows.matrix.shape[1])
        if relevant:
            scale = _stretch(rows.matrix[seen], labeled, weights, rng)
        features = Nystroem(
            gamma=gamma, n_components=min(N_CENTERS, len(seen)), random_state=new_seed(rng)
        )
        values = features.fit_transform(rows.matrix[seen] * scale)
        balanced = weights / np.where(labeled, weights[labeled].sum(), weights[~labeled].sum())
        regression = LogisticRegression(max_iter=200)
        regression.fit(values, labeled, balanced * weights.sum() / 2)
        stretch.append(scale)
        centers.append(features.components_)
        coefficients.append(features.normalization_.T @ regression.coef_[0])
        intercepts.append(regression.intercept_[0])
    model = KernelModel(gamma, stretch, centers, coefficients, np.array(intercepts))
    return honest_scores(model, rows, labels), model


def _stretch(
    matrix: np.ndarray, labeled: np.ndarray, weights: np.ndarray, rng: np.random.RandomState
) -> np.ndarray:
    """Root of how useful each column is to random trees, one on average over squares."""
    some = every_nth(len(matrix), ENOUGH_ROWS)
    if labeled[some].all() or not labeled[some].any():
        some = np.arange(len(matrix))
    trees = ExtraTreesClassifier(
        N_TREES,
        min_samples_leaf=5,
        max_features=0.5,
        class_weight="balanced",
        random_state=new_seed(rng),
    ).fit(matrix[some], labeled[some], weights[some])
    useful = trees.feature_importances_ + LEAST_USEFUL / matrix.shape[1]
    return np.sqrt(useful / useful.mean())
