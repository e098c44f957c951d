"""Training on a folder of Parquet files that need not fit in memory.

The files are read twice, a chunk at a time: an even sample of the rows gives the encoder its
ranges and categories, then all rows are encoded into one file on the disk. Training takes its
mini-batches from there, row by row, on the very path that mini-batches in memory take; labels
and, in the end, a score a member stay in memory, no attribute does. Up to ``SAMPLE_ROWS`` rows
the sample is all of them, and the model is the one that a fit in memory would give.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.dataset as ds

from pulps.estimators.recipe import Recipe, checked
from pulps.estimators.table_fit import EncodedTable
from pulps.io._sklearn import check_parameters
from pulps.labels import read_label_column
from pulps.tables.decoding import read_form
from pulps.tables.encoding import TableEncoder

SAMPLE_ROWS = 2**18
ROWS_AT_ONCE = 2**16


class EncodedRows:
    """Encoded rows in a file, read by row numbers; nothing is kept in memory.

    Parameters
    ----------
    path
        File of double-precision numbers, row after row.
    n_columns
        Numbers in a row.
    """

    def __init__(self, path: str | os.PathLike[str], n_columns: int):
        self._handle = os.open(path, os.O_RDONLY)
        self._width = 8 * n_columns
        self.shape = (os.fstat(self._handle).st_size // self._width, n_columns)

    def __len__(self) -> int:
        """Return the number of rows."""
        return self.shape[0]

    def __getitem__(self, rows: slice | np.ndarray) -> np.ndarray:
        """Read a slice of rows, or rows by their numbers."""
        if isinstance(rows, slice):
            first, last, step = rows.indices(len(self))
            content = os.pread(
                self._handle, max(last - first, 0) * self._width, first * self._width
            )
            return np.frombuffer(content).reshape(-1, self.shape[1])[::step]
        content = b"".join(
            os.pread(self._handle, self._width, int(row) * self._width) for row in rows
        )
        return np.frombuffer(content).reshape(-1, self.shape[1]).copy()

    def close(self) -> None:
        """Close the file."""
        os.close(self._handle)


def fit_parquet(
    model: Any,
    folder: str | os.PathLike[str],
    *,
    label: str,
    positive: str | None = None,
    workspace: str | os.PathLike[str] | None = None,
    rows_at_once: int = ROWS_AT_ONCE,
) -> Any:
    """Fit a classifier on a Parquet file or a folder of them.

    Parameters
    ----------
    model : LPSClassifier
        Not yet fitted; without ``density``, which needs all rows at once.
    folder : path
        Parquet file, or folder of Parquet files with the same columns.
    label : str
        Column that marks labeled positives.
    positive : str, optional
        Value of a labeled positive, if the column holds words.
    workspace : path, optional
        Folder for the encoded rows, eight bytes a cell; they are deleted in the end.
    rows_at_once : int
        Rows read at a time.

    Returns
    -------
    LPSClassifier
        The fitted model; its classes are 0 and 1.
    """
    if not Path(folder).exists():
        raise FileNotFoundError(f"There is no file or folder {folder}. Check the name.")
    if model.density is not None:
        raise ValueError(
            "density trains on all rows at once, which fit_parquet does not hold. Set it to None, "
            "or fit on a sample in memory."
        )
    check_parameters(model)
    dataset = ds.dataset(folder, format="parquet")
    if label not in dataset.schema.names:
        raise ValueError(
            f"{Path(folder).name} has no column {label!r}. Its columns are "
            f"{', '.join(dataset.schema.names[:20])}."
        )
    columns = [name for name in dataset.schema.names if name != label]
    marks = pd.concat([chunk[label] for chunk in _chunks(dataset, [label], rows_at_once)])
    labeled = read_label_column(marks.reset_index(drop=True), positive)
    step = -(-len(labeled) // SAMPLE_ROWS)
    sample = _every(step, _chunks(dataset, columns, rows_at_once))
    model.check_columns(sample, reset=True)
    recipe = checked(model.recipe or Recipe())
    encoder = TableEncoder(model.categorical_features, recipe.numeric_scale).fit(sample)
    form = read_form(sample, encoder)
    del sample
    with tempfile.TemporaryDirectory(dir=workspace, prefix="pulps-rows-") as place:
        path = Path(place) / "rows"
        with path.open("wb") as file:
            for chunk in _chunks(dataset, columns, rows_at_once):
                file.write(np.ascontiguousarray(encoder.transform(chunk)).data)
        rows = EncodedRows(path, len(encoder.columns_))
        try:
            classes, weights = np.array([0, 1]), np.ones(len(rows))
            table = EncodedTable(rows, labeled, weights, classes, encoder, form)
            return model.fit_encoded(table)
        finally:
            rows.close()


def _chunks(dataset: ds.Dataset, columns: list[str], size: int) -> Iterator[pd.DataFrame]:
    """Read some columns in order, not far ahead."""
    scanner = dataset.scanner(
        columns=columns, batch_size=size, batch_readahead=1, fragment_readahead=1
    )
    for batch in scanner.to_batches():
        if batch.num_rows:
            yield pa.Table.from_batches([batch]).to_pandas(ignore_metadata=True)


def _every(step: int, chunks: Iterator[pd.DataFrame]) -> pd.DataFrame:
    """Take every ``step``-th row of all chunks together."""
    taken, seen = [], 0
    for chunk in chunks:
        taken.append(chunk.iloc[-seen % step :: step])
        seen += len(chunk)
    return pd.concat(taken, ignore_index=True)
