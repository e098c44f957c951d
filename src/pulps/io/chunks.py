"""Tables in chunks of rows: what is in memory does not grow with the file.

Comma and tab separated text, compressed or not, and Parquet are streamed. Arrow files,
compressed Parquet and standard input are read as a whole and cut into chunks.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from pulps.io.files import STANDARD, check_there, kind_of, read_table
from pulps.io.formats import compressed, decompressed, explained, write_format
from pulps.io.optional import needs
from pulps.io.outputs import replacing
from pulps.io.read_back import check_written
from pulps.io.text_dialect import Dialect, Reading, sniff
from pulps.io.text_tables import read_text

with needs("files", "Reading tables in chunks"):
    import pyarrow as pa
    import pyarrow.parquet as pq


class Chunks(NamedTuple):
    """A table, some rows at a time, and how its file is written if it is text."""

    dialect: Dialect | None
    tables: Iterator[pa.Table]


def read_chunks(path: str | os.PathLike[str], size: int, reading: Reading | None = None) -> Chunks:
    """Read a table, ``size`` rows at a time, all with one schema.

    The cells of a text file stay text, so that a column means the same in every chunk.

    Parameters
    ----------
    path
        The file.
    size
        Rows per chunk.
    reading
        What its owner says of how it is written; None to find out.

    Returns
    -------
    Chunks
    """
    path = Path(path)
    if path != STANDARD:
        check_there(path)
        kind, compression = kind_of(path)
        if kind in ("csv", "tsv"):
            return _read_text(path, kind, compression, size, reading)
        if kind == "parquet" and not compression:
            return Chunks(None, _read_parquet(path, size))
    frame, dialect = read_table(path, reading)
    if dialect is not None:
        return Chunks(dialect, _slices(_as_text(frame), size))
    return Chunks(None, _slices(_as_typed(frame), size))


def _read_parquet(path: Path, size: int) -> Iterator[pa.Table]:
    with explained(path.name, "parquet"), pq.ParquetFile(path) as file:
        for batch in file.iter_batches(batch_size=size):
            yield pa.Table.from_batches([batch])


def _slices(table: pa.Table, size: int) -> Iterator[pa.Table]:
    for first in range(0, len(table), size):
        yield table.slice(first, size)


def _read_text(
    path: Path, kind: str, compression: str, size: int, reading: Reading | None
) -> Chunks:
    if path.stat().st_size == 0:
        raise ValueError(f"{path.name} is empty. Expected a header line and rows.")
    with explained(path.name, kind), path.open("rb") as file:
        dialect = sniff(decompressed(file, compression), kind, path.name, reading)
    missing = () if reading is None else reading.missing

    def tables() -> Iterator[pa.Table]:
        with explained(path.name, kind), path.open("rb") as file:
            stream = decompressed(file, compression)
            for frame in read_text(stream, dialect, path.name, missing=missing, size=size):
                yield _as_text(frame)

    return Chunks(dialect, tables())


def _as_text(frame: pd.DataFrame) -> pa.Table:
    schema = pa.schema([(str(name), pa.string()) for name in frame.columns])
    return pa.Table.from_pandas(frame, schema=schema, preserve_index=False)


def _as_typed(frame: pd.DataFrame) -> pa.Table:
    """Make a table of values; columns of several types, as JSON and sheets have them, are text."""
    columns = {}
    for name in frame.columns:
        try:
            columns[str(name)] = pa.array(frame[name], from_pandas=True)
        except (pa.ArrowException, OverflowError):
            cells = frame[name]
            columns[str(name)] = pa.array(cells.map(str).where(cells.notna(), None), pa.string())
    return pa.table(columns)


def write_frame(
    frame: pd.DataFrame,
    path: str | os.PathLike[str],
    format: str | None = None,
    dialect: Dialect | None = None,
) -> None:
    """Write a whole table as :func:`write_chunks` writes chunks.

    Parameters
    ----------
    frame
        The table.
    path, format, dialect
        See :func:`write_chunks`.
    """
    write_chunks(iter([_as_typed(frame)]), path, format, dialect)


def write_chunks(
    chunks: Iterable[pa.Table],
    path: str | os.PathLike[str],
    format: str | None = None,
    dialect: Dialect | None = None,
) -> int:
    """Write chunks of rows, whole or not at all.

    A CSV is written as the one it was read from: with its separator, decimal mark and encoding.
    ``format`` takes the place of the path's ending. The path ``-`` is standard output, which
    is CSV without a format and has what was written before a failure.

    Parameters
    ----------
    chunks
        The chunks, with one schema.
    path
        The file.
    format
        Format that takes the place of the path's ending.
    dialect
        How the file was written that the rows are from.

    Returns
    -------
    int
        Number of rows.
    """
    path = Path(path)
    if path == STANDARD:
        n_rows = _write(chunks, sys.stdout.buffer, format or "csv", dialect)
        sys.stdout.flush()
        return n_rows
    kind, compression = (format, "") if format else kind_of(path)
    n_rows = 0

    def check(temporary: Path) -> None:
        check_written(temporary, kind, compression, n_rows)

    with replacing(path, check) as temporary, compressed(temporary, compression) as stream:
        n_rows = _write(chunks, stream, kind, dialect)
    return n_rows


def _write(chunks: Iterable[pa.Table], stream: Any, kind: str, dialect: Dialect | None) -> int:
    n_rows = 0
    encoding = "utf-8" if dialect is None else dialect.encoding
    with ExitStack() as opened:
        writer: Any = None
        for chunk in chunks:
            if kind in ("csv", "tsv"):
                frame = chunk.to_pandas(ignore_metadata=True)
                text = frame.to_csv(**_marks(kind, dialect), index=False, header=n_rows == 0)
                stream.write(text.encode(encoding))
                encoding = {"utf-8-sig": "utf-8", "utf-16": "utf-16-le"}.get(encoding, encoding)
            elif kind == "jsonl":
                write_format(chunk.to_pandas(ignore_metadata=True), stream, kind)
            elif kind == "xlsx":
                whole = pa.concat_tables([chunk, *chunks])
                write_format(whole.to_pandas(ignore_metadata=True), stream, kind)
                return whole.num_rows
            else:
                if writer is None:
                    open_writer = pq.ParquetWriter if kind == "parquet" else pa.ipc.new_file
                    writer = opened.enter_context(open_writer(stream, chunk.schema))
                writer.write_table(chunk)
            n_rows += chunk.num_rows
    return n_rows


def _marks(kind: str, dialect: Dialect | None) -> dict[str, str]:
    """Choose separator and decimal mark: those of the file the rows are from, where they fit."""
    if kind == "tsv":
        separator = "\t"
    else:
        separator = "," if dialect is None or dialect.separator == "\t" else dialect.separator
    comma = dialect is not None and dialect.decimal == "," and separator != ","
    return {"sep": separator, "decimal": "," if comma else "."}
