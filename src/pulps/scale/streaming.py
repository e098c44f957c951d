"""Score a file chunk by chunk: memory does not grow with the table."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

from pulps.files import check_writable, read_chunks, write_chunks
from pulps.scale.scoring import SCORES, check_columns, score_rows

ROWS_AT_ONCE = 2**16


def score_file(model: Any, table: Path, out: Path, *, rows_at_once: int = ROWS_AT_ONCE) -> int:
    """Write the rows of a file with their class, probability and log-ratio.

    Parameters
    ----------
    model : LPSClassifier
        Fitted on a table with column names.
    table : path
        CSV, TSV or Parquet file with the columns of the fit; others are kept as they are.
    out : path
        File to write; its ending gives the format. It appears when all rows are scored.
    rows_at_once : int
        Rows in memory.

    Returns
    -------
    int
        Number of rows.
    """
    check_writable(out)
    n_rows = write_chunks(_scored(model, Path(table), rows_at_once), out)
    return n_rows


def _scored(model: Any, table: Path, rows_at_once: int) -> Iterator[pa.Table]:
    empty = True
    for chunk in read_chunks(table, rows_at_once):
        if empty:
            check_columns(model, chunk.column_names, table.name)
        empty = False
        scored = score_rows(model, chunk.to_pandas(ignore_metadata=True))
        for name in SCORES:
            chunk = chunk.append_column(name, pa.array(scored[name].to_numpy()))
        yield chunk
    if empty:
        raise ValueError(f"{table.name} has a header but no rows. Expected at least one.")
