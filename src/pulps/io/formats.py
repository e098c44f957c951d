"""What the bytes of a table's format mean: they become a data frame, and a frame becomes bytes."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
import lzma
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, NamedTuple

import pandas as pd

from pulps.io.bounds import UNBOUNDED, Bounds
from pulps.io.optional import check_sheets, needs
from pulps.io.plain import plain
from pulps.io.text_dialect import Dialect, Reading, sniff
from pulps.io.text_tables import read_text

with needs("files", "Reading and writing tables in files"):
    import pyarrow as pa
    import pyarrow.parquet as pq

UNREADABLE = (
    OSError,
    EOFError,
    lzma.LZMAError,
    zlib.error,
    pa.ArrowException,
    pd.errors.ParserError,
    csv.Error,
    zipfile.BadZipFile,
)


class FileTable(NamedTuple):
    """A table as its file holds it: text stays text, and ``dialect`` says how it is written."""

    frame: pd.DataFrame
    dialect: Dialect | None

    def told(self, name: str) -> str:
        """Tell in one line what was read.

        Parameters
        ----------
        name
            What to call the table.

        Returns
        -------
        str
        """
        n_rows, n_columns = self.frame.shape
        return told_reading(name, n_rows, n_columns, self.dialect)


def told_reading(name: str, n_rows: int, n_columns: int, dialect: Dialect | None) -> str:
    """Tell in one line what was read.

    Parameters
    ----------
    name
        What to call the table.
    n_rows, n_columns
        Its size.
    dialect
        How it is written, if it is text.

    Returns
    -------
    str

    Examples
    --------
    >>> told_reading("a.csv", 600, 7, Dialect(";", ",", "utf-8", ()))
    'a.csv: 600 rows, 7 columns, separator ;, decimal ,'
    """
    how = "" if dialect is None else f", {dialect}"
    return f"{name}: {n_rows} rows, {n_columns} columns{how}"


def read_format(
    file: IO[bytes],
    kind: str,
    compression: str,
    name: str,
    reading: Reading | None,
    bounds: Bounds = UNBOUNDED,
) -> FileTable:
    """Read a table.

    Parameters
    ----------
    file
        Its bytes.
    kind
        Its format; empty to have it told by the first bytes.
    compression
        Ending that names the compression, or nothing.
    name
        What to call the table in a message.
    reading
        What its owner says of how it is written; None to find out.
    bounds
        How large it may be; reading stops there.

    Returns
    -------
    FileTable
    """
    dialect = None
    if not file.read(1):
        raise ValueError(f"{name} is empty. Expected a header line and rows.")
    file.seek(0)
    with explained(name, kind):
        stream = decompressed(file, compression, name, bounds)
        kind = kind or _sniff(stream)
        if kind == "parquet":
            table = _read_parquet(stream, name, bounds)
        elif kind == "arrow":
            table = _read_arrow(stream.read(), name, bounds)
        elif kind == "jsonl":
            table = _read_lines(stream, name, bounds)
        elif kind == "xlsx":
            table = _read_sheet(stream, name, bounds)
        else:
            dialect = sniff(stream, kind, name, reading, bounds)
            missing = () if reading is None else reading.missing
            table = _read_rows(stream, dialect, name, missing, bounds)
    if table.empty:
        raise ValueError(f"{name} has a header but no rows. Expected at least two rows.")
    return FileTable(table, dialect)


def _read_rows(
    stream: Any, dialect: Dialect, name: str, missing: tuple[str, ...], bounds: Bounds
) -> pd.DataFrame:
    """Read text; one row more than is allowed tells that there are too many."""
    size = None if bounds is UNBOUNDED else bounds.n_rows + 1
    table = next(read_text(stream, dialect, name, missing=missing, size=size), pd.DataFrame())
    bounds.check_rows(len(table), name)
    return table


def _read_parquet(stream: Any, name: str, bounds: Bounds) -> pd.DataFrame:
    if bounds is not UNBOUNDED:
        told = pq.ParquetFile(stream).metadata
        bounds.check_rows(told.num_rows, name)
        bounds.check_columns(told.num_columns, name)
        sizes = (told.row_group(number).total_byte_size for number in range(told.num_row_groups))
        bounds.check_bytes(sum(sizes), name)
        stream.seek(0)
    return pd.read_parquet(stream)


def _read_arrow(content: bytes, name: str, bounds: Bounds) -> pd.DataFrame:
    source = pa.BufferReader(content)
    if content.startswith(b"ARROW1"):
        file = pa.ipc.open_file(source)
        schema = file.schema
        batches = (file.get_batch(number) for number in range(file.num_record_batches))
    else:
        batches = stream = pa.ipc.open_stream(source)
        schema = stream.schema
    bounds.check_columns(len(schema), name)
    kept, n_rows, n_bytes = [], 0, 0
    for batch in batches:
        n_rows, n_bytes = n_rows + batch.num_rows, n_bytes + batch.nbytes
        bounds.check_rows(n_rows, name)
        bounds.check_bytes(n_bytes, name)
        kept.append(batch)
    return pa.Table.from_batches(kept, schema).to_pandas()


def _read_lines(stream: Any, name: str, bounds: Bounds) -> pd.DataFrame:
    """Read JSON lines; values keep the types that JSON has."""
    records: list[dict[str, Any]] = []
    columns: set[str] = set()
    for number, line in enumerate(stream, 1):
        if line.strip():
            try:
                record = json.loads(line)
            except (ValueError, RecursionError):
                raise ValueError(
                    f"{name} cannot be read as JSON lines: line {number} is not JSON. Repair it."
                ) from None
            if not isinstance(record, dict):
                raise ValueError(
                    f"{name}, line {number}, is not a JSON object. Expected one row per line, "
                    'such as {"size": 3, "color": "red"}.'
                )
            records.append(record)
            columns.update(record)
            bounds.check_rows(len(records), name)
            bounds.check_columns(len(columns), name)
    return pd.DataFrame(records, dtype=object)


def _read_sheet(stream: Any, name: str, bounds: Bounds) -> pd.DataFrame:
    n_rows = None
    if bounds is not UNBOUNDED:
        with zipfile.ZipFile(stream) as parts:
            bounds.check_bytes(sum(part.file_size for part in parts.infolist()), name)
        stream.seek(0)
        n_rows = bounds.n_rows + 1
    check_sheets(f"Reading {name}")
    try:
        table = pd.read_excel(
            stream, dtype=object, keep_default_na=False, na_values=[""], nrows=n_rows
        )
    except Exception as error:  # of a damaged sheet, which reader and parser tell in many ways
        raise ValueError(
            f"{name} cannot be read as a sheet ({type(error).__name__}). Repair it or export it "
            "again."
        ) from None
    bounds.check_rows(len(table), name)
    bounds.check_columns(len(table.columns), name)
    return table


@contextmanager
def explained(name: str, kind: str) -> Iterator[None]:
    """Turn the errors of readers into one sentence.

    Parameters
    ----------
    name
        What to call the table in a message.
    kind
        Its format.
    """
    try:
        yield
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{name} is not text in {error.encoding} (byte {error.start}). Save it as UTF-8, or "
            "name its encoding (--encoding), such as cp1252."
        ) from None
    except UNREADABLE as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        if isinstance(error, MemoryError) or "out of memory" in reason:
            raise MemoryError(
                f"{name} takes more memory than there is. Use a smaller one."
            ) from None
        raise ValueError(
            f"{name} cannot be read as a {kind or 'compressed'} table: "
            f"{reason.removeprefix('Error tokenizing data. ')} Repair it or export it again."
        ) from None


def _sniff(stream: Any) -> str:
    first = stream.read(6)
    stream.seek(0)
    if first.startswith(b"PAR1"):
        return "parquet"
    if first.startswith(b"PK\x03\x04"):
        return "xlsx"
    if first.lstrip().startswith(b"{"):
        return "jsonl"
    return "arrow" if first.startswith((b"ARROW1", b"\xff\xff\xff\xff")) else "csv"


def decompressed(
    file: IO[bytes], compression: str, name: str = "The file", bounds: Bounds = UNBOUNDED
) -> Any:
    """Open the content of a file.

    Parameters
    ----------
    file
        The file.
    compression
        Ending that names the compression, or nothing.
    name
        What to call it in a message.
    bounds
        How many bytes it may hold.

    Returns
    -------
    stream
        Its content, from the beginning; one can go back to it.
    """
    openers: dict[str, Any] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
    if compression == ".zst":
        return io.BytesIO(bounds.read(pa.CompressedInputStream(file, "zstd"), name))
    stream = openers[compression](file) if compression in openers else file
    return stream if bounds is UNBOUNDED else io.BytesIO(bounds.read(stream, name))


def compressed(path: Path, compression: str) -> Any:
    """Open a file to write to, as a context.

    Parameters
    ----------
    path
        The file.
    compression
        Ending that names the compression, or nothing.

    Returns
    -------
    context
        The stream.
    """
    if compression == ".zst":
        return pa.CompressedOutputStream(str(path), "zstd")
    openers: dict[str, Any] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
    return openers.get(compression, open)(path, "wb")


def write_format(table: pd.DataFrame, file: Any, kind: str) -> None:
    """Write a table.

    Parameters
    ----------
    table
        The table.
    file
        Where its bytes go.
    kind
        The format.
    """
    if kind == "parquet":
        table.to_parquet(file, index=False)
    elif kind == "arrow":
        content = pa.Table.from_pandas(table, preserve_index=False)
        with pa.ipc.new_file(file, content.schema) as writer:
            writer.write_table(content)
    elif kind == "jsonl":
        for record in table.to_dict("records"):
            file.write(json.dumps(plain(record), ensure_ascii=False).encode() + b"\n")
    elif kind == "xlsx":
        check_sheets("Writing a sheet")
        table.to_excel(file, index=False)
    else:
        table.to_csv(file, sep="\t" if kind == "tsv" else ",", index=False)
