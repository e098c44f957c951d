"""Encoded values become a table of the user's own kind again.

At fit the *form* of a table is remembered: its library, and the name, type and categories of
every column. Generated rows are written in that form; filled cells are written into a copy of
the table they are missing from.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd

from pulps.io.optional import needs
from pulps.tables.cells import written
from pulps.tables.columns import CategoricalColumn, Column, NumericColumn
from pulps.tables.dates import date_at, moment_at
from pulps.tables.decimals import as_decimals, decimal_series, digits_of
from pulps.tables.encoding import TableEncoder
from pulps.tables.reading import read_columns


@dataclass(frozen=True)
class ColumnForm:
    """How one column looked.

    Parameters
    ----------
    name
        Its name.
    dtype
        Name of its type.
    labels
        The user's value of every category the encoder knows; None for numbers.
    levels
        The categories its type declares; None if it declares none.
    ordered
        Whether these are ordered.
    left_out
        Whether the fit did not learn from it, so that it is not written.
    """

    name: Any
    dtype: str
    labels: list[Any] | None = None
    levels: list[Any] | None = None
    ordered: bool = False
    left_out: bool = False


@dataclass(frozen=True)
class TableForm:
    """How a table looked.

    Parameters
    ----------
    library
        "pandas", "polars", "pyarrow" or "numpy".
    columns
        How each column looked.
    """

    library: str
    columns: list[ColumnForm]

    @property
    def written(self) -> list[ColumnForm]:
        """The columns that rows are written with."""
        return [column for column in self.columns if not column.left_out]


def read_form(X: Any, encoder: TableEncoder) -> TableForm:
    """Remember how the table looks that the encoder was fitted on.

    Parameters
    ----------
    X
        The table.
    encoder
        Fitted on it.

    Returns
    -------
    TableForm
    """
    names, series = read_columns(X)
    known = _by_index(encoder)
    if isinstance(series[0], np.ndarray):
        dtype = str(series[0].dtype)
        return TableForm(
            "numpy",
            [
                ColumnForm(name, dtype, _labels(series[index], known[index][0]))
                for index, name in enumerate(names)
            ],
        )
    forms = []
    for index, (name, column) in enumerate(zip(names, series, strict=True)):
        left_out = index not in known
        labels = None if left_out else _labels(column, known[index][0])
        levels, ordered = None, False
        native = column.to_native()
        if isinstance(native, pd.Series):
            dtype = str(native.dtype)
            if isinstance(native.dtype, pd.CategoricalDtype):
                levels = native.cat.categories.tolist()
                ordered = bool(native.cat.ordered)
        else:
            digits = digits_of(native.type if hasattr(native, "type") else native.dtype)
            dtype = type(column.dtype).__name__ if digits is None else str(digits)
            if isinstance(column.dtype, nw.Enum):
                levels = list(column.dtype.categories)
        forms.append(ColumnForm(name, dtype, labels, levels, ordered, left_out))
    return TableForm(nw.get_native_namespace(series[0]).__name__, forms)


def to_table(values: np.ndarray, encoder: TableEncoder, form: TableForm) -> Any:
    """Write encoded rows as a table of that form.

    A column that did not vary at fit is constant; if it was empty, it is empty. Columns that
    were left out are not written.

    Parameters
    ----------
    values
        Encoded rows, shape (rows, columns used).
    encoder, form
        How the table of the fit is encoded, and how it looked.

    Returns
    -------
    table or array
    """
    raw = decode(values, encoder, form)
    if form.library == "numpy":
        stacked = np.column_stack([np.asarray(column, dtype=float) for column in raw])
        return stacked.astype(form.columns[0].dtype)
    if form.library == "pandas":
        columns = [_pandas(column, like) for column, like in zip(raw, form.written, strict=True)]
        return pd.concat(columns, axis=1, keys=[like.name for like in form.written])
    series = {}
    for column, like in zip(raw, form.written, strict=True):
        digits = digits_of(like.dtype)
        if digits is not None:
            made = decimal_series(like.name, column, digits, form.library)
            series[like.name] = nw.from_native(made, series_only=True)
            continue
        kind = nw.Enum(like.levels) if like.levels is not None else getattr(nw, like.dtype)()
        series[like.name] = _series(like.name, column, kind, form.library)
    return nw.from_dict(series).to_native()


def with_values(table: Any, values: Mapping[Any, float], form: TableForm) -> Any:
    """Return a table of that form with the numbers of some columns replaced by one value each.

    Parameters
    ----------
    table
        Written by :func:`to_table`.
    values
        The numbers, by name, or by index for an array.
    form
        How the table looks.

    Returns
    -------
    table or array
    """
    for name, value in values.items():
        if form.library == "numpy":
            table[:, name] = value
        elif form.library == "pandas":
            table[name] = _pandas([value] * len(table), ColumnForm(name, str(table[name].dtype)))
        else:
            frame = nw.from_native(table, eager_only=True)
            like = next(column for column in form.columns if column.name == name)
            digits = digits_of(like.dtype)
            if digits is not None:
                made = decimal_series(name, [value] * len(table), digits, form.library)
                column = nw.from_native(made, series_only=True).alias(name)
                table = frame.with_columns(column).to_native()
                continue
            cell = nw.lit(value).cast(frame[name].dtype).alias(name)
            table = frame.with_columns(cell).to_native()
    return table


def decode(values: np.ndarray, encoder: TableEncoder, form: TableForm) -> list[list[Any]]:
    """Turn encoded rows into the user's values, column by column of the original table.

    Parameters
    ----------
    values
        Encoded rows, shape (rows, columns used).
    encoder, form
        How the table of the fit is encoded, and how it looked.

    Returns
    -------
    list of lists
        One list of values per column.
    """
    raw: list[list[Any]] = []
    positions = {id(column): i for i, column in enumerate(encoder.columns_)}
    for index, (column, *_) in sorted(_by_index(encoder).items()):
        like = form.columns[index]
        varies = id(column) in positions
        if isinstance(column, CategoricalColumn):
            labels = like.labels or []
            codes = values[:, positions[id(column)]].astype(int) if varies else None
            none = (labels or [None]) * len(values)
            raw.append(none if codes is None else [labels[code] for code in codes])
            continue
        numbers = (column.knots.tolist() or [None]) * len(values)
        if varies:
            numbers = column.decode(values[:, positions[id(column)]]).tolist()
        write = _writer(column, like)
        raw.append([None if number is None else write(number) for number in numbers])
    return raw


def _writer(column: NumericColumn, like: ColumnForm) -> Callable[[float], Any]:
    """Say how a number of a column is written: as it was, or as the date or text it stands for."""
    text = like.dtype in ("str", "string", "String", "object", "Object", "LargeString")
    if column.part and text:
        return lambda days: date_at(days, column.form)
    if column.part:
        return moment_at
    if text and like.dtype != "object" and like.dtype != "Object":
        return lambda number: (written(number) or "").replace(".", column.decimal or ".")
    return lambda number: number


def fill(X: Any, values: np.ndarray, encoder: TableEncoder, form: TableForm) -> Any:
    """Copy a table and fill the cells that are missing in it from encoded rows.

    The table may be of another library than the one of the fit; it stays of its own.

    Parameters
    ----------
    X
        The table, or an array.
    values
        Encoded rows without holes, shape (rows, columns used).
    encoder, form
        How the table of the fit is encoded, and how it looked.

    Returns
    -------
    table or array
        Of the library of X.
    """
    known = [like.name for like in form.written]
    raw = dict(zip(map(str, known), decode(values, encoder, form), strict=True))
    names, series = read_columns(X)
    if isinstance(series[0], np.ndarray):
        filled = np.array(X, dtype=np.result_type(series[0], float), copy=True)
        for index, column in enumerate(raw.values()):
            rows = np.isnan(filled[:, index])
            filled[rows, index] = np.asarray(column, dtype=float)[rows]
        return filled if np.isnan(np.asarray(X, dtype=float)).any() else np.array(X)
    columns = []
    if encoder.names_ is None:
        raw = dict(zip(map(str, names), raw.values(), strict=True))
    for name, column in zip(names, series, strict=True):
        native = column.to_native()
        new = raw.get(str(name))
        if isinstance(native, pd.Series):
            columns.append(native if new is None else _fill_pandas(native, new))
            continue
        missing = _missing(column)
        if new is None or not missing.any():
            columns.append(column)
            continue
        merged = [
            new[row] if empty else old
            for row, (old, empty) in enumerate(zip(column.to_list(), missing, strict=True))
        ]
        library = nw.get_native_namespace(column).__name__
        digits = digits_of(native.type if hasattr(native, "type") else native.dtype)
        if digits is not None:
            made = decimal_series(name, merged, digits, library)
            columns.append(nw.from_native(made, series_only=True))
            continue
        columns.append(_series(name, merged, column.dtype, library))
    if isinstance(columns[0], pd.Series):
        filled = pd.concat(columns, axis=1, keys=names)
        filled.columns = X.columns
        return filled
    return nw.from_dict(dict(zip(names, columns, strict=True))).to_native()


def _by_index(encoder: TableEncoder) -> dict[int, list[Column]]:
    """Return what the encoder knows of each column of the table; of dates, the days come first."""
    found: dict[int, list[Column]] = {}
    for column in [*encoder.columns_, *encoder.constant_columns_]:
        found.setdefault(column.index, []).append(column)
    return found


def _labels(series: Any, column: Column) -> list[Any] | None:
    """Find the user's own value of every category; of a group, the most frequent one."""
    if not isinstance(column, CategoricalColumn):
        return None
    if isinstance(series, np.ndarray) and not column.n_groups:
        return column.categories.tolist()
    values = series.tolist() if isinstance(series, np.ndarray) else series.to_list()
    codes = pd.Series(column.encode(column.read(series)))
    if column.n_groups:
        words = pd.Series(values, dtype=object).groupby(codes.to_numpy())
        originals = {code: group.value_counts().index[0] for code, group in words}
    else:
        first = codes.drop_duplicates().dropna()
        originals = {code: values[row] for row, code in first.items()}
    return [originals.get(code) for code in range(column.n_values)]


