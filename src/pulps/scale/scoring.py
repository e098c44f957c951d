"""Scores of rows, of the partitions of a Dask DataFrame and of the blocks of a Ray Dataset.

The fitted model travels with each task; what comes back are the rows with three more columns.
If a worker dies, the engine computes its partition again elsewhere.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from pulps.scale.columns import check_columns, model_rows

SCORES = ("positive", "probability", "decision")
OF_CLASSES = ("class", "probability")


def check_scorable(model: Any, columns: Any, table: str) -> None:
    """Refuse a table that lacks columns of the model, or already has a column of scores.

    Parameters
    ----------
    model : PUClassifier or LPSClassifier
        Fitted on a table or an array.
    columns : iterable
        Columns of the table.
    table : str
        What to call the table in a message.
    """
    check_columns(model, columns, table)
    clash = set(score_names(model)) & set(columns)
    if clash:
        raise ValueError(
            f"{table} already has a column named {', '.join(sorted(clash))}, which would be "
            "overwritten by the scores. Rename it first."
        )


def score_names(model: Any) -> tuple[str, ...]:
    """Name the columns that scores are written to.

    Parameters
    ----------
    model
        A fitted model.

    Returns
    -------
    tuple of str
        Those of a positive class, or of several classes.
    """
    return OF_CLASSES if hasattr(model, "class_scale_") else SCORES


def score_columns(model: Any, rows: Any) -> dict[str, np.ndarray]:
    """Score rows that hold the columns of a model and no others.

    Parameters
    ----------
    model : PUClassifier or LPSClassifier
        A fitted model.
    rows : DataFrame or array
        As at fit.

    Returns
    -------
    dict of arrays
        ``positive`` (1 or 0), ``probability`` of the positive class, and ``decision``, which
        is positive where the row is called positive. For several classes, ``class`` and the
        ``probability`` of that class.
    """
    if hasattr(model, "class_scale_"):
        chances = model.predict_proba(rows) if len(rows) else np.zeros((0, len(model.classes_)))
        best = chances.argmax(axis=1)
        return {"class": model.classes_[best], "probability": chances.max(axis=1, initial=0.0)}
    decision = model.decision_function(rows) if len(rows) else np.zeros(0)
    return {
        "positive": (decision > 0).astype(np.int64),
        "probability": model.probability_of(decision),
        "decision": decision,
    }


def score_rows(model: Any, rows: pd.DataFrame) -> pd.DataFrame:
    """Add the class, the probability and the decision to rows.

    Parameters
    ----------
    model : PUClassifier or LPSClassifier
        Fitted on a table, or on an array, whose columns are called ``x0``, ``x1``, …
    rows : DataFrame
        The columns of the fit; others are kept as they are.

    Returns
    -------
    DataFrame
        The rows with the columns ``positive``, ``probability`` and ``decision``.
    """
    scored = rows.copy(deep=False)
    for name, values in score_columns(model, model_rows(model, rows)).items():
        scored[name] = values
    return scored


def score_dask(model: Any, frame: Any) -> Any:
    """Score a Dask DataFrame lazily, partition by partition.

    Parameters
    ----------
    model : PUClassifier or LPSClassifier
        As in :func:`score_rows`.
    frame : dask.dataframe.DataFrame
        The columns of the fit; others are kept as they are.

    Returns
    -------
    dask.dataframe.DataFrame
        The rows with the columns ``positive``, ``probability`` and ``decision``.
    """
    check_scorable(model, frame.columns, "The frame")
    like = frame._meta.assign(**_first_scores(model))
    return frame.map_partitions(lambda part: score_rows(model, part), meta=like)


def _first_scores(model: Any) -> dict[str, Any]:
    """Scores of no row, for their names and types."""
    if not hasattr(model, "class_scale_"):
        return {"positive": np.int64(), "probability": 0.0, "decision": 0.0}
    return {"class": model.classes_[:0].astype(object), "probability": 0.0}


def score_ray(model: Any, dataset: Any) -> Any:
    """Score a Ray Dataset lazily, block by block.

    Parameters
    ----------
    model : PUClassifier or LPSClassifier
        As in :func:`score_rows`.
    dataset : ray.data.Dataset
        The columns of the fit; others are kept as they are.

    Returns
    -------
    ray.data.Dataset
        The rows with the columns ``positive``, ``probability`` and ``decision``.
    """
    check_scorable(model, dataset.columns(), "The dataset")
    return dataset.map_batches(partial(score_rows, model), batch_format="pandas", batch_size=None)
