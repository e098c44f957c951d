r"""One randomized tree that descends a PU risk, grown one level at a time.

A node holds the share :math:`W_P = \pi \, n_P(\text{node}) / n_P` of positives and the share
:math:`W_X` of the population. The best answer in it is the share of positives
:math:`v = W_P / W_X`, and the risk that is left is :math:`4 W_X v (1 - v)` for the quadratic
loss (Gini) and :math:`-W_X (v \log v + (1 - v) \log (1 - v))` for the logistic loss (entropy).
In a small node :math:`v` may exceed one: the non-negative risk is zero there.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.special import entr

MOST_AT_ONCE = 2**18  # rows times candidates


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
    inside = np.clip(share, 0, 1)
    if loss == "quadratic":
        plain = 4 * population * inside * (1 - inside)
    else:
        plain = population * (entr(inside) + entr(1 - inside))
    beyond: Any = 0.0
    if not non_negative:
        beyond = -np.inf
        if loss == "quadratic":
            beyond = np.where(population > 0, 4 * positive * (1 - share), -np.inf)
    return np.where(positive > population, beyond, plain)


def tied_columns(features: np.ndarray) -> np.ndarray:
    """Columns in which some rows are equal; in no other are rows of any part of them.

    Parameters
    ----------
    features
        Dense rows.

    Returns
    -------
    array of column numbers

    Examples
    --------
    >>> tied_columns(np.array([[0.1, 1.0], [0.3, 0.0], [0.2, 1.0]]))
    array([1])
    """
    in_order = np.sort(features.T, axis=1)
    return np.flatnonzero((in_order[:, 1:] == in_order[:, :-1]).any(axis=1))


def grow_tree(
    features: np.ndarray,
    positive: np.ndarray,
    population: np.ndarray,
    *,
    tied: np.ndarray,
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
    tied
        Columns in which rows may be equal, see :func:`tied_columns`: only these are searched for
        nodes in which they do not vary.
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
    kind, columns = (
        {"loss": loss, "non_negative": non_negative},
        _Columns(features, tied, features[:, tied]),
    )
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
                columns, rows, node, positive, population, split, n_candidates, kind, rng
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


def _undecided(known: np.ndarray, mass: np.ndarray, non_negative: bool) -> np.ndarray:
    """Which nodes hold something to separate: positives, and more than them or unbounded."""
    return (known > 0) & ((known < mass) if non_negative else (mass > 0))


class _Columns(NamedTuple):
    """The rows of a tree, and those columns apart in which rows may be equal."""

    all: np.ndarray
    tied: np.ndarray
    of_tied: np.ndarray

    def varying(self, rows: np.ndarray, starts: np.ndarray) -> np.ndarray:
        """Whether a column takes several values in a node; nodes start at some of the rows."""
        sizes = np.diff(np.append(starts, len(rows)))
        varies = np.repeat(sizes[:, None] > 1, self.all.shape[1], axis=1)
        if len(self.tied):
            here = self.of_tied[rows]
            low, high = np.minimum.reduceat(here, starts), np.maximum.reduceat(here, starts)
            varies[:, self.tied] = high > low
        return varies


def _best_cuts(
    columns: Any,
    rows: np.ndarray,
    node: np.ndarray,
    positive: np.ndarray,
    population: np.ndarray,
    split: np.ndarray,
    n_candidates: int,
    kind: dict[str, Any],
    rng: np.random.RandomState,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Draw candidates in the nodes to split; return column, cut, and whether there was any.

    Nodes that are not split draw too: what the others draw does not depend on them.
    """
    n_open, n_columns = len(split), columns.all.shape[1]
    n_tried = min(n_candidates, n_columns)
    keys = rng.random_sample((n_open, n_columns))[split]
    places = rng.random_sample((n_tried, n_open))[:, split]
    asked = split[node]
    rows, node = rows[asked], (np.cumsum(split) - 1)[node[asked]]
    n_nodes, each = len(keys), np.arange(len(keys))
    positive, population = positive[rows], population[rows]
    starts = np.searchsorted(node, each)
    varies = columns.varying(rows, starts)
    keys[~varies] = np.inf
    tried = np.argpartition(keys, n_tried - 1, axis=1)[:, :n_tried].T
    at, known, mass = (np.empty(tried.shape) for _ in range(3))
    in_first, labeled = rows * n_columns, np.flatnonzero(positive)
    for block in _blocks(n_tried, len(rows)):
        values = columns.all.take(in_first + tried[block][:, node])
        bottom = np.minimum.reduceat(values, starts, axis=1)
        top = np.maximum.reduceat(values, starts, axis=1)
        drawn = bottom + (top - bottom) * places[block]
        at[block] = np.where(drawn < top, drawn, bottom)
        goes_left = values <= at[block][:, node]
        cell = node + n_nodes * np.arange(len(values))[:, None]
        for weight, some, sums in ((positive, labeled, known), (population, slice(None), mass)):
            taken = (goes_left[:, some] * weight[some]).ravel()
            left = np.bincount(cell[:, some].ravel(), taken, n_nodes * len(values))
            sums[block] = left.reshape(-1, n_nodes)
    rest_known = np.bincount(node, positive, n_nodes) - known
    rest_mass = np.bincount(node, population, n_nodes) - mass
    of_both = node_risk(np.stack([known, rest_known]), np.stack([mass, rest_mass]), **kind)
    risk = of_both[0] + of_both[1]
    risk[~varies[each, tried]] = np.inf
    best = risk.argmin(axis=0)
    column, cut, found = np.zeros(n_open, int), np.full(n_open, np.inf), np.zeros(n_open, bool)
    column[split], cut[split] = tried[best, each], at[best, each]
    found[split] = varies.any(axis=1)
    return column, cut, found


def _blocks(n_tried: int, n_rows: int) -> list[slice]:
    """Cut the candidates so that what is held of all rows stays small."""
    step = max(1, MOST_AT_ONCE // n_rows)
    return [slice(start, start + step) for start in range(0, n_tried, step)]
