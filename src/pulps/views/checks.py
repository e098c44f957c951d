"""Whether the views of a consensus that was read from a file can score any row."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np

from pulps.tables.columns import CategoricalColumn, Column
from pulps.tables.matrix import MatrixForm

MAY_BE_INFINITE = {"cut"}  # of a tree: every row goes the same way


def fault_of_views(consensus: Any, n_columns: int) -> str | None:
    """Say what is wrong with the numbers of views.

    Parameters
    ----------
    consensus
        From a file.
    n_columns
        Number of encoded columns.

    Returns
    -------
    str or None
        None if nothing is wrong.
    """
    rest: list[tuple[str, Any]] = [("consensus", consensus)]
    while rest:
        name, one = rest.pop()
        if isinstance(one, np.ndarray) and one.dtype.kind == "f":
            wrong = np.isnan(one) if name in MAY_BE_INFINITE else ~np.isfinite(one)
            if wrong.any():
                return f"the {name} of a view should be numbers, but some are not"
        elif isinstance(one, MatrixForm):
            for part in ("means", "deviations", "with_missing"):
                if np.shape(getattr(one, part)) != (n_columns,):
                    return f"the {part} of its columns should be {n_columns} numbers"
        if dataclasses.is_dataclass(one) and not isinstance(one, type):
            rest += [(field.name, getattr(one, field.name)) for field in dataclasses.fields(one)]
        elif isinstance(one, list | tuple):
            rest += [(name, part) for part in one]
    return None


def probe_rows(columns: Sequence[Column]) -> np.ndarray:
    """Make encoded rows that reach from one end of every column to the other.

    Parameters
    ----------
    columns
        What the columns are.

    Returns
    -------
    array of shape (4, columns)
        An empty row, the first and the last value of all columns, and one between.
    """
    words = np.array([isinstance(column, CategoricalColumn) for column in columns])
    last = np.array(
        [len(c.categories) - 1 if isinstance(c, CategoricalColumn) else 1.0 for c in columns]
    )
    between = np.where(words, last // 2, 0.5)
    return np.stack([np.full(len(last), np.nan), 0 * last, last, between])