def _pandas(values: Any, like: ColumnForm) -> pd.Series:
    digits = digits_of(like.dtype)
    if digits is not None:
        with needs("files", "A column of Arrow decimals"):
            import pyarrow as pa

        kind = pd.ArrowDtype(pa.decimal128(*digits))
        return pd.Series(as_decimals(values, digits), dtype=kind)
    if like.dtype.startswith("dictionary<"):
        words = _dictionary(values)
        return pd.Series(pd.array(words, dtype=pd.ArrowDtype(words.type)))
    if like.levels is not None:
        levels = pd.CategoricalDtype(like.levels, ordered=like.ordered)
        return pd.Series(values, dtype=levels)
    if like.labels is not None or any(not isinstance(value, Real) for value in values):
        cells = pd.Series(values, dtype=object)
        if like.dtype.startswith("datetime64") and "," in like.dtype:
            return pd.to_datetime(cells, utc=True).astype(like.dtype)
        return cells.astype(like.dtype)
    return pd.Series(np.asarray(values, dtype=float)).astype(like.dtype)


def _dictionary(values: list[Any]) -> Any:
    """Build an Arrow dictionary, of words or of whatever its categories are."""
    with needs("files", "A column of Arrow dictionaries"):
        import pyarrow as pa

    return pa.chunked_array([pa.array(values).dictionary_encode()])


