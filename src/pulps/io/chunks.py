"""Tables in chunks of rows: what is in memory does not grow with the file.

Comma and tab separated text, compressed or not, and Parquet are streamed. Arrow files,
compressed Parquet and standard input are read as a whole and cut into chunks.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from pulps.io.files import (
    STANDARD,
    check_there,
    compressed,
    decompressed,
    explained,
    find_separator,
    kind_of,
    read_table,
)
from pulps.io.outputs import replacing


def read_chunks(path, size: int) -> Iterator[pa.Table]:
    """Read a table, ``size`` rows at a time, all with one schema.

    The types of a text file's columns are found in a first pass over all of it, so that a
    column means the same in every chunk.

    Parameters
    ----------
    path
        The file.
    size
        Rows per chunk.
    """
    path = Path(path)
    if path != STANDARD:
        check_there(path)
        kind, compression = kind_of(path)
        if kind in ("csv", "tsv"):
            yield from _read_text(path, kind, compression, size)
            return
        if kind == "parquet" and not compression:
            with explained(path.name, kind), pq.ParquetFile(path) as file:
                for batch in file.iter_batches(batch_size=size):
                    yield pa.Table.from_batches([batch])
            return
    table = pa.Table.from_pandas(read_table(path), preserve_index=False)
    for first in range(0, len(table), size):
        yield table.slice(first, size)


def _read_text(path: Path, kind: str, compression: str, size: int) -> Iterator[pa.Table]:
    if path.stat().st_size == 0:
        raise ValueError(f"{path.name} is empty. Expected a header line and rows.")
    types: dict[str, str] = {}
    for chunk in _frames(path, kind, compression, size, None):
        for name, column in chunk.items():
            types[str(name)] = _wider(types.get(str(name)), column)
    schema = None
    for chunk in _frames(path, kind, compression, size, types):
        table = pa.Table.from_pandas(chunk, schema=schema, preserve_index=False)
        schema = table.schema
        yield table


def _frames(path: Path, kind: str, compression: str, size: int, types) -> Iterator[pd.DataFrame]:
    with explained(path.name, kind), path.open("rb") as file:
        stream = decompressed(file, compression)
        separator = find_separator(stream, kind, path.name)
        stream.seek(0)
        yield from pd.read_csv(stream, sep=separator, dtype=types, chunksize=size)


def _wider(known: str | None, column: pd.Series) -> str:
    """Find the type that holds what a column was so far and what it is in a chunk."""
    types = ("int64", "float64", "str")
    kind = {"i": "int64", "f": "float64"}.get(column.dtype.kind, "str")
    return max(known or kind, kind, key=types.index)


def write_chunks(chunks: Iterable[pa.Table], path, format: str | None = None) -> int:
    """Write chunks of rows, whole or not at all.

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

    Returns
    -------
    int
        Number of rows.
    """
    path = Path(path)
    if path == STANDARD:
        n_rows = _write(chunks, sys.stdout.buffer, format or "csv")
        sys.stdout.flush()
        return n_rows
    kind, compression = (format, "") if format else kind_of(path)
    with replacing(path) as temporary, compressed(temporary, compression) as stream:
        return _write(chunks, stream, kind)


def _write(chunks: Iterable[pa.Table], stream: Any, kind: str) -> int:
    n_rows = 0
    with ExitStack() as opened:
        writer: Any = None
        for chunk in chunks:
            if kind in ("csv", "tsv"):
                frame = chunk.to_pandas(ignore_metadata=True)
                separator = "\t" if kind == "tsv" else ","
                text = frame.to_csv(sep=separator, index=False, header=n_rows == 0)
                stream.write(text.encode())
            else:
                if writer is None:
                    open_writer = pq.ParquetWriter if kind == "parquet" else pa.ipc.new_file
                    writer = opened.enter_context(open_writer(stream, chunk.schema))
                writer.write_table(chunk)
            n_rows += chunk.num_rows
    return n_rows
