"""Which rows to look at next: where an answer would teach most, or is most likely a yes."""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np

from pulps.labels import missing_labels, take_negatives
from pulps.labels.negatives import UNLABELED
from pulps.tables.matrix import MatrixForm

How = Literal["diverse", "uncertain", "likely"]
WIDER = 5  # times as many rows as are wanted, to choose diverse ones from


def suggest_rows(model: Any, X: Any, n: int, how: How, y: Any = None) -> np.ndarray:
    """Choose rows to look at next.

    Parameters
    ----------
    model
        A fitted classifier of tables.
    X
        Rows of the same kind as in ``fit``.
    n
        How many rows.
    how
        ``"diverse"``: far from each other and from rows that are known, among the rows that are
        most likely positive or nearly so. ``"uncertain"``: nearest to the cut. ``"likely"``: most
        likely positive.
    y
        What is known of the rows: the values of unlabeled rows may be chosen, as may missing
        ones. None takes every row for unlabeled.

    Returns
    -------
    array of int
        Numbers of the rows, the most wanted first; fewer than ``n`` if there are no more.
    """
    if how not in get_args(How):
        raise ValueError(f"how is {how!r}; it must be one of {', '.join(get_args(How))}.")
    if n < 1:
        raise ValueError(f"n is {n}; ask for one row at least.")
    values = model.encode(X)
    open_rows = _open_rows(model, y, len(values))
    if not open_rows.any():
        raise ValueError(
            f"y leaves none of the {len(values)} rows open: all are known. Pass rows that nobody "
            "has looked at."
        )
    decision = model.decision_of_encoded(values)
    rows = np.flatnonzero(open_rows)
    if how == "uncertain":
        return rows[np.argsort(np.abs(decision[rows]), kind="stable")][:n]
    order = rows[np.argsort(-decision[rows], kind="stable")]
    if how == "likely":
        return order[:n]
    n_called = int((decision[rows] > 0).sum())
    pool = order[: max(WIDER * n, n_called + n)]
    matrix = MatrixForm.of(values, model.encoder_.columns_).write(values)
    return _spread_out(matrix, pool, np.flatnonzero(~open_rows), n)


def _open_rows(model: Any, y: Any, n_rows: int) -> np.ndarray:
    """Which rows nobody has looked at: labels other than the unlabeled value are answers."""
    if y is None:
        return np.ones(n_rows, dtype=bool)
    labels = np.asarray(y)
    if labels.shape != (n_rows,):
        raise ValueError(
            f"y has shape {labels.shape}, but X has {n_rows} rows. Pass one label per row."
        )
    unlabeled = UNLABELED if take_negatives(labels)[1] is not None else model.classes_[0]
    return np.asarray(labels == unlabeled, dtype=bool) | missing_labels(labels)


def _spread_out(matrix: np.ndarray, pool: np.ndarray, known: np.ndarray, n: int) -> np.ndarray:
    """Choose rows one by one, each farthest from those that are known or chosen already."""
    points = matrix[pool]
    distance = np.full(len(pool), np.inf)
    for row in known:
        distance = np.minimum(distance, np.square(points - matrix[row]).sum(axis=1))
    chosen: list[int] = []
    for _ in range(min(n, len(pool))):
        best = int(np.argmax(distance))  # the first of equals, which is the most likely
        chosen.append(best)
        distance = np.minimum(distance, np.square(points - points[best]).sum(axis=1))
        distance[chosen] = -1.0
    return pool[chosen]
