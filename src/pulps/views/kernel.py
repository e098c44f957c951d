"""Kernel view: a logistic regression on random kernel features, cross-fitted."""

from __future__ import annotations

import numpy as np
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import LogisticRegression

from pulps.io.randomness import new_seed
from pulps.labels import every_nth
from pulps.views.kernel_model import KernelModel
from pulps.views.rows import Labels, Rows, honest_scores

N_CENTERS = 150
N_TREES, ENOUGH_ROWS = 20, 1000
LEAST_USEFUL = 0.1  # of all columns together


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
