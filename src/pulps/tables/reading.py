"""Columns of any table, pandas, polars, pyarrow or an array, read as numbers or categories."""

from __future__ import annotations

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
from sklearn.utils.validation import check_array


def is_table(X) -> bool:
    """Whether X is a pandas, polars or pyarrow table, as opposed to an array.

    Parameters
    ----------
    X
        What came.

    Returns
    -------
    bool
    """
    return nw.dependencies.is_into_dataframe(X)


def read_columns(X) -> tuple[list[str], list]:
    """Names and columns of a pandas, polars or pyarrow table, or of an array.

    Parameters
    ----------
    X
        The table.

    Returns
    -------
    names, columns
        Columns of an array are called "x0", "x1" and so on.
    """
    if is_table(X):
        names = list(X.column_names if hasattr(X, "column_names") else X.columns)
        repeated = sorted({str(name) for name in names if names.count(name) > 1})
        if repeated:
            raise ValueError(
                f"The table has more than one column named {', '.join(repeated)}. "
                "Rename or drop the copies."
            )
        columns = list(nw.from_native(X, eager_only=True).iter_columns())
        if not columns or not len(columns[0]):
            raise ValueError(
                f"The table has {len(columns)} columns and {len(columns[0]) if columns else 0} "
                "rows; at least one of each is needed."
            )
        return names, columns
    array = check_array(X, dtype="numeric", ensure_all_finite="allow-nan")
    return [f"x{index}" for index in range(array.shape[1])], list(array.T)


def is_categorical(column) -> bool:
    """Whether a column's type says it holds categories.

    Parameters
    ----------
    column
        From :func:`read_columns`.

    Returns
    -------
    bool
    """
    if isinstance(column, np.ndarray):
        return False
    if column.dtype == nw.Object:
        return not _all_numbers(column)
    return column.dtype in (nw.String, nw.Categorical, nw.Boolean) or isinstance(
        column.dtype, nw.Enum
    )


def _all_numbers(column) -> bool:
    return pd.api.types.infer_dtype(column.to_numpy(), skipna=True) in (
        "integer",
        "floating",
        "mixed-integer-float",
        "decimal",
        "empty",
    )


def numbers_of(name, column) -> np.ndarray:
    """Read a numeric column as floats, NaN where missing.

    Parameters
    ----------
    name
        Its name, for the message if it holds something else.
    column
        From :func:`read_columns`.

    Returns
    -------
    array of float
    """
    if isinstance(column, np.ndarray):
        values = column.astype(float)
    elif column.dtype.is_numeric() or column.dtype == nw.Boolean or column.dtype == nw.Unknown:
        values = np.asarray(column.cast(nw.Float64).to_numpy(), dtype=float)
    else:
        try:
            values = pd.to_numeric(pd.Series(column.to_list(), dtype=object)).to_numpy(float)
        except (ValueError, TypeError):
            raise ValueError(
                f"Column {name!r} is of type {column.dtype} and was expected to hold numbers, "
                "as at fit. Convert it, or name it in categorical_features. Dates "
                "can become numbers by subtracting a reference date."
            ) from None
    if np.isinf(values).any():
        raise ValueError(
            f"Column {name!r} holds infinity in {int(np.isinf(values).sum())} rows; numbers "
            "must be finite or missing. Replace them, or set them to NaN to have them "
            "traced out."
        )
    return values


def categories_of(column, like: np.ndarray | None = None) -> np.ndarray:
    """Read a categorical column as numbers or strings.

    Numbers stay numbers, so that 1 and 1.0 are one category; anything else is compared as
    text.

    Parameters
    ----------
    column
        From :func:`read_columns`.
    like
        Categories of the fit, which decide between numbers and text; None decides anew.

    Returns
    -------
    array
        None or NaN where missing.
    """
    if isinstance(column, np.ndarray):
        raw = pd.Series(column, dtype=float)
    else:
        raw = pd.Series(column.to_list(), dtype=object)
    raw = raw.where(raw.notna(), None)
    numeric = (
        like.dtype.kind == "f"
        if like is not None
        else bool(len(raw.dropna()))
        and raw.dropna().map(lambda v: isinstance(v, float | int)).all()
    )
    if numeric:
        return pd.to_numeric(raw, errors="coerce").to_numpy(dtype=float)
    return raw.map(str, na_action="ignore").to_numpy(dtype=object)


def to_pandas(X, names) -> pd.DataFrame:
    """Copy any table the model takes into a pandas frame with these column names.

    Parameters
    ----------
    X
        The table, or an array.
    names
        Names of the columns.

    Returns
    -------
    pandas.DataFrame
    """
    if is_table(X):
        frame = nw.from_native(X, eager_only=True).to_pandas().copy()
        frame.columns = [str(name) for name in names]
        return frame.reset_index(drop=True)
    return pd.DataFrame(np.asarray(X), columns=[str(name) for name in names])
