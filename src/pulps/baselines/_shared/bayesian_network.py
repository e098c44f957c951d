r"""Bayesian networks of categorical attributes: structure by the K2 score, or a Chow–Liu tree.

The K2 score of an attribute with *r* values and its parents is
:math:`\sum_{pa} [\ln\Gamma(r) - \ln\Gamma(N_{pa} + r) + \sum_j \ln\Gamma(N_{j,pa} + 1)]`, the
logarithm of the probability of its column under a uniform prior of all tables. It is a sum
over attributes, so a step of the climb changes at most two terms.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln

from pulps.baselines._shared.dependency_tree import ROOT, heaviest_tree
from pulps.tables.dependence import pair_counts, pair_entropies

Parents = list[list[int]]


@dataclass(frozen=True)
class BayesianNetwork:
    """Parents of every attribute, and its log-probabilities: (values of parents, values)."""

    parents: Parents
    log_tables: list[np.ndarray]
    n_values: np.ndarray

    def log_likelihood(self, codes: np.ndarray) -> np.ndarray:
        """Log-probability of each row."""
        total = np.zeros(len(codes))
        for attribute, (parents, table) in enumerate(
            zip(self.parents, self.log_tables, strict=True)
        ):
            total += table[configurations(codes, self.n_values, parents), codes[:, attribute]]
        return total


def fit_network(
    codes: np.ndarray, n_values: np.ndarray, parents: Parents, sample_size: float = 1.0
) -> BayesianNetwork:
    r"""Posterior mean of the tables for given parents.

    Every attribute is given ``sample_size`` imaginary rows, spread evenly over its table:
    :math:`(N_{j,pa} + s / (q r)) / (N_{pa} + s / q)`.
    """
    tables = []
    for attribute, others in enumerate(parents):
        counts = family_table(codes, n_values, attribute, others)
        smoothed = counts + sample_size / counts.size
        tables.append(np.log(smoothed / smoothed.sum(axis=1, keepdims=True)))
    return BayesianNetwork(parents, tables, n_values)


def k2_score(
    codes: np.ndarray, n_values: np.ndarray, attribute: int, parents: Sequence[int]
) -> float:
    """K2 score of one attribute with its parents.

    >>> codes = np.array([[0, 0], [0, 0], [1, 1]])
    >>> round(float(np.exp(k2_score(codes, np.array([2, 2]), 1, []))), 6)  # 2! 1! / 4!
    0.083333
    """
    values = int(n_values[attribute])
    seen, row = np.unique(configurations(codes, n_values, parents), return_inverse=True)
    counts = np.bincount(row * values + codes[:, attribute], minlength=len(seen) * values)
    totals = np.bincount(row)
    combinations = len(seen) * gammaln(values) - gammaln(totals + values).sum()
    return float(combinations + gammaln(counts + 1).sum())


def climb(codes: np.ndarray, n_values: np.ndarray, max_parents: int | None = None) -> Parents:
    """Climb from the empty graph to a local maximum of the K2 score.

    Each step adds, removes or turns the edge that raises the score most and closes no cycle.

    Parameters
    ----------
    codes, n_values
        Rows, without missing values, and the number of values of each attribute.
    max_parents
        Largest number of parents of an attribute; None for no limit.
    """
    size = len(n_values)
    edges = np.zeros((size, size), dtype=bool)  # edges[i, k]: i is a parent of k
    gains = np.full((size, size), -np.inf)  # of adding, or of removing, an edge

    def renew(child: int) -> None:
        parents = np.flatnonzero(edges[:, child]).tolist()
        now = k2_score(codes, n_values, child, parents)
        full = max_parents is not None and len(parents) >= max_parents
        for other in range(size):
            if edges[other, child]:
                changed = [p for p in parents if p != other]
            elif other == child or full:
                gains[other, child] = -np.inf
                continue
            else:
                changed = [*parents, other]
            gains[other, child] = k2_score(codes, n_values, child, changed) - now

    for child in range(size):
        renew(child)
    while True:
        turned = np.where(edges, gains + gains.T, -np.inf)
        candidates = np.concatenate([gains.ravel(), turned.ravel()])
        for choice in np.argsort(-candidates, kind="stable"):
            if candidates[choice] <= 1e-9:
                return [np.flatnonzero(column).tolist() for column in edges.T]
            parent, child = divmod(int(choice) % (size * size), size)
            changed = edges.copy()
            changed[parent, child] = not edges[parent, child]
            if choice >= size * size:
                changed[child, parent] = True
            if not has_cycle_through(changed, parent, child):
                break
        else:
            return [np.flatnonzero(column).tolist() for column in edges.T]
        turned_too = changed[child, parent] != edges[child, parent]
        edges = changed
        renew(child)
        if turned_too:
            renew(parent)


def has_cycle_through(edges: np.ndarray, first: int, second: int) -> bool:
    """Whether each of two attributes can be reached from the other."""
    return _reaches(edges, first, second) and _reaches(edges, second, first)


def chow_liu(codes: np.ndarray, n_values: np.ndarray) -> Parents:
    """Parents in the tree of largest mutual information."""
    both, first = pair_entropies(pair_counts(codes, n_values), n_values)
    tree = heaviest_tree(first + first.T - both)
    return [[] if parent == ROOT else [int(parent)] for parent in tree]


def configurations(codes: np.ndarray, n_values: np.ndarray, parents: Sequence[int]) -> np.ndarray:
    """Give each combination of some attributes' values a number; the last runs fastest."""
    number = np.zeros(len(codes), dtype=np.int64)
    for parent in parents:
        number = number * n_values[parent] + codes[:, parent]
    return number


def family_table(
    codes: np.ndarray, n_values: np.ndarray, attribute: int, parents: Sequence[int]
) -> np.ndarray:
    """Count an attribute's values for each combination of its parents' values."""
    values = int(n_values[attribute])
    n_configurations = int(np.prod(n_values[list(parents)], dtype=np.int64))
    cell = configurations(codes, n_values, parents) * values + codes[:, attribute]
    counts = np.bincount(cell, minlength=n_configurations * values)
    return counts.reshape(n_configurations, values)


def _reaches(edges: np.ndarray, start: int, goal: int) -> bool:
    reached = edges[start].copy()
    while not reached[goal]:
        further = reached | edges[reached].any(axis=0)
        if (further == reached).all():
            return False
        reached = further
    return True
