"""Training on a folder of Parquet files that need not fit in memory.

The files are read twice, one chunk at a time: an even sample of the rows gives the encoder its
ranges and categories, then all rows are encoded into one file on disk. Training takes its
mini-batches from there, row by row, on the same path as mini-batches in memory. Labels and, at
the end, one score per member stay in memory; attributes do not. Up to ``SAMPLE_ROWS`` rows the
sample is the whole table, and the model is the one that a fit in memory would give.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pulps.estimators.classes.labels import check_labels
from pulps.estimators.classes.table_classifier import LPSSemiSupervisedClassifier
from pulps.estimators.recipes.recipe import Recipe, checked
from pulps.estimators.tables.encoded_table import EncodedTable
from pulps.io._sklearn import check_parameters, manage_callbacks
from pulps.io.files import check_column
from pulps.io.optional import needs
from pulps.labels import known_states, read_class_column, read_classes, read_label_column
from pulps.tables.decoding import read_form
from pulps.tables.encoding import TableEncoder

with needs("files", "Tables larger than memory"):
    import pyarrow as pa
    import pyarrow.dataset as ds

SAMPLE_ROWS = 2**18
ROWS_AT_ONCE = 2**16


class EncodedRows:
    """Encoded rows in a file, read by row number; nothing is kept in memory.

    Parameters
    ----------
    path
        File of double-precision numbers, row after row.
    n_columns
        Numbers per row.
    """

    def __init__(self, path: str | os.PathLike[str], n_columns: int):
        self._handle = os.open(path, os.O_RDONLY)
        self._width = 8 * n_columns
        self.shape = (os.fstat(self._handle).st_size // self._width, n_columns)

    def __len__(self) -> int:
        """Return the number of rows."""
        return self.shape[0]

    def __getitem__(self, rows: slice | np.ndarray) -> np.ndarray:
        """Read a slice of rows, or rows by number."""
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
    negative: str | None = None,
    workspace: str | os.PathLike[str] | None = None,
    rows_at_once: int = ROWS_AT_ONCE,
) -> Any:
    """Fit a classifier on a Parquet file or a folder of them.

    Parameters
    ----------
    model : LPSClassifier or LPSSemiSupervisedClassifier
        An unfitted model without ``density``, which needs all rows at once.
    folder : path
        A Parquet file, or a folder of Parquet files with the same columns.
    label : str
        The column that marks labeled positives, or that names classes and is blank (or -1) in
        rows without a label.
    positive : str, optional
        The value of a labeled positive, if the column holds words.
    negative : str, optional
        The value of a row that is known to be negative; by default -1, if the column holds -1, 0
        and 1.
    workspace : path, optional
        Folder for the encoded rows, eight bytes per cell; they are deleted afterwards.
    rows_at_once : int
        Rows to read at a time.

    Returns
    -------
    the fitted model
        The classes of an ``LPSClassifier`` are 0 and 1, or -1 and 1 with known negatives.
    """
    if not Path(folder).exists():
        raise FileNotFoundError(f"There is no file or folder {folder}. Check the path.")
    if model.density is not None:
        raise ValueError(
            "density trains on all rows at once, but fit_parquet never holds them all. Set "
            "density to None, or fit on a sample in memory."
        )
    check_parameters(model)
    dataset = ds.dataset(folder, format="parquet")
    check_column(label, dataset.schema.names, Path(folder).name)
    columns = [name for name in dataset.schema.names if name != label]
    marks = pd.concat([chunk[label] for chunk in _chunks(dataset, [label], rows_at_once)])
    target = _target(model, marks.reset_index(drop=True), positive, negative)
    step = -(-len(target.labeled) // SAMPLE_ROWS)
    sample = _every(step, _chunks(dataset, columns, rows_at_once))
    model.check_columns(sample, reset=True)
    recipe = checked(model.recipe or Recipe())
    scale = recipe.numeric_scale
    encoder = TableEncoder(model.categorical_features, scale, roles=model.roles).fit(sample)
    form = read_form(sample, encoder)
    del sample
    with tempfile.TemporaryDirectory(dir=workspace, prefix="pulps-rows-") as temporary:
        path = Path(temporary) / "rows"
        with path.open("wb") as file:
            for chunk in _chunks(dataset, columns, rows_at_once):
                file.write(np.ascontiguousarray(encoder.transform(chunk)).data)
        rows = EncodedRows(path, len(encoder.columns_))
        with suppress(PermissionError):  # Windows deletes no open file
            path.unlink()  # whatever ends this process, the system gives the room back
        try:
            labeled, classes, known = target
            weights = np.ones(len(rows))
            table = EncodedTable(rows, labeled, weights, classes, encoder, form, known)
            return manage_callbacks(type(model).fit_encoded)(model, table)
        finally:
            rows.close()


class _Target(NamedTuple):
    labeled: np.ndarray
    classes: np.ndarray
    known: np.ndarray | None


def _target(model: Any, marks: pd.Series, positive: str | None, negative: str | None) -> _Target:
    """Read the label column as the model means it."""
    if not isinstance(model, LPSSemiSupervisedClassifier):
        y = read_label_column(marks, positive, negative)
        if not (y == -1).any():
            return _Target(y == 1, np.array([0, 1]), None)
        return _Target(y == 1, np.array([-1, 1]), known_states(y == 1, y == -1))
    classes, known = read_classes(
        read_class_column(marks),
        n_rows=len(marks),
        caller=type(model).__name__,
        unlabeled_class=model.unlabeled_class,
    )
    check_labels(model, classes, known, "rows")
    return _Target(known >= 0, classes, known)


def _chunks(dataset: ds.Dataset, columns: list[str], size: int) -> Iterator[pd.DataFrame]:
    """Read some columns in order, without reading far ahead."""
    scanner = dataset.scanner(
        columns=columns, batch_size=size, batch_readahead=1, fragment_readahead=1
    )
    for batch in scanner.to_batches():
        if batch.num_rows:
            yield pa.Table.from_batches([batch]).to_pandas(ignore_metadata=True)


def _every(step: int, chunks: Iterator[pd.DataFrame]) -> pd.DataFrame:
    """Take every ``step``-th row across all chunks."""
    taken, seen = [], 0
    for chunk in chunks:
        taken.append(chunk.iloc[-seen % step :: step].copy())  # a view would keep the chunk
        seen += len(chunk)
    return pd.concat(taken, ignore_index=True)
