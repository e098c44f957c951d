"""Which columns of a table are a model's.

A model fitted on a data frame knows its columns by name. One fitted on an array knows only
their order; in tables its columns are called ``x0``, ``x1`` and so on, as in reports and
draws. Every command, file and request goes through here, so that all of them accept the same
tables.
"""

from __future__ import annotations

from typing import Any

import pandas as pd


def column_names(model: Any) -> list[Any]:
    """Names of the columns a model was fitted on, in their order.

    Parameters
    ----------
    model : PUClassifier or LPSClassifier
        Fitted on a table or an array.

    Returns
    -------
    list
        As in the table; ``x0``, ``x1``, … for an array.
    """
    return [form.name for form in model.form_.columns]


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
    """Refuse a table that lacks columns of the model.

    Parameters
    ----------
    model : PUClassifier or LPSClassifier
        Fitted on a table or an array.
    columns : iterable
        Columns of the table.
    table : str
        What to call the table in a message.
    """
    present = {str(column) for column in columns}
    names = [str(name) for name in column_names(model)]
    absent = [name for name in names if name not in present]
    if absent:
        advice = "Add them; cells may be blank."
        if _is_array_model(model):
            advice = (
                "The model was fitted on an array without column names: name the columns of the "
                f"table {names[0]} to {names[-1]}, in the order of the array."
            )
        raise ValueError(
            f"{table} lacks {len(absent)} of the {len(names)} columns the model was fitted on: "
            f"{', '.join(absent[:10])}. {advice}"
        )


def model_rows(model: Any, frame: pd.DataFrame, table: str = "The table") -> Any:
    """Select the columns of a model from a table, in the order of the fit.

    Parameters
    ----------
    model : PUClassifier or LPSClassifier
        Fitted on a table or an array.
    frame : DataFrame
        Rows, with the columns of the model among others.
    table : str
        What to call the table in a message.

    Returns
    -------
    DataFrame or array
        What ``predict``, ``impute`` and ``report`` of this model take: an array if the model
        was fitted on one.
    """
    check_columns(model, frame.columns, table)
    present = {str(column): column for column in frame.columns}
    names = column_names(model)
    rows = frame[[present[str(name)] for name in names]].set_axis(names, axis=1)
    if not _is_array_model(model):
        return rows
    try:
        return rows.to_numpy(dtype=float, na_value=float("nan"))
    except (TypeError, ValueError):
        words = [name for name in names if not pd.api.types.is_numeric_dtype(rows[name])]
        raise ValueError(
            f"{table} holds text in {', '.join(words[:10])}, but the model was fitted on an array "
            "of numbers. Pass numbers; cells may be blank."
        ) from None


def _is_array_model(model: Any) -> bool:
    return model.form_.library == "numpy"
