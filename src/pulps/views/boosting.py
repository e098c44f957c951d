"""Boosting view: gradient boosting on the codes of a table, holes included, cross-fitted."""

from __future__ import annotations

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier

from pulps.io._sklearn import boosted_trees
from pulps.io.randomness import new_seed
from pulps.views.forest import CodesForest, Forest
from pulps.views.rows import Labels, Rows

N_ROUNDS = 60


def fit_boosting(
    rows: Rows, labels: Labels, rng: np.random.RandomState
) -> tuple[np.ndarray, CodesForest]:
    """Fit the boosting view.

    Parameters
    ----------
    rows, labels
        Training rows.
    rng
        Draws the seed of every fold.

    Returns
    -------
    honest, model
        Honest log-odds of the training rows, and the model for new ones.
    """
    honest, trees, starts = np.empty(len(rows)), [], []
    # Weights of one change nothing and take four times as long.
    plain = (labels.weights == 1).all()
    for fold in range(labels.n_folds):
        left_out = labels.folds == fold
        boosted = HistGradientBoostingClassifier(
            max_iter=N_ROUNDS,
            learning_rate=0.08,
            max_leaf_nodes=8,
            min_samples_leaf=10,
            l2_regularization=5.0,
            max_bins=32,
            early_stopping=False,
            random_state=new_seed(rng),
        ).fit(
            _without_empty_columns(rows.codes[~left_out], labels.weights[~left_out]),
            labels.labeled[~left_out],
            None if plain else labels.weights[~left_out],
        )
        honest[left_out] = boosted.decision_function(rows.codes[left_out])
        start, nodes = boosted_trees(boosted)
        starts.append(start)
        trees += [_as_arrays(one) for one in nodes]
    model = CodesForest(Forest.join(trees), float(np.mean(starts)), labels.n_folds)
    never_left_out = labels.folds < 0
    if never_left_out.any():
        honest[never_left_out] = model.score(rows[never_left_out])
    return honest, model


def _without_empty_columns(codes: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Fill columns without a single value: scikit-learn 1.9 cannot cut them into bins.

    A column that is the same everywhere splits nothing, so nothing else changes.
    """
    empty = np.isnan(codes[weights > 0]).all(axis=0)
    return np.where(empty, 0.0, codes) if empty.any() else codes


def _as_arrays(nodes: np.ndarray) -> Forest:
    here, leaf = np.arange(len(nodes)), nodes["is_leaf"].astype(bool)
    return Forest(
        feature=np.where(leaf, 0, nodes["feature_idx"]).astype(int),
        cut=nodes["num_threshold"].astype(float),
        left=np.where(leaf, here, nodes["left"]).astype(int),
        right=np.where(leaf, here, nodes["right"]).astype(int),
        value=nodes["value"].astype(float),
        missing_left=nodes["missing_go_to_left"].astype(bool),
        n_trees=1,
        depth=int(nodes["depth"].max()),
    )
