"""Scores of rows, of a Dask DataFrame, a Ray Dataset and a Spark DataFrame.

The fitted model travels with each task; what comes back are the rows with three more columns.
If a worker dies, the engine computes its partition again elsewhere.
"""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from pulps.io.optional import needs
from pulps.scale.columns import check_columns, model_rows
from pulps.score import Scorer, load
from pulps.score.columns import (
    OF_CLASSES,
    SCORES,
    add_scores_to_each,
    as_columns,
    class_columns,
)


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
    if isinstance(model, Scorer):
        return model.score_names
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
    if isinstance(model, Scorer):
        return model.score_columns(rows)
    if hasattr(model, "class_scale_"):
        chances = model.predict_proba(rows) if len(rows) else np.zeros((0, len(model.classes_)))
        return class_columns(model.classes_, chances)
    decision = model.decision_function(rows) if len(rows) else np.zeros(0)
    return as_columns(model, decision)


def table_rows(model: Any, frame: pd.DataFrame, table: str = "The table") -> Any:
    """Take what a model reads out of a table.

    Parameters
    ----------
    model : PUClassifier, LPSClassifier or Scorer
        A fitted model, or one from :func:`pulps.score.load`, which finds its columns itself.
    frame : DataFrame
        Rows, with the columns of the model among others.
    table : str
        What to call the table in a message.

    Returns
    -------
    DataFrame or array
    """
    return frame if isinstance(model, Scorer) else model_rows(model, frame, table)


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
    for name, values in score_columns(model, table_rows(model, rows)).items():
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
    if score_names(model) == SCORES:
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


def score_spark(model: Any, frame: Any) -> Any:
    """Score a Spark DataFrame lazily, some rows at a time, by ``mapInPandas``.

    What travels to the workers is the model as :func:`pulps.score.load` reads it. So they need
    pandas, pyarrow, narwhals and ``pip install --no-deps pulps``, and no PyTorch.

    Parameters
    ----------
    model : PUClassifier, LPSClassifier or Scorer
        As in :func:`score_rows`.
    frame : pyspark.sql.DataFrame
        The columns of the fit; others are kept as they are.

    Returns
    -------
    pyspark.sql.DataFrame
        The rows with the columns ``positive``, ``probability`` and ``decision``.
    """
    with needs("spark", "Scoring a Spark DataFrame"):
        from pyspark.sql.types import DoubleType, LongType, StringType, StructField, StructType

    check_scorable(model, frame.columns, "The frame")
    sent = light(model)
    of_class = LongType() if sent.classes_.dtype.kind in "iu" else StringType()
    kinds = {"positive": LongType(), "class": of_class}
    added = [StructField(name, kinds.get(name, DoubleType())) for name in sent.score_names]
    schema = StructType([*frame.schema.fields, *added])
    return frame.mapInPandas(partial(add_scores_to_each, sent), schema)


def light(model: Any) -> Scorer:
    """Return what scores as a model does and needs NumPy alone.

    Parameters
    ----------
    model : PUClassifier, LPSClassifier or Scorer
        A fitted model.

    Returns
    -------
    Scorer
    """
    if isinstance(model, Scorer):
        return model
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "model.pulps"
        model.save(file)
        return load(file)
