"""Many binary trees as arrays: what is left of bagged, boosted and risk trees after a fit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pulps.views.rows import Rows

ROWS_AT_ONCE = 4096


@dataclass(frozen=True)
class Forest:
    """Trees side by side; the first nodes are their roots.

    A leaf is its own child, so that a row can rest in it while others go on.

    Parameters
    ----------
    feature, cut, left, right, value
        Of every node: the column it looks at, the largest value that goes left, its children and
        the answer of a leaf.
    missing_left
        Whether a missing cell goes left.
    n_trees, depth
        Number of trees, and steps from a root to the deepest leaf.
    """

    feature: np.ndarray
    cut: np.ndarray
    left: np.ndarray
    right: np.ndarray
    value: np.ndarray
    missing_left: np.ndarray
    n_trees: int
    depth: int

    @classmethod
    def join(cls, trees: Sequence[Forest]) -> Forest:
        """Put trees side by side.

        Parameters
        ----------
        trees
            Forests of one tree each.

        Returns
        -------
        Forest
        """
        sizes = np.array([len(tree.value) for tree in trees])
        n_trees = len(trees)
        # Roots come first, so the other nodes of a tree move behind those of all trees before.
        behind = n_trees + np.concatenate([[0], np.cumsum(sizes - 1)[:-1]])
        places = [
            np.concatenate([[number], start + np.arange(size - 1)])
            for number, (start, size) in enumerate(zip(behind, sizes, strict=True))
        ]
        order = np.argsort(np.concatenate(places))

        def joined(name: str) -> np.ndarray:
            return np.concatenate([getattr(tree, name) for tree in trees])[order]

        def children(name: str) -> np.ndarray:
            moved = [p[getattr(tree, name)] for p, tree in zip(places, trees, strict=True)]
            return np.concatenate(moved)[order]

        return cls(
            joined("feature"),
            joined("cut"),
            children("left"),
            children("right"),
            joined("value"),
            joined("missing_left"),
            n_trees,
            max(tree.depth for tree in trees),
        )

    def sums(self, cells: np.ndarray) -> np.ndarray:
        """Sum the answers of all trees.

        Parameters
        ----------
        cells
            Shape (rows, columns), NaN where missing.

        Returns
        -------
        array of shape (rows,)
        """
        parts = [
            self.answers(cells[first : first + ROWS_AT_ONCE]).sum(axis=0)
            for first in range(0, len(cells), ROWS_AT_ONCE)
        ]
        return np.concatenate(parts) if parts else np.zeros(0)

    def answers(self, cells: np.ndarray) -> np.ndarray:
        """Answer of every tree.

        Parameters
        ----------
        cells
            Shape (rows, columns), NaN where missing.

        Returns
        -------
        array of shape (trees, rows)
        """
        n_rows = len(cells)
        columns = np.ascontiguousarray(cells.T).ravel()  # one column after the other
        begins = self.feature.astype(np.intp) * n_rows
        children = np.column_stack([self.right, self.left]).ravel()
        is_leaf = self.left == self.right
        has_holes = bool(np.isnan(columns).any())
        found = np.empty((self.n_trees, n_rows))
        for tree in range(self.n_trees):
            rows, node = np.arange(n_rows), np.full(n_rows, tree)
            for _ in range(self.depth):
                here = columns.take(begins.take(node) + rows)
                goes_left = here <= self.cut.take(node)
                if has_holes:
                    goes_left |= np.isnan(here) & self.missing_left.take(node)
                node = children.take(2 * node + goes_left)
                arrived = is_leaf.take(node)
                if arrived.any():  # rows in a leaf are done, the others go on
                    found[tree, rows[arrived]] = self.value.take(node[arrived])
                    rows, node = rows[~arrived], node[~arrived]
            found[tree, rows] = self.value.take(node)
        return found


@dataclass(frozen=True)
class MatrixForest:
    """A forest over the matrix of a table; its answer is the mean over trees.

    Parameters
    ----------
    forest
        The trees.
    """

    forest: Forest

    def score(self, rows: Rows) -> np.ndarray:
        """Mean answer of the trees.

        Parameters
        ----------
        rows
            Rows.

        Returns
        -------
        array of shape (rows,)
        """
        return self.forest.sums(rows.matrix) / self.forest.n_trees


@dataclass(frozen=True)
class CodesForest:
    """A forest over the codes of a table; its answer is the mean log-odds of the folds.

    Parameters
    ----------
    forest
        The trees of all folds.
    start
        Mean log-odds before the first tree.
    n_folds
        Number of folds.
    """

    forest: Forest
    start: float
    n_folds: int

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
        return self.start + self.forest.sums(rows.codes) / self.n_folds
