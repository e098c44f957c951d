"""What views see of a table: codes with holes, and a matrix without any."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pulps.tables.matrix import MatrixForm


@dataclass(frozen=True)
class Rows:
    """Rows in the two forms that views read.

    Parameters
    ----------
    codes
        Encoded cells, NaN where missing, shape (rows, columns).
    matrix
        The same as a matrix without holes, shape (rows, width).
    """

    codes: np.ndarray
    matrix: np.ndarray

    @classmethod
    def of(cls, codes: np.ndarray, form: MatrixForm) -> Rows:
        """Write the matrix of encoded rows.

        Parameters
        ----------
        codes
            Encoded cells.
        form
            How they become a matrix.

        Returns
        -------
        Rows
        """
        return cls(codes, form.write(codes))

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.codes)

    def __getitem__(self, rows: Any) -> Rows:
        """Return some of the rows."""
        return Rows(self.codes[rows], self.matrix[rows])


@dataclass(frozen=True)
class Labels:
    """What is known of the training rows, and which of them are scored together.

    Parameters
    ----------
    labeled
        Which rows are labeled.
    weights
        Weight of each row.
    folds
        Number of the fold of each row: its honest score is of models that saw no row of it.
    """

    labeled: np.ndarray
    weights: np.ndarray
    folds: np.ndarray

    @property
    def n_folds(self) -> int:
        """Number of folds."""
        return int(self.folds.max()) + 1

    @property
    def n_labeled(self) -> float:
        """Weight of the labeled rows."""
        return float(self.weights[self.labeled].sum())


def honest_scores(model: Any, rows: Rows, labels: Labels) -> np.ndarray:
    """Score every row by the model that did not see it.

    Parameters
    ----------
    model
        Has ``score_of_fold`` for the model that left a fold out, and ``score`` for all of them,
        which rows of no fold get.
    rows, labels
        Training rows.

    Returns
    -------
    array of shape (rows,)
    """
    honest = model.score(rows) if (labels.folds < 0).any() else np.empty(len(rows))
    for fold in range(labels.n_folds):
        left_out = labels.folds == fold
        honest[left_out] = model.score_of_fold(rows[left_out], fold)
    return honest
