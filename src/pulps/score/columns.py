"""Columns of scores beside rows: what files, frames and clusters get from any model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

SCORES = ("positive", "probability", "decision")
OF_CLASSES = ("class", "probability")


def as_columns(model: Any, decision: np.ndarray) -> dict[str, np.ndarray]:
    """Tell all that a decision says, by name.

    Parameters
    ----------
    model
        Has ``probability_of``.
    decision
        From ``decision_function``.

    Returns
    -------
    dict of arrays
        The columns ``SCORES``.
    """
    columns = ((decision > 0).astype(np.int64), model.probability_of(decision), decision)
    return dict(zip(SCORES, columns, strict=True))


def class_columns(classes: np.ndarray, chances: np.ndarray) -> dict[str, np.ndarray]:
    """Tell the most probable class of rows and its probability, by name.

    Parameters
    ----------
    classes
        The classes.
    chances
        Their probabilities, shape (rows, classes).

    Returns
    -------
    dict of arrays
        The columns ``OF_CLASSES``.
    """
    columns = classes[chances.argmax(axis=1)], chances.max(axis=1, initial=0.0)
    return dict(zip(OF_CLASSES, columns, strict=True))


def add_scores(model: Any, rows: pd.DataFrame) -> pd.DataFrame:
    """Add what a model says of rows to them.

    Parameters
    ----------
    model : Scorer
        From :func:`pulps.score.load`.
    rows : DataFrame
        The columns of the fit; others are kept as they are.

    Returns
    -------
    DataFrame
        The rows with the columns ``positive``, ``probability`` and ``decision``; of several
        classes, with ``class`` and ``probability``.
    """
    return rows.assign(**model.score_columns(rows))


def add_scores_to_each(model: Any, parts: Iterable[pd.DataFrame]) -> Iterator[pd.DataFrame]:
    """Add scores to one frame after the other, as Spark asks for it.

    Parameters
    ----------
    model : Scorer
        From :func:`pulps.score.load`.
    parts : iterable of DataFrame
        Rows.

    Yields
    ------
    DataFrame
    """
    for part in parts:
        yield add_scores(model, part)
