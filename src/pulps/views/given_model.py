"""Fitted classifiers of somebody else, one per fold, and the mean of what they say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pulps.views.rows import Rows

SUREST = 1e-6  # probabilities closer to 0 or 1 are not told apart


@dataclass(frozen=True)
class GivenModel:
    """Fitted classifiers, one per fold.

    Parameters
    ----------
    models
        Classifiers of labeled against unlabeled rows.
    reads
        ``"matrix"`` or ``"codes"``: what they see of the rows.
    """

    models: list[Any]
    reads: str = "matrix"

    def score(self, rows: Rows) -> np.ndarray:
        """Mean score over the folds.

        Parameters
        ----------
        rows
            Rows.

        Returns
        -------
        array of shape (rows,)
        """
        cells = getattr(rows, self.reads)
        return np.mean([decision_of(model, cells) for model in self.models], axis=0)


def decision_of(model: Any, cells: np.ndarray) -> np.ndarray:
    """Decision of a fitted classifier, or the log-odds of its probability.

    Parameters
    ----------
    model
        Has ``decision_function`` or ``predict_proba``.
    cells
        What it sees of the rows.

    Returns
    -------
    array of shape (rows,)
    """
    if hasattr(model, "decision_function"):
        return np.asarray(model.decision_function(cells), dtype=float)
    chance = np.clip(model.predict_proba(cells)[:, 1], SUREST, 1 - SUREST)
    return np.log(chance) - np.log1p(-chance)
