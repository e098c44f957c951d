"""Scores of rows, and of the partitions of a Dask DataFrame or the blocks of a Ray Dataset.

The fitted model is sent along with the task; what comes back are the rows with three more
columns. A worker that dies costs its partition, which the engine computes again elsewhere.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import expit

SCORES = ("positive", "probability", "log_ratio")


def check_columns(model: Any, columns: Any, name: str) -> None:
    """Refuse a table that lacks columns of the fit or has one of ours already."""
    absent = [column for column in model.feature_names_in_ if column not in columns]
    if absent:
        raise ValueError(
            f"{name} lacks {len(absent)} of the {model.n_features_in_} columns the model "
            f"was fitted on: {', '.join(absent[:10])}. Add them; cells may be blank."
        )
    clash = set(SCORES) & set(columns)
    if clash:
        raise ValueError(
            f"{name} already has a column named {', '.join(sorted(clash))}, which "
            "this command would write. Rename it first."
        )


def score_rows(model: Any, rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows with their class, probability and log-ratio.

    Parameters
    ----------
    model : LPSClassifier
        Fitted on a table with column names.
    rows : DataFrame
        Columns of the fit; others are kept as they are.
    """
    scored = rows.copy(deep=False)
    if len(rows):
        decision = model.decision_function(rows[list(model.feature_names_in_)])
    else:
        decision = np.zeros(0)
    scored["positive"] = (decision > 0).astype(np.int64)
    scored["probability"] = expit(model.slope_ * decision)
    scored["log_ratio"] = decision
    return scored


def score_dask(model: Any, frame: Any) -> Any:
    """Score a Dask DataFrame lazily, partition by partition.

    Parameters
    ----------
    model : LPSClassifier
        Fitted on a table with column names.
    frame : dask.dataframe.DataFrame
        Columns of the fit; others are kept as they are.

    Returns
    -------
    dask.dataframe.DataFrame
    """
    check_columns(model, frame.columns, "The frame")
    like = frame._meta.assign(positive=np.int64(), probability=0.0, log_ratio=0.0)
    return frame.map_partitions(lambda part: score_rows(model, part), meta=like)


def score_ray(model: Any, dataset: Any) -> Any:
    """Score a Ray Dataset lazily, block by block.

    Parameters
    ----------
    model : LPSClassifier
        Fitted on a table with column names.
    dataset : ray.data.Dataset
        Columns of the fit; others are kept as they are.

    Returns
    -------
    ray.data.Dataset
    """
    check_columns(model, dataset.columns(), "The dataset")
    return dataset.map_batches(partial(score_rows, model), batch_format="pandas", batch_size=None)
