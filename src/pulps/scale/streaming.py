"""Score a file chunk by chunk: memory does not grow with the table."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from pulps.io.chunks import read_chunks, write_chunks
from pulps.io.files import check_output, name_of
from pulps.io.formats import told_reading
from pulps.io.optional import needs
from pulps.io.progress import Tell, progress
from pulps.io.text_dialect import Reading
from pulps.scale.columns import model_rows
from pulps.scale.scoring import check_scorable, score_columns
from pulps.tables.notices import Cells, UnseenWarning

with needs("files", "Tables larger than memory"):
    import pyarrow as pa
    import pyarrow.compute as pc

ROWS_AT_ONCE = 2**16


class Scored(NamedTuple):
    """How many rows were scored, how many of them are called positive, and what was read."""

    n_rows: int
    n_positive: int
    told: str


def score_file(
    model: Any,
    table: str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    format: str | None = None,
    rows_at_once: int = ROWS_AT_ONCE,
    reading: Reading | None = None,
) -> Scored:
    """Write the rows of a file with their class, probability and decision.

    Cells of a text file are read as the fit read them, and written as they stand.

    Parameters
    ----------
    model : PUClassifier or LPSClassifier
        Fitted on a table, or on an array, whose columns are called ``x0``, ``x1``, …
    table : path
        CSV, TSV, JSON lines, Parquet, Arrow or Excel file with the columns of the fit, or ``-``
        for standard input; other columns are kept as they are.
    out : path
        File to write; its ending gives the format. It appears once all rows are scored.
        ``-`` is standard output.
    format : str, optional
        Format to write, where the ending does not tell.
    rows_at_once : int
        Rows to hold in memory at a time.
    reading : Reading, optional
        Separator, decimal mark and encoding of a text file; None to find out.

    Returns
    -------
    Scored
        The numbers of rows and of rows called positive, and a line on what was read.
    """
    check_output(out, format)
    shown = name_of(Path(table))
    dialect, tables = read_chunks(table, rows_at_once, reading)
    decimal = None if dialect is None else dialect.decimal
    certain = reading is not None and reading.decimal is not None
    n_positive, n_columns, cells = 0, 0, Cells()

    def scored(tell: Tell) -> Iterator[pa.Table]:
        nonlocal n_positive, n_columns
        n_done = 0
        for chunk in tables:
            if not n_columns:
                check_scorable(model, chunk.column_names, shown)
                n_columns = chunk.num_columns
            frame = chunk.to_pandas(ignore_metadata=True)
            rows = model_rows(model, frame, shown, decimal=decimal, certain=certain)
            found = _counted(model, rows, cells)
            for name, values in found.items():
                chunk = chunk.append_column(name, pa.array(values))
            if "positive" in found:
                n_positive += pc.sum(chunk["positive"]).as_py()
            yield chunk
            n_done += chunk.num_rows
            tell(n_done)
        if not n_columns:
            raise ValueError(f"{shown} has a header but no rows. Expected at least one row.")

    with progress("row", None, "auto", rate=True) as tell:
        n_rows = write_chunks(scored(tell), out, format, dialect)
    cells.warn()
    return Scored(n_rows, n_positive, told_reading(shown, n_rows, n_columns, dialect))


def _counted(model: Any, rows: Any, cells: Cells) -> dict[str, Any]:
    """Score rows; what the fit did not see is counted, to be told once for the whole file."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = score_columns(model, rows)
    for item in caught:
        if isinstance(item.message, UnseenWarning):
            cells.merge(item.message.cells)
        else:
            warnings.warn_explicit(item.message, item.category, item.filename, item.lineno)
    return found
