"""What a fit remembers of its rows, to tell later whether new ones are like them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pulps.labels import every_nth
from pulps.tables.ordering import quantiles

if TYPE_CHECKING:
    from pulps.estimators.tables.encoded_table import EncodedTable

N_LEVELS = 101
MOST_ROWS = 20_000


@dataclass(frozen=True)
class TrainingSummary:
    """Distributions of the training rows that are a sample of the population.

    Parameters
    ----------
    n_rows
        Rows they stand for.
    missing
        Share of missing cells of every column used, shape (columns,).
    places, below
        Encoded values of every column, increasing, and the share of the rows at or below each,
        shape (columns, levels) each.
    score_places, score_below
        The same of the score before it is cut, shape (levels,) each.
    """

    n_rows: float
    missing: np.ndarray
    places: np.ndarray
    below: np.ndarray
    score_places: np.ndarray
    score_below: np.ndarray

    def fault(self, n_columns: int) -> str | None:
        """Say what is wrong with a summary that was read from a file.

        Parameters
        ----------
        n_columns
            Columns that the model uses.

        Returns
        -------
        str or None
            None if nothing is wrong.
        """
        shapes = {
            "missing": (n_columns,),
            "places": (n_columns, N_LEVELS),
            "below": (n_columns, N_LEVELS),
            "score_places": (N_LEVELS,),
            "score_below": (N_LEVELS,),
        }
        for name, shape in shapes.items():
            value = getattr(self, name)
            if not isinstance(value, np.ndarray) or value.dtype.kind != "f":
                return f"{name} of its training_summary_ should be an array of floats"
            if value.shape != shape or not np.isfinite(value).all():
                return f"{name} of its training_summary_ should be {shape} finite numbers"
        n_rows: Any = self.n_rows
        if not isinstance(n_rows, int | float) or not 0 < n_rows < np.inf:
            return "n_rows of its training_summary_ should be a positive number"
        return None


def summarize_training(table: EncodedTable, scores: np.ndarray, scenario: str) -> TrainingSummary:
    """Summarize the rows of a fit; of very many, some.

    Parameters
    ----------
    table
        Its rows, labels and weights.
    scores
        Score of each row, before it is cut.
    scenario
        How the rows were drawn; in case-control labeled ones are no sample of the population.

    Returns
    -------
    TrainingSummary
    """
    labeled, weights = table.labeled, table.weights
    kept = ~labeled if scenario == "case-control" else np.ones(len(labeled), dtype=bool)
    rows = np.flatnonzero(kept)
    rows = rows[every_nth(len(rows), MOST_ROWS)]
    cells, mass = np.asarray(table.values[rows]), weights[rows]
    pairs = [_cumulative(column, mass) for column in cells.T]
    score_places, score_below = _cumulative(scores[rows], mass)
    return TrainingSummary(
        float(weights[kept].sum()),
        (mass[:, None] * np.isnan(cells)).sum(axis=0) / mass.sum(),
        np.array([places for places, _ in pairs]),
        np.array([below for _, below in pairs]),
        score_places,
        score_below,
    )


def _cumulative(numbers: np.ndarray, mass: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Places among some numbers, and the share of the numbers at or below each."""
    known = ~np.isnan(numbers)
    if not known.any():
        return np.zeros(N_LEVELS), np.ones(N_LEVELS)
    numbers, mass = numbers[known], mass[known]
    places = quantiles(numbers, np.linspace(0, 1, N_LEVELS), mass)
    return places, share_at_or_below(numbers, places, mass)


def share_at_or_below(
    numbers: np.ndarray, places: np.ndarray, mass: np.ndarray | None = None
) -> np.ndarray:
    """Share of some numbers at or below each place.

    Parameters
    ----------
    numbers
        Without NaN.
    places
        Increasing.
    mass
        Weight of each number; None weighs all alike.

    Returns
    -------
    array of the shape of places

    Examples
    --------
    >>> share_at_or_below(np.array([1.0, 2.0, 2.0, 4.0]), np.array([0.0, 2.0, 4.0]))
    array([0.  , 0.75, 1.  ])
    """
    order = np.argsort(numbers, kind="stable")
    weight = np.ones(len(numbers)) if mass is None else mass[order]
    total = np.concatenate([[0.0], np.cumsum(weight)])
    return total[np.searchsorted(numbers[order], places, side="right")] / total[-1]
