r"""One randomized tree that descends a PU risk, grown one level at a time.

A node holds the share :math:`W_P = \pi \, n_P(\text{node}) / n_P` of positives and the share
:math:`W_X` of the population. The best answer in it is the share of positives
:math:`v = W_P / W_X`, and the risk that is left is :math:`4 W_X v (1 - v)` for the quadratic
loss (Gini) and :math:`-W_X (v \log v + (1 - v) \log (1 - v))` for the logistic loss (entropy).
In a small node :math:`v` may exceed one: the non-negative risk is zero there.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import entr


class Tree(NamedTuple):
    """A binary tree as arrays; a leaf is its own child, so that a row can rest in it."""

    feature: np.ndarray
    cut: np.ndarray
    left: np.ndarray
    right: np.ndarray
    value: np.ndarray
    depth: int

    def predict(self, features: np.ndarray) -> np.ndarray:
        """Answer of the leaf each row falls into.

        Parameters
        ----------
        features
            Dense rows.

        Returns
        -------
        array of shape (rows,)
        """
        node, rows = np.zeros(len(features), dtype=int), np.arange(len(features))
        for _ in range(self.depth):
            goes_left = features[rows, self.feature[node]] <= self.cut[node]
            node = np.where(goes_left, self.left[node], self.right[node])
        return self.value[node]


def node_risk(
    positive: np.ndarray, population: np.ndarray, *, loss: str, non_negative: bool
) -> np.ndarray:
    """Risk left in nodes that hold these shares of positives and of the population.

    Parameters
    ----------
    positive, population
        The shares, of any shape.
    loss
        ``"quadratic"`` or ``"logistic"``.
    non_negative
        Whether an overfull node has no risk, or a negative one.

    Returns
    -------
    array of the same shape

    Examples
    --------
    >>> node_risk(np.array([0.1]), np.array([0.4]), loss="quadratic", non_negative=True)
    array([0.3])
    >>> node_risk(np.array([0.5]), np.array([0.4]), loss="quadratic", non_negative=True)
    array([0.])
    """
    positive, population = np.asarray(positive, float), np.asarray(population, float)
    share = np.divide(positive, population, out=np.ones_like(positive), where=population > 0)
    overfull = positive > population
    inside = np.clip(share, 0, 1)
    if loss == "quadratic":
        plain = 4 * population * inside * (1 - inside)
        beyond = np.where(population > 0, 4 * positive * (1 - share), -np.inf)
    else:
        plain = population * (entr(inside) + entr(1 - inside))
        beyond = np.full_like(plain, -np.inf)
    return np.where(overfull, 0.0 if non_negative else beyond, plain)


def grow_tree(
    features: np.ndarray,
    positive: np.ndarray,
    population: np.ndarray,
    *,
    n_candidates: int,
    loss: str,
    non_negative: bool,
    max_depth: int | None,
    min_samples_split: int,
    rng: np.random.RandomState,
) -> Tree:
    """Grow a tree on all rows.

    Parameters
    ----------
    features
        Dense rows.
    positive, population
        Weight of each row in :math:`W_P` and in :math:`W_X`.
    n_candidates
        Columns tried in a node, each with one cut drawn uniformly from its range there.
    loss, non_negative
        See :func:`node_risk`.
    max_depth, min_samples_split
        Nodes at this depth or of fewer rows are not split.
    rng
        Draws columns and cuts.

    Returns
    -------
    Tree
    """
    kind = {"loss": loss, "non_negative": non_negative}
    nodes: list[tuple[np.ndarray, ...]] = []
    rows, node, n_open, first, depth = (
        np.arange(len(features)),
        np.zeros(len(features), int),
        1,
        0,
        0,
    )
    while n_open:
        order = np.argsort(node, kind="stable")
        rows, node = rows[order], node[order]
        sizes = np.bincount(node, minlength=n_open)
        known = np.bincount(node, positive[rows], n_open)
        mass = np.bincount(node, population[rows], n_open)
        value = np.clip(np.divide(known, mass, out=np.ones_like(known), where=mass > 0), 0, 1)
        feature, cut = np.zeros(n_open, int), np.full(n_open, np.inf)
        left = right = first + np.arange(n_open)
        split = _undecided(known, mass, non_negative) & (sizes >= min_samples_split)
        if max_depth is not None and depth >= max_depth:
            split[:] = False
        goes_left = np.zeros(len(rows), bool)
        if split.any():
            feature, cut, found = _best_cuts(
                features, rows, node, positive, population, n_open, n_candidates, kind, rng
            )
            split &= found
            cut = np.where(split, cut, np.inf)
            goes_left = features[rows, feature[node]] <= cut[node]
        child = np.cumsum(split) - 1
        left = np.where(split, first + n_open + 2 * child, left)
        right = np.where(split, left + 1, right)
        nodes.append((feature, cut, left, right, value))
        stays = split[node]
        node = (2 * child[node] + ~goes_left)[stays]
        rows = rows[stays]
        first, n_open, depth = first + n_open, 2 * int(split.sum()), depth + 1
    feature, cut, left, right, value = map(np.concatenate, zip(*nodes, strict=True))
    return Tree(feature, cut, left, right, value, depth)


def _undecided(known, mass, non_negative: bool) -> np.ndarray:
    """Which nodes hold something to separate: positives, and more than them or unbounded."""
    return (known > 0) & ((known < mass) if non_negative else (mass > 0))


def _best_cuts(features, rows, node, positive, population, n_open, n_candidates, kind, rng):
    """Draw candidates in every node; return column, cut, and whether there was any."""
    starts = np.searchsorted(node, np.arange(n_open))
    here = features[rows]
    low, high = np.minimum.reduceat(here, starts), np.maximum.reduceat(here, starts)
    varies = high > low
    keys = np.where(varies, rng.random_sample(varies.shape), np.inf)
    n_tried = min(n_candidates, features.shape[1])
    tried = np.argpartition(keys, n_tried - 1, axis=1)[:, :n_tried]
    each = np.arange(n_open)
    best = np.full(n_open, np.inf)
    column, cut, found = np.zeros(n_open, int), np.full(n_open, np.inf), varies.any(axis=1)
    chosen = np.zeros(n_open, bool)
    all_known = np.bincount(node, positive[rows], n_open)
    all_mass = np.bincount(node, population[rows], n_open)
    for candidate in tried.T:
        bottom, top = low[each, candidate], high[each, candidate]
        at = bottom + (top - bottom) * rng.random_sample(n_open)
        at = np.where(at < top, at, bottom)
        goes_left = here[np.arange(len(rows)), candidate[node]] <= at[node]
        known = np.bincount(node[goes_left], positive[rows[goes_left]], n_open)
        mass = np.bincount(node[goes_left], population[rows[goes_left]], n_open)
        risk = node_risk(known, mass, **kind) + node_risk(
            all_known - known, all_mass - mass, **kind
        )
        better = varies[each, candidate] & (~chosen | (risk < best))
        best, column, cut = (
            np.where(better, risk, best),
            np.where(better, candidate, column),
            np.where(better, at, cut),
        )
        chosen |= better
    return column, cut, found & chosen
