"""A table as a fit learns from it: rows of numbers, in memory or in a file, with their labels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pulps.estimators.tables.states import CHUNK
from pulps.labels import labeled_to_keep
from pulps.tables.decoding import TableForm
from pulps.tables.distinct import distinct_rows
from pulps.tables.encoding import TableEncoder


@dataclass(frozen=True)
class EncodedTable:
    """What a fit learns from: rows as numbers, and all that was read off the table.

    Parameters
    ----------
    values
        Encoded rows, shape (rows, columns), NaN where missing: an array, or a file of rows.
    labeled
        Which rows are labeled.
    weights
        Weight of each row, above zero.
    classes
        The two values of y, that of unlabeled rows first.
    encoder, form
        How the table was encoded, and how it looked.
    known
        Number of the state that a row is known to belong to, -1 where nothing is known; None
        if labeled rows belong to the first state and nothing is known of any other.
    """

    values: Any
    labeled: np.ndarray
    weights: np.ndarray
    classes: np.ndarray
    encoder: TableEncoder
    form: TableForm
    known: np.ndarray | None = None

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.values)

    @property
    def negative(self) -> np.ndarray | None:
        """Which rows are known to belong to the second of two states; None if nobody is."""
        return None if self.known is None else self.known == 1

    @property
    def n_counted(self) -> int:
        """Number of rows if one that weighs two counts as two."""
        return round(self.weights.sum())

    @property
    def in_memory(self) -> bool:
        """Whether the rows are an array."""
        return isinstance(self.values, np.ndarray)

    @property
    def row_weights(self) -> np.ndarray | None:
        """Weights, or None if all rows weigh one."""
        return None if (self.weights == 1).all() else self.weights

    @property
    def copies(self) -> np.ndarray:
        """Row numbers, each as often as the row weighs."""
        if self.row_weights is None:
            return np.arange(len(self))
        return np.repeat(np.arange(len(self)), np.ceil(self.weights).astype(int))

    @property
    def has_holes(self) -> bool:
        """Whether a cell is missing; rows in a file may always have some."""
        return not self.in_memory or bool(np.isnan(self.values).any())

    def distinct(self) -> EncodedTable:
        """Return the same rows with equal ones merged.

        Returns
        -------
        EncodedTable
            With weights that add up to the same.
        """
        if self.known is None:
            values, labeled, weights = distinct_rows(self.values, self.labeled, self.weights)
            return replace(self, values=values, labeled=labeled, weights=weights)
        told = np.column_stack([self.labeled, self.known])
        values, told, weights = distinct_rows(self.values, told, self.weights)
        labeled, known = told[:, 0].astype(bool), told[:, 1]
        return replace(self, values=values, labeled=labeled, known=known, weights=weights)

    def with_rows(self, values: np.ndarray) -> EncodedTable:
        """Return a table with more rows, of which nothing is known and which weigh one each.

        Parameters
        ----------
        values
            Encoded rows.

        Returns
        -------
        EncodedTable
        """
        n_more = len(values)
        nothing = None if self.known is None else np.r_[self.known, np.full(n_more, -1)]
        return replace(
            self,
            values=np.concatenate([self.values, values]),
            labeled=np.concatenate([self.labeled, np.full(n_more, False)]),
            weights=np.concatenate([self.weights, np.ones(n_more)]),
            known=nothing,
        )

    def evenly(self, most: int) -> tuple[EncodedTable, np.ndarray]:
        """Return some of the rows, in memory, which stand for all of them.

        Labeled rows come first, those that there are or half of what is taken; both kinds are
        spread over the table, and every row weighs as much more as there are more of its kind.

        Parameters
        ----------
        most
            Number of rows to take.

        Returns
        -------
        table, rows
            The rows, all of them if there are no more, and their numbers, increasing.
        """
        if len(self) <= most:
            return self, np.arange(len(self))
        n_labeled = labeled_to_keep(self.labeled, most)
        weights, taken = self.weights.copy(), []
        for kind, size in ((self.labeled, n_labeled), (~self.labeled, most - n_labeled)):
            members = np.flatnonzero(kind)
            some = members[np.arange(size) * len(members) // max(size, 1)]
            if size:
                weights[some] *= self.weights[kind].sum() / self.weights[some].sum()
            taken.append(some)
        rows = np.sort(np.concatenate(taken))
        return (
            replace(
                self,
                values=self.values[rows],
                labeled=self.labeled[rows],
                weights=weights[rows],
                known=None if self.known is None else self.known[rows],
            ),
            rows,
        )

    def chunks(self) -> Iterator[np.ndarray]:
        """Yield the rows, some at a time.

        Yields
        ------
        array of shape (some rows, columns)
        """
        for first in range(0, len(self), CHUNK):
            yield self.values[first : first + CHUNK]
