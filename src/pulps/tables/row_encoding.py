"""How the columns of a fit read rows: all that scoring needs of an encoder, with NumPy alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from pulps.io.naming import listed
from pulps.tables.columns import CategoricalColumn, Column
from pulps.tables.notices import Cells
from pulps.tables.reading import categories_of, read_columns

MAX_CHUNK = 2**16


class RowEncoder:
    """Columns of a fit, and the rows they encode.

    Parameters
    ----------
    columns
        The columns that are used, in order.
    names
        Names of all columns of the fit; None for an array.
    n_features_in
        How many they were.
    """

    def __init__(self, columns: list[Column], names: list[Any] | None, n_features_in: int) -> None:
        self.columns_ = columns
        self.names_ = names
        self.n_features_in_ = n_features_in

    def transform(self, X: Any) -> np.ndarray:
        """Encode rows.

        Parameters
        ----------
        X
            A table or array with the columns of the fit.

        Returns
        -------
        array of shape (rows, columns used)
            NaN where missing.
        """
        return np.concatenate(list(self.transform_chunks(X, MAX_CHUNK)))

    def transform_chunks(
        self, X: Any, size: int, cells: Cells | None = None
    ) -> Iterator[np.ndarray]:
        """Encode some rows at a time, so that memory does not grow with the table.

        Parameters
        ----------
        X
            A table or array with the columns of the fit.
        size
            Rows at a time.
        cells
            Counts what the fit did not see; None counts nothing.

        Yields
        ------
        array of shape (at most size, columns used)
        """
        series = self.series_of(X)
        n_rows = len(next(iter(series.values())))
        for first in range(0, n_rows, size):
            encoded = []
            for column in self.columns_:
                part = series[column.index][first : first + size]
                values = column.read(part)
                encoded.append(column.encode(values))
                if cells is not None:
                    _count(cells, column, part, values, encoded[-1])
            if cells is not None:
                cells.n_rows += len(encoded[0])
            yield np.column_stack(encoded)

    def series_of(self, X: Any) -> dict[int, Any]:
        """Find the columns of a table that are used: by name, or by number in an array.

        Parameters
        ----------
        X
            A table or array with the columns of the fit; a table may have them in any order.

        Returns
        -------
        dict
            Columns by their number in the table of the fit.
        """
        names, series = read_columns(X)
        if self.names_ is None or isinstance(series[0], np.ndarray):
            if len(names) != self.n_features_in_:
                raise ValueError(
                    f"X has {len(names)} columns, but the encoder was fitted with "
                    f"{self.n_features_in_}. Pass the same columns, in the same order."
                )
            return dict(enumerate(series))
        present = {str(name): column for name, column in zip(names, series, strict=True)}
        absent = [name for name in self.needed_names if str(name) not in present]
        if absent:
            raise ValueError(
                f"X lacks {len(absent)} of the {len(self.needed_names)} columns of the fit: "
                f"{listed(absent)}. Add them; cells may be empty."
            )
        return {
            index: present[str(name)]
            for index, name in enumerate(self.names_)
            if str(name) in present
        }

    @property
    def needed_names(self) -> list[Any]:
        """Names of the columns that a table must have: those that are used."""
        if self.names_ is None:
            return [f"x{index}" for index in range(self.n_features_in_)]
        indices = dict.fromkeys(column.index for column in self.columns_)
        return [self.names_[index] for index in indices]


def _count(
    cells: Cells, column: Column, part: Any, values: np.ndarray, encoded: np.ndarray
) -> None:
    if isinstance(column, CategoricalColumn):
        missing = np.isnan(encoded)
        unseen = column.unknown(part, encoded) if missing.any() else missing
        if unseen.any():
            texts = categories_of(part, like=np.array([""]))
            n_known = sum(text is not None for text in texts.tolist())
            cells.add(column.name, n_known, texts[unseen].tolist())
        else:
            cells.add(column.name, int((~missing).sum()), ())
    else:
        cells.add(column.name, 0, (), int(np.isinf(values).sum()))
