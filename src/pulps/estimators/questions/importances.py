r"""How much each column of a table matters to a fitted model, without the rows of the fit.

Rows are made up column by column from the distributions that the model remembers
(:class:`~pulps.estimators.questions.training_summary.TrainingSummary`), so that columns are
independent of each other, as when they are permuted. The importance of a column is the mean size
of the change of the decision when it becomes unknown: traced by a network, missing for the views
of a consensus. Two columns that say the same are both important.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pulps.tables.columns import CategoricalColumn

N_ROWS = 200


def column_importances(model: Any) -> np.ndarray:
    """Mean size of the change of the decision if each column becomes unknown.

    Parameters
    ----------
    model
        A fitted classifier of tables that remembers the distributions of its rows.

    Returns
    -------
    array of shape (columns of the table,)
        They sum to one, unless all are zero; columns that are not used have zero.
    """
    columns, summary = model.encoder_.columns_, model.training_summary_
    rng = np.random.RandomState(0)
    rows = np.empty((N_ROWS, len(columns)))
    for place, column in enumerate(columns):
        levels = summary.places[place]
        drawn = levels[rng.randint(len(levels), size=N_ROWS)]
        if isinstance(column, CategoricalColumn):
            drawn = np.rint(drawn)  # between two codes there is none
        missing = rng.uniform(size=N_ROWS) < summary.missing[place]
        rows[:, place] = np.where(missing, np.nan, drawn)
    decision = model.decision_of_encoded(rows)
    index = np.array([column.index for column in columns])
    found = np.zeros(model.n_features_in_)
    for number in np.unique(index):
        without = np.where(index == number, np.nan, rows)
        found[number] = np.abs(decision - model.decision_of_encoded(without)).mean()
    return found / (found.sum() or 1.0)
