"""Columns of any table, pandas, polars, pyarrow or an array, read as numbers or categories.

Like :mod:`pulps.tables.cells`, this needs no library but the one that a table comes from.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from pulps.io.naming import listed, quoted
from pulps.tables.arriving import arrived
from pulps.tables.cells import TextColumn, is_missing, read_numbers, texts_of

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class TextTable:
    """A table of text that no data frame holds.

    Parameters
    ----------
    columns
        By name.
    """

    columns: dict[str, TextColumn]

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(next(iter(self.columns.values())))


def is_table(X: Any) -> bool:
    """Whether X is a pandas, polars or pyarrow table, as opposed to an array.

    Parameters
    ----------
    X
        What came.

    Returns
    -------
    bool
    """
    if isinstance(X, np.ndarray | list | TextTable):
        return False
    import narwhals.stable.v2 as nw

    return nw.dependencies.is_into_dataframe(X)


def read_columns(X: Any) -> tuple[list[str], list[Any]]:
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
    if isinstance(X, TextTable):
        return list(X.columns), list(X.columns.values())
    X = arrived(X)
    if is_table(X):
        import narwhals.stable.v2 as nw

        names = list(X.column_names if hasattr(X, "column_names") else X.columns)
        repeated = sorted(str(name) for name, count in Counter(names).items() if count > 1)
        if repeated:
            raise ValueError(
                f"The table has more than one column named {listed(repeated)}. Rename or drop "
                "the copies."
            )
        columns = list(nw.from_native(_known_types(X), eager_only=True).iter_columns())
        if not columns or not len(columns[0]):
            raise ValueError(
                f"The table has {len(columns)} column{'s' * (len(columns) != 1)} to learn from "
                f"and {len(X)} row{'s' * (len(X) != 1)}; at least one of each is needed."
            )
        return names, columns
    array = as_matrix(X)
    return [f"x{index}" for index in range(array.shape[1])], list(array.T)


def as_matrix(X: Any) -> np.ndarray:
    """Read an array, or lists of numbers, as a matrix.

    Parameters
    ----------
    X
        What came.

    Returns
    -------
    array of shape (rows, columns)
        Of numbers, with at least one row and column.
    """
    array = np.asarray(X)
    if array.dtype.kind not in "biuf":
        array = array.astype(float)
    if array.ndim != 2 or 0 in array.shape:
        raise ValueError(
            f"X has shape {array.shape}; expected (rows, columns), at least one of each. One row "
            "alone is X.reshape(1, -1)."
        )
    return array


def _known_types(X: Any) -> Any:
    """Give columns of a pandas table types that other libraries know: periods count as dates."""
    import narwhals.stable.v2 as nw

    if not nw.dependencies.is_pandas_dataframe(X):
        return X
    import pandas as pd

    changed = {}
    for place, (name, kind) in enumerate(zip(X.columns, X.dtypes, strict=True)):
        if isinstance(kind, pd.PeriodDtype):
            changed[name] = X.iloc[:, place].dt.to_timestamp()
        elif isinstance(kind, pd.IntervalDtype):
            changed[name] = X.iloc[:, place].astype("category")
        elif getattr(kind, "kind", "") == "c":
            raise ValueError(
                f"Column {quoted(name)} holds complex numbers, which have no order. Make two "
                "columns of it, such as its real and its imaginary part."
            )
    if changed:
        X = X.copy(deep=False)
        for name, column in changed.items():
            X[name] = column
    return X


def all_numbers(column: Any) -> bool:
    """Whether a column of objects holds numbers only.

    Parameters
    ----------
    column
        From :func:`read_columns`.

    Returns
    -------
    bool
    """
    import pandas as pd

    return pd.api.types.infer_dtype(column.to_numpy(), skipna=True) in (
        "integer",
        "floating",
        "mixed-integer-float",
        "decimal",
        "empty",
    )


def categories_of(column: Any, like: np.ndarray | None = None) -> np.ndarray:
    """Read a categorical column as numbers or strings.

    A column of numbers has numbers for categories, so that 1 and 1.0 are one; anything else is
    compared as text.

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
    numeric = like.dtype.kind == "f" if like is not None else _holds_numbers(column)
    if isinstance(column, np.ndarray):
        return column.astype(float) if numeric else texts_of(column)
    texts = texts_of(column)
    return read_numbers(texts).values if numeric else texts


def _holds_numbers(column: Any) -> bool:
    import narwhals.stable.v2 as nw

    if isinstance(column, np.ndarray) or column.dtype.is_numeric():
        return True
    if column.dtype == nw.Object:
        return all_numbers(column) and bool((~column.is_null()).any())
    if isinstance(column.dtype, nw.Categorical | nw.Enum):
        values = [value for value in column.to_list() if not is_missing(value)]
        return bool(values) and all(
            isinstance(v, Real) and not isinstance(v, bool) for v in values
        )
    return False


def to_pandas(X: Any, names: Sequence[str]) -> pd.DataFrame:
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
    X = arrived(X)
    import pandas as pd

    if is_table(X):
        import narwhals.stable.v2 as nw

        frame = nw.from_native(X, eager_only=True).to_pandas().copy()
        frame.columns = [str(name) for name in names]
        return frame.reset_index(drop=True)
    return pd.DataFrame(np.asarray(X), columns=[str(name) for name in names])
