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
import pyarrow as pa

from pulps.io.plain import plain
from pulps.io.text_tables import Dialect, Reading, read_text, sniff

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
    file: IO[bytes], kind: str, compression: str, name: str, reading: Reading | None
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

    Returns
    -------
    FileTable
    """
    dialect = None
    if not file.read(1):
        raise ValueError(f"{name} is empty. Expected a header line and rows.")
    file.seek(0)
    with explained(name, kind):
        stream = decompressed(file, compression)
        kind = kind or _sniff(stream)
        if kind == "parquet":
            table = pd.read_parquet(stream)
        elif kind == "arrow":
            table = _read_arrow(stream.read())
        elif kind == "jsonl":
            table = _read_lines(stream, name)
        elif kind == "xlsx":
            table = _read_sheet(stream, name)
        else:
            dialect = sniff(stream, kind, name, reading)
            missing = () if reading is None else reading.missing
            table = next(read_text(stream, dialect, name, missing=missing), pd.DataFrame())
    if table.empty:
        raise ValueError(f"{name} has a header but no rows. Expected at least two rows.")
    return FileTable(table, dialect)


def _read_lines(stream: Any, name: str) -> pd.DataFrame:
    """Read JSON lines; values keep the types that JSON has."""
    records = []
    for number, line in enumerate(stream, 1):
        if line.strip():
            try:
                records.append(json.loads(line))
            except ValueError:
                raise ValueError(
                    f"{name} cannot be read as JSON lines: line {number} is not JSON. Repair it."
                ) from None
            if not isinstance(records[-1], dict):
                raise ValueError(
                    f"{name}, line {number}, is not a JSON object. Expected one row per line, "
                    'such as {"size": 3, "color": "red"}.'
                )
    return pd.DataFrame(records, dtype=object)


def _read_sheet(stream: Any, name: str) -> pd.DataFrame:
    try:
        return pd.read_excel(stream, dtype=object, keep_default_na=False, na_values=[""])
    except ImportError:
        raise ImportError(
            f"{name} needs openpyxl, which is not installed. Install it with: "
            "pip install 'pulps[xlsx]'"
        ) from None


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


def decompressed(file: IO[bytes], compression: str) -> Any:
    """Open the content of a file.

    Parameters
    ----------
    file
        The file.
    compression
        Ending that names the compression, or nothing.

    Returns
    -------
    stream
        Its content.
    """
    if compression == ".gz":
        return gzip.open(file)
    if compression == ".bz2":
        return bz2.open(file)
    if compression == ".xz":
        return lzma.open(file)
    if compression == ".zst":
        return io.BytesIO(pa.CompressedInputStream(file, "zstd").read())
    return file


def _read_arrow(content: bytes) -> pd.DataFrame:
    opener = pa.ipc.open_file if content.startswith(b"ARROW1") else pa.ipc.open_stream
    return opener(pa.BufferReader(content)).read_all().to_pandas()


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
        table.to_excel(file, index=False)
    else:
        table.to_csv(file, sep="\t" if kind == "tsv" else ",", index=False)
