"""Columns of scores beside rows: what files, frames and clusters get from any model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

SCORES = ("positive", "probability", "decision")


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


def add_scores(model: Any, rows: pd.DataFrame) -> pd.DataFrame:
    """Add the class, the probability and the decision to rows.

    Parameters
    ----------
    model : Scorer
        From :func:`pulps.score.load`.
    rows : DataFrame
        The columns of the fit; others are kept as they are.

    Returns
    -------
    DataFrame
        The rows with the columns ``positive``, ``probability`` and ``decision``.
    """
    decision = model.decision_function(rows) if len(rows) else np.zeros(0)
    return rows.assign(**as_columns(model, decision))


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
