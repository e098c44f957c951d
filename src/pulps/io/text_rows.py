"""Rows of a file of text, some at a time, by Python's own reader: no data frame is needed."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from itertools import islice
from typing import Any

from pulps.io.text_dialect import Dialect

LONGEST_CELL = 2**24  # characters


def read_rows(stream: Any, dialect: Dialect, name: str, size: int) -> Iterator[list[list[str]]]:
    """Read rows, some at a time; blank lines are left out.

    Parameters
    ----------
    stream
        Bytes, from the beginning of the file; it stays open.
    dialect
        How it is written.
    name
        What to call the file in a message.
    size
        Rows at a time.

    Yields
    ------
    list of rows
        Each as many cells as the header has names.
    """
    csv.field_size_limit(LONGEST_CELL)
    text = io.TextIOWrapper(stream, encoding=dialect.encoding, newline="")
    try:
        reader = csv.reader(text, delimiter=dialect.separator)
        n_cells = len(dialect.header)
        rows = (_fitted(row, n_cells, reader.line_num, name) for row in reader if row)
        next(rows, None)  # the header
        while chunk := list(islice(rows, size)):
            yield chunk
    finally:
        if not stream.closed:
            text.detach()  # the stream is its owner's to close


def _fitted(row: list[str], n_cells: int, line: int, name: str) -> list[str]:
    """Give a row as many cells as the header: empty ones may follow, or be left out."""
    if len(row) > n_cells and any(row[n_cells:]):
        raise ValueError(
            f"{name}, line {line}, has {len(row)} cells, but the header has {n_cells}. Repair "
            "that line, or name the separator (--sep)."
        )
    return [*row[:n_cells], *[""] * (n_cells - len(row))]
