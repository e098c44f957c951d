"""Risk view: randomized trees that descend a PU risk with an estimated prior."""

from __future__ import annotations

import math

import numpy as np

from pulps.views.forest import Forest, MatrixForest
from pulps.views.risk_tree import Tree, grow_tree, tied_columns
from pulps.views.rows import Labels, Rows

N_TREES = 100
MOST_SEEN = 1000  # rows that a tree learns from


def fit_risk_trees(
    rows: Rows, labels: Labels, rng: np.random.RandomState, *, prior_of_unlabeled: float
) -> tuple[np.ndarray, MatrixForest]:
    """Fit the risk view.

    Each tree leaves out a random half of the labeled and of the unlabeled rows, or more of a large
    table, which are honestly scored by it.

    Parameters
    ----------
    rows, labels
        Training rows.
    rng
        Draws halves, columns and cuts.
    prior_of_unlabeled
        Share of positives among the unlabeled rows.

    Returns
    -------
    honest, model
        Honest shares of votes of the training rows, and the model for new ones.
    """
    n_unlabeled = labels.weights[~labels.labeled].sum()
    prior = (labels.n_labeled + prior_of_unlabeled * n_unlabeled) / labels.weights.sum()
    total, counted, trees = np.zeros(len(rows)), np.zeros(len(rows)), []
    tied = tied_columns(rows.matrix)
    for _ in range(N_TREES):
        seen = _seen(labels.labeled, rng)
        weights = labels.weights[seen]
        known = weights * labels.labeled[seen]
        tree = grow_tree(
            rows.matrix[seen],
            known * (prior / known.sum()),
            weights / weights.sum(),
            tied=tied,
            n_candidates=math.ceil(math.sqrt(rows.matrix.shape[1])),
            loss="quadratic",
            non_negative=True,
            max_depth=None,
            min_samples_split=2,
            rng=rng,
        )
        total[~seen] += tree.predict(rows.matrix[~seen])
        counted[~seen] += 1
        trees.append(_as_arrays(tree))
    honest = np.divide(total, counted, out=np.full(len(rows), np.nan), where=counted > 0)
    honest = np.where(counted > 0, honest, np.nanmean(honest))
    return honest, MatrixForest(Forest.join(trees))


def _seen(labeled: np.ndarray, rng: np.random.RandomState) -> np.ndarray:
    """Choose half of the rows of either kind, at least one of each, or fewer of very many."""
    share = min(0.5, MOST_SEEN / len(labeled))
    chosen = np.zeros(len(labeled), dtype=bool)
    for kind in (labeled, ~labeled):
        rows = np.flatnonzero(kind)
        chosen[rng.choice(rows, math.ceil(share * len(rows)), replace=False)] = True
    return chosen


def _as_arrays(tree: Tree) -> Forest:
    return Forest(
        tree.feature,
        tree.cut,
        tree.left,
        tree.right,
        tree.value,
        np.zeros(len(tree.value), dtype=bool),
        n_trees=1,
        depth=tree.depth,
    )
