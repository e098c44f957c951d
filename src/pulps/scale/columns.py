"""Which columns of a table are a model's.

A model fitted on a data frame knows its columns by name. One fitted on an array knows only
their order; in tables its columns are called ``x0``, ``x1`` and so on, as in reports and
draws. Every command, file and request goes through here, so that all of them accept the same
tables.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd

from pulps.io.naming import listed, shown
from pulps.score import Scorer
from pulps.tables.cells import numbers_of
from pulps.tables.columns import NumericColumn


def column_names(model: Any) -> list[Any]:
    """Names of the columns that a model writes rows with, in their order.

    Parameters
    ----------
    model : PUClassifier or LPSClassifier
        Fitted on a table or an array.

    Returns
    -------
    list
        As in the table, without those that were left out; ``x0``, ``x1``, … for an array.
    """
    return [form.name for form in model.form_.written]


def column_keys(model: Any) -> dict[str, Any]:
    """Map the name of each column, as text, to what the model's methods call it.

    Parameters
    ----------
    model : PUClassifier or LPSClassifier
        Fitted on a table or an array.

    Returns
    -------
    dict
        From text to the column's name, or to its index for a model fitted on an array.
    """
    names = column_names(model)
    keys = range(len(names)) if _is_array_model(model) else names
    return {str(name): key for name, key in zip(names, keys, strict=True)}


def check_columns(model: Any, columns: Any, table: str) -> None:
    """Refuse a table that lacks columns that the model uses.

    Parameters
    ----------
    model : PUClassifier or LPSClassifier
        Fitted on a table or an array.
    columns : iterable
        Columns of the table.
    table : str
        What to call the table in a message.
    """
    present = [str(column) for column in columns]
    encoder = model.encoder if isinstance(model, Scorer) else model.encoder_
    names = [str(name) for name in encoder.needed_names]
    absent = [name for name in names if name not in present]
    if absent:
        advice = f"It has {listed(present, 20)}. Add what is missing; cells may be blank."
        if encoder.names_ is None:
            advice = (
                "The model was fitted on an array without column names: name the columns of the "
                f"table {shown(names[0])} to {shown(names[-1])}, in the order of the array."
            )
        raise ValueError(
            f"{table} lacks {len(absent)} of the {len(names)} columns the model was fitted on: "
            f"{listed(absent)}. {advice}"
        )


def model_rows(
    model: Any,
    frame: pd.DataFrame,
    table: str = "The table",
    *,
    decimal: str | None = None,
    certain: bool = False,
) -> Any:
    """Select the columns of a model from a table, in the order of the fit.

    Parameters
    ----------
    model : PUClassifier or LPSClassifier
        Fitted on a table or an array.
    frame : DataFrame
        Rows, with the columns of the model among others.
    table : str
        What to call the table in a message.
    decimal : str, optional
        Decimal mark of numbers that are text, where the fit does not know it.
    certain : bool
        Whether the mark holds whatever the fit knows.

    Returns
    -------
    DataFrame or array
        What ``predict``, ``impute`` and ``report`` of this model take: an array if the model
        was fitted on one.
    """
    check_columns(model, frame.columns, table)
    present = {str(column): column for column in frame.columns}
    names = [name for name in column_names(model) if str(name) in present]
    rows = frame[[present[str(name)] for name in names]].set_axis(names, axis=1)
    if decimal is not None:
        for column in model.encoder_.columns_:
            if _has_text(column, rows, model) and (certain or not column.decimal):
                name = names[column.index] if _is_array_model(model) else column.name
                marked = replace(column, decimal=decimal)
                rows[name] = marked.read(nw.from_native(rows[name], series_only=True))
    if not _is_array_model(model):
        return rows
    try:
        columns = [
            numbers_of(name, nw.from_native(rows[name], series_only=True)) for name in names
        ]
    except ValueError as error:
        words = [name for name in names if not pd.api.types.is_numeric_dtype(rows[name])]
        raise ValueError(
            f"{table} holds text in {listed(words)}, but the model was fitted on an array "
            f"of numbers. Pass numbers; cells may be blank. {error}"
        ) from None
    return np.column_stack(columns)


def _has_text(column: Any, rows: pd.DataFrame, model: Any) -> bool:
    if not isinstance(column, NumericColumn) or column.part:
        return False
    cells = rows.iloc[:, column.index] if _is_array_model(model) else rows[column.name]
    return not pd.api.types.is_numeric_dtype(cells)


def _is_array_model(model: Any) -> bool:
    return model.form_.library == "numpy"
