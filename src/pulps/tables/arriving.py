"""What users pass for a table: taken as it is, made a table, or refused with the call to make."""

from __future__ import annotations

import sys
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from pulps.io.naming import quoted

if TYPE_CHECKING:
    import pandas as pd

TEXT = "OUST"  # kinds of arrays that may hold words: objects, str, bytes, StringDType

# Tables that are not here yet, by narwhals' name for them, and how to fetch them.
CALLS = {
    "polars_lazyframe": "X.collect()",
    "dask_dataframe": "X.compute(), or score its parts with pulps.scale",
    "duckdb_relation": "X.df()",
    "pyspark_dataframe": "X.toPandas()",
    "pyspark_connect_dataframe": "X.toPandas()",
    "ibis_table": "X.to_pandas()",
}


def arrived(X: Any) -> Any:
    """Make a table or an array of numbers of what came, if that takes no guess.

    Parameters
    ----------
    X
        What a user passed.

    Returns
    -------
    object
        A pandas table for an array that holds words, whose columns are called x0, x1 and so on;
        a pyarrow table for a record batch; NaN for masked cells of an array; everything else as
        it came.

    Raises
    ------
    ValueError
        For a table that is not in memory yet, or is none; the message names the call to make.
    """
    if isinstance(X, np.ma.MaskedArray):
        return np.ma.filled(X.astype(float), np.nan)
    if isinstance(X, np.ndarray) and X.dtype.kind in "biufc":
        return X
    if _of_pyarrow(X, "RecordBatch"):
        return sys.modules["pyarrow"].Table.from_batches([X])  # loaded, since a batch is here
    _refuse(X)
    if isinstance(X, np.ndarray | list | tuple):
        return _with_words(X)
    return X


def _refuse(X: Any) -> None:
    """Raise for what is no table in memory."""
    rows = isinstance(X, list | tuple) and len(X) > 0 and all(isinstance(one, dict) for one in X)
    named = isinstance(X, dict) and not hasattr(X, "toarray")  # as some sparse arrays are
    if named or rows or (isinstance(X, np.ndarray) and X.dtype.names):
        raise ValueError(f"X is a {type(X).__name__} of named values. Pass pandas.DataFrame(X).")
    if isinstance(X, np.ndarray | list | tuple):
        return
    if isinstance(X, str | PathLike):
        raise ValueError(
            f"X is {quoted(str(X))}, not a table. Read the file first, such as with "
            "pandas.read_csv, and pass what it returns."
        )
    from narwhals import dependencies  # the stable ones of 2.0 lack some

    kind = f"a {type(X).__name__} of {type(X).__module__.partition('.')[0]}"
    for name, call in CALLS.items():
        if getattr(dependencies, f"is_{name}")(X):
            raise ValueError(f"X is {kind}, whose rows are not in memory. Pass {call}.")
    if _of_pyarrow(X, "RecordBatchReader"):
        raise ValueError(f"X is {kind}, which can be read once only. Pass X.read_all().")
    if dependencies.is_into_series(X):
        raise ValueError(
            f"X is a {type(X).__name__}, not a table. Pass a table: of one column, such as "
            "series.to_frame(), or of one row, such as table.iloc[[0]]."
        )


def _of_pyarrow(X: Any, name: str) -> bool:
    return type(X).__name__ == name and type(X).__module__.partition(".")[0] == "pyarrow"


def _with_words(X: Any) -> Any:
    """Make a table of rows that hold words; each column gets the type of its cells."""
    try:
        array = X if isinstance(X, np.ndarray) else np.asarray(X)
    except ValueError:  # rows of several lengths, which are refused later
        return X
    if array.dtype.kind not in TEXT or array.ndim != 2 or not array.size:
        return X
    if isinstance(X, list | tuple):  # numbers beside words became words
        array = np.array(X, dtype=object)
    try:
        array.astype(float)
    except OverflowError:
        raise ValueError(
            "X holds whole numbers beyond the range of floats, which ends at 1.8e308. Leave them "
            "out, or pass their logarithms."
        ) from None
    except (TypeError, ValueError):
        return words_table(array)
    return X


def words_table(array: np.ndarray) -> pd.DataFrame:
    """Make a pandas table of an array that holds words.

    Parameters
    ----------
    array
        Of objects or text, shape (rows, columns).

    Returns
    -------
    pandas.DataFrame
        Columns are called x0, x1 and so on.

    Examples
    --------
    >>> words_table(np.array([["red", 1.5], ["blue", 2.0]], dtype=object)).dtypes.tolist()[1]
    dtype('float64')
    """
    import pandas as pd

    names = [f"x{index}" for index in range(array.shape[1])]
    return pd.DataFrame(array.astype(object), columns=names).infer_objects()
