"""Score a file chunk by chunk: memory does not grow with the table."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from pulps.io.chunks import read_chunks, write_chunks
from pulps.io.files import check_output, name_of
from pulps.scale.scoring import SCORES, check_scorable, score_rows

ROWS_AT_ONCE = 2**16


class Scored(NamedTuple):
    """How many rows were scored, and how many of them are called positive."""

    n_rows: int
    n_positive: int


def score_file(
    model: Any, table, out, *, format: str | None = None, rows_at_once: int = ROWS_AT_ONCE
) -> Scored:
    """Write the rows of a file with their class, probability and decision.

    Parameters
    ----------
    model : LPSClassifier
        Fitted on a table, or on an array, whose columns are called ``x0``, ``x1``, …
    table : path
        CSV, TSV, Parquet or Arrow file with the columns of the fit, or ``-`` for standard
        input; other columns are kept as they are.
    out : path
        File to write; its ending gives the format. It appears once all rows are scored.
        ``-`` is standard output.
    format : str, optional
        Format to write, where the ending does not tell.
    rows_at_once : int
        Rows to hold in memory at a time.

    Returns
    -------
    Scored
        The numbers of rows and of rows called positive.
    """
    check_output(out, format)
    n_positive = 0

    def counted() -> Iterator[pa.Table]:
        nonlocal n_positive
        for chunk in _scored(model, Path(table), rows_at_once):
            n_positive += pc.sum(chunk["positive"]).as_py()
            yield chunk

    n_rows = write_chunks(counted(), out, format)
    return Scored(n_rows, n_positive)


def _scored(model: Any, table: Path, rows_at_once: int) -> Iterator[pa.Table]:
    empty, shown = True, name_of(table)
    for chunk in read_chunks(table, rows_at_once):
        if empty:
            check_scorable(model, chunk.column_names, shown)
        empty = False
        scored = score_rows(model, chunk.to_pandas(ignore_metadata=True))
        for name in SCORES:
            chunk = chunk.append_column(name, pa.array(scored[name].to_numpy()))
        yield chunk
    if empty:
        raise ValueError(f"{shown} has a header but no rows. Expected at least one row.")
