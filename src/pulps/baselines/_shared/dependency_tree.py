r"""Trees of attributes: learned from weights of pairs, and summed exactly over what is missing.

A forest gives every attribute at most one parent. ``parents[i]`` is −1 for a root, whose
table holds :math:`\log P(x_i)`; the table of any other attribute holds
:math:`\log P(x_i \mid x_{parent})`, one row per value of the parent. Naive Bayes is the
forest without edges.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.sparse.csgraph import breadth_first_order, minimum_spanning_tree
from scipy.special import logsumexp

from pulps.tables.dependence import MISSING

ROOT = -1


def heaviest_tree(weights: np.ndarray) -> np.ndarray:
    """Parents in the spanning tree of largest total weight, rooted at attribute 0.

    Parameters
    ----------
    weights
        Symmetric, one weight per pair of attributes.

    Examples
    --------
    >>> heaviest_tree(np.array([[0, 3, 1], [3, 0, 2], [1, 2, 0]])).tolist()
    [-1, 0, 1]
    """
    costs = weights.max() - weights + 1.0
    tree = minimum_spanning_tree(np.triu(costs, 1))
    parents = breadth_first_order(tree, 0, directed=False)[1]
    return np.where(parents < 0, ROOT, parents)


def children_first(parents: np.ndarray) -> list[int]:
    """Attributes in an order in which each comes before its parent."""
    depth = [0] * len(parents)
    for attribute, parent in enumerate(parents):
        while parent != ROOT:
            depth[attribute] += 1
            parent = parents[parent]
    return sorted(range(len(parents)), key=lambda attribute: -depth[attribute])


def log_likelihood(
    codes: np.ndarray, parents: np.ndarray, log_tables: Sequence[np.ndarray]
) -> np.ndarray:
    """Log-probability of each row; missing attributes are summed over.

    Messages go from the leaves to the roots: that of an attribute holds, for every value of
    its parent, the log-probability of all that was seen at it and below it.
    """
    total = np.zeros(len(codes))
    inbox = [np.zeros((len(codes), table.shape[-1])) for table in log_tables]
    for attribute in children_first(parents):
        below, values = inbox[attribute], codes[:, attribute]
        table = np.atleast_2d(log_tables[attribute])
        seen = np.flatnonzero(values != MISSING)
        hidden = np.flatnonzero(values == MISSING)
        message = np.empty((len(codes), len(table)))
        message[seen] = table[:, values[seen]].T + below[seen, values[seen]][:, None]
        message[hidden] = logsumexp(table + below[hidden][:, None, :], axis=2)
        if parents[attribute] == ROOT:
            total += message[:, 0]
        else:
            inbox[parents[attribute]] += message
    return total