def _series(name: str, values: list[Any], kind: Any, library: Any) -> Any:
    """Build a column of a library other than pandas."""
    if library == "pyarrow" and kind == nw.Categorical:
        return nw.from_native(_dictionary(values), series_only=True)
    if kind.is_integer():
        values = [None if value is None else int(value) for value in values]
    return nw.new_series(name, values, kind, backend=library)


def _missing(column: Any) -> np.ndarray:
    empty = column.is_null()
    if column.dtype.is_float():
        empty = empty | column.is_nan().fill_null(True)
    return empty.to_numpy()


def _fill_pandas(native: pd.Series, new: list[Any]) -> pd.Series:
    missing = native.isna().to_numpy()
    if not missing.any():
        return native
    values: Any = pd.Series(new, dtype=object).to_numpy()[missing]
    filled = native.copy()
    if isinstance(native.dtype, pd.CategoricalDtype):
        unknown = [v for v in dict.fromkeys(values) if v not in native.cat.categories]
        filled = filled.cat.add_categories(unknown)
    elif pd.api.types.is_string_dtype(native.dtype) and native.dtype != object:
        values = [written(value) for value in values]
    elif (digits := digits_of(native.dtype)) is not None:
        values = as_decimals(list(values), digits)
    elif native.dtype != object:
        values = pd.Series(values, index=native.index[missing]).astype(native.dtype).to_numpy()
    filled[missing] = values
    return filled
