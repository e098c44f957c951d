"""Bagging view: trees of labeled rows against as many random unlabeled ones."""

from __future__ import annotations

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from pulps.io.randomness import new_seed
from pulps.views.forest import Forest, MatrixForest
from pulps.views.rows import Labels, Rows

N_TREES = 100
MOST_DRAWN = 500  # rows of either kind in the sample of a tree


def fit_bagging(
    rows: Rows, labels: Labels, rng: np.random.RandomState
) -> tuple[np.ndarray, MatrixForest]:
    """Fit the bagging view.

    Each tree draws, with replacement, as many labeled and as many unlabeled rows as there are
    labeled ones. A row is honestly scored by the trees that did not draw it; where there is none,
    it gets the mean score.

    Parameters
    ----------
    rows, labels
        Training rows.
    rng
        Draws rows and trees.

    Returns
    -------
    honest, model
        Honest scores of the training rows, and the model for new ones.
    """
    labeled, unlabeled = np.flatnonzero(labels.labeled), np.flatnonzero(~labels.labeled)
    n_drawn = int(np.clip(np.ceil(labels.n_labeled), 2, MOST_DRAWN))
    chances = [labels.weights[kind] / labels.weights[kind].sum() for kind in (labeled, unlabeled)]
    matrix = rows.matrix.astype(np.float32)
    total, counted, trees = np.zeros(len(rows)), np.zeros(len(rows)), []
    is_positive = np.repeat([True, False], n_drawn)
    for _ in range(N_TREES):
        drawn = np.concatenate(
            [
                rng.choice(kind, n_drawn, p=chance)
                for kind, chance in zip((labeled, unlabeled), chances, strict=True)
            ]
        )
        tree = DecisionTreeClassifier(
            min_samples_leaf=3, max_features="sqrt", random_state=new_seed(rng)
        ).fit(matrix[drawn], is_positive, check_input=False)
        left_out = np.ones(len(rows), dtype=bool)
        left_out[drawn] = False
        total[left_out] += tree.predict_proba(matrix[left_out], check_input=False)[:, 1]
        counted += left_out
        trees.append(_as_arrays(tree))
    honest = np.divide(total, counted, out=np.full(len(rows), np.nan), where=counted > 0)
    honest = np.where(counted > 0, honest, np.nanmean(honest))
    return honest, MatrixForest(Forest.join(trees))


def _as_arrays(tree: DecisionTreeClassifier) -> Forest:
    nodes = tree.tree_
    here = np.arange(nodes.node_count)
    leaf = nodes.children_left < 0
    return Forest(
        feature=np.where(leaf, 0, nodes.feature),
        cut=nodes.threshold,
        left=np.where(leaf, here, nodes.children_left),
        right=np.where(leaf, here, nodes.children_right),
        value=nodes.value[:, 0, -1],
        missing_left=np.zeros(len(here), dtype=bool),
        n_trees=1,
        depth=nodes.max_depth,
    )
