"""Rows as JSON: what clients send becomes a table, and tables become what clients read."""

from __future__ import annotations

import math
from typing import Annotated, Any

import numpy as np
import pandas as pd
from pydantic import Field, StrictBool, StrictFloat, StrictInt, StrictStr

from pulps.estimators.classes.names import class_names
from pulps.io.naming import listed, quoted
from pulps.io.plain import plain
from pulps.scale.columns import column_keys, column_names, model_rows
from pulps.tables.columns import CategoricalColumn
from pulps.tables.reading import to_pandas

Cell = StrictBool | StrictInt | StrictFloat | Annotated[StrictStr, Field(max_length=10_000)] | None

MOST = np.finfo(float).max


def to_table(model: Any, rows: list[dict[str, Cell]]) -> Any:
    """Build a table with the columns of the fit; cells that are not given are missing.

    Parameters
    ----------
    model
        A fitted model.
    rows
        Cells by column name.

    Returns
    -------
    DataFrame or array
        What the model takes.

    Raises
    ------
    ValueError
        If a row names a column that the model does not have.
    """
    names = [str(name) for name in column_names(model)]
    known = set(names)
    for number, row in enumerate(rows):
        unknown = [name for name in row if name not in known]
        if unknown:
            raise ValueError(
                f"Row {number} has {quoted(unknown[0])}, which is not a column of the model. Its "
                f"columns are {listed(names, 20)}."
            )
        vast = [name for name, cell in row.items() if _is_vast(cell)]
        if vast:
            raise ValueError(
                f"Column {quoted(vast[0])} was given infinity. Send a finite number, or null."
            )
    cells = {name: pd.Series([row.get(name) for row in rows], dtype=object) for name in names}
    return model_rows(model, pd.DataFrame(cells))


def _is_vast(cell: Cell) -> bool:
    return isinstance(cell, int | float) and bool(abs(cell) > MOST)


def unseen_columns(model: Any, table: Any) -> list[list[str]]:
    """Tell for each row in which columns it holds a category that the fit did not see.

    Parameters
    ----------
    model
        A fitted model.
    table
        From :func:`to_table`.

    Returns
    -------
    list of list of str
    """
    encoder = model.encoder_
    series, values = encoder.series_of(table), encoder.transform(table)
    found: list[list[str]] = [[] for _ in values]
    for column, cells in zip(encoder.columns_, values.T, strict=True):
        if isinstance(column, CategoricalColumn):
            for row in np.flatnonzero(column.unknown(series[column.index], cells)):
                found[row].append(str(column.name))
    return found


def to_records(model: Any, table: Any) -> list[dict[str, Any]]:
    """Turn a table into records.

    Parameters
    ----------
    model
        The model that made the table.
    table
        Rows with the columns of the fit.

    Returns
    -------
    list of dict
        Cells by column name; missing ones are None.
    """
    frame = to_pandas(table, column_names(model))
    frame = frame.astype(object).where(frame.notna(), None)
    return [plain(record) for record in frame.to_dict("records")]


def conditions(model: Any, given: dict[str, Cell]) -> dict[Any, Any]:
    """Read the conditions of a draw.

    Parameters
    ----------
    model
        A fitted model.
    given
        Cells by column name.

    Returns
    -------
    dict
        What ``model.sample`` takes as ``given``; blanks are left out.
    """
    keys = column_keys(model)
    unknown = [name for name in given if name not in keys]
    if unknown:
        raise ValueError(
            f"There is no column {quoted(unknown[0])}. The columns are {listed(keys, 20)}."
        )
    for name, value in given.items():
        if isinstance(value, float) and not math.isfinite(value):
            raise ValueError(
                f"Column {quoted(name)} was given {value}. Send a finite number, or null."
            )
    return {keys[name]: value for name, value in given.items() if value is not None}


def attributes(model: Any) -> list[dict[str, Any]]:
    """Describe the columns that the model uses.

    Parameters
    ----------
    model
        A fitted model.

    Returns
    -------
    list of dict
        Name and kind of each column, with its range or its categories.
    """
    described = []
    for column in model.encoder_.columns_:
        item: dict[str, Any] = {"name": str(column.name)}
        if isinstance(column, CategoricalColumn):
            labels = column.shown(model.form_.columns[column.index].labels)
            item |= {"kind": "categories", "categories": [plain(label) for label in labels]}
        else:
            low, high = float(column.knots[0]), float(column.knots[-1])
            item |= {"kind": "numbers", "low": low, "high": high, "whole": column.whole}
        described.append(item)
    return described


def described(model: Any) -> dict[str, Any]:
    """Describe the columns and classes of a model, and tell whether it draws rows.

    Parameters
    ----------
    model
        A fitted model.

    Returns
    -------
    dict
    """
    return {
        "attributes": attributes(model),
        "classes": class_names(model)[::-1] if is_of_positives(model) else class_names(model),
        "several": not is_of_positives(model),
        "generates": generates(model),
    }


def is_of_positives(model: Any) -> bool:
    """Tell whether a model is one of labeled positives and unlabeled rows.

    Parameters
    ----------
    model
        A fitted model.

    Returns
    -------
    bool
        Not so for several classes.
    """
    return not hasattr(model, "class_scale_")


def generates(model: Any) -> bool:
    """Tell whether a model can draw rows: its network must have densities.

    Parameters
    ----------
    model
        A fitted model.

    Returns
    -------
    bool
    """
    network = getattr(model, "network_", None) if hasattr(model, "consensus_") else model
    return network is not None and network.density is not None
