"""Tables in files: read with clear errors, written whole or not at all.

The ending of a file tells its format and compression; ``-`` is standard input or output. The
format of standard input is recognized by its first bytes.
"""

from __future__ import annotations

import bz2
import csv
import difflib
import gzip
import io
import lzma
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from pulps.io.outputs import check_writable, replacing

if TYPE_CHECKING:  # pandas and pyarrow are imported where they are used: a path is checked first
    import pandas as pd

ENDINGS = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".parquet": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
}
COMPRESSIONS = {".gz": "gzip", ".bz2": "bz2", ".xz": "xz", ".zst": "zstd"}
MAGIC = {b"\x1f\x8b": ".gz", b"BZh": ".bz2", b"\xfd7zXZ\x00": ".xz", b"(\xb5/\xfd": ".zst"}
KINDS = ".csv, .tsv, .parquet or .arrow (also with .gz, .bz2, .xz or .zst)"
STANDARD = Path("-")
UNREADABLE = (OSError, EOFError, lzma.LZMAError, zlib.error, csv.Error)


def kind_of(path: Path) -> tuple[str, str]:
    """Tell format and compression by the name of a file.

    Parameters
    ----------
    path
        The file.

    Returns
    -------
    format, compression
        ``""`` if it is not compressed.

    Examples
    --------
    >>> kind_of(Path("a.csv")), kind_of(Path("b.TSV.gz"))
    (('csv', ''), ('tsv', '.gz'))
    """
    ending, compression = path.suffix.lower(), ""
    if ending in COMPRESSIONS:
        ending, compression = Path(path.stem).suffix.lower(), ending
    if ending not in ENDINGS:
        raise ValueError(f"{path.name} is not a kind of table known here. Use {KINDS}.")
    return ENDINGS[ending], compression


def name_of(path: Path) -> str:
    """Name a table in a message.

    Parameters
    ----------
    path
        The table.

    Returns
    -------
    str
        The name of the file, without folders.

    Examples
    --------
    >>> name_of(Path("some/rows.csv")), name_of(Path("-"))
    ('rows.csv', 'standard input')
    """
    return "standard input" if path == STANDARD else path.name


def read_table(path) -> pd.DataFrame:
    """Read a table from a file, or from standard input if the path is ``-``.

    Parameters
    ----------
    path
        The file.

    Returns
    -------
    DataFrame
        The table.
    """
    path = Path(path)
    if path == STANDARD:
        return read_bytes(sys.stdin.buffer.read())
    check_there(path)
    kind, compression = kind_of(path)
    with path.open("rb") as file:
        return _read(file, kind, compression, path.name)


def check_there(path: Path) -> None:
    """Refuse a path that is not a file.

    Parameters
    ----------
    path
        The file.
    """
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a directory. Name a table in it: {KINDS}.")
    if not path.exists():
        raise FileNotFoundError(f"There is no file {path}. Check the name and the folder.")


def check_column(name: str, columns, table: str) -> None:
    """Refuse a column that a table does not have, and say which ones it has.

    Parameters
    ----------
    name
        The column that was asked for.
    columns
        Columns of the table.
    table
        What to call the table in a message.
    """
    present = [str(column) for column in columns]
    if name not in present:
        near = difflib.get_close_matches(name, present, 1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise ValueError(
            f"{table} has no column {name[:100]!r}.{hint} Its columns are "
            f"{', '.join(present[:20])}."
        )


def read_bytes(content: bytes, name: str = "standard input") -> pd.DataFrame:
    r"""Read a table from bytes, whose beginning tells the format.

    Parameters
    ----------
    content
        Bytes of the file.
    name
        What to call the table in a message.

    Returns
    -------
    DataFrame
        The table.

    Examples
    --------
    >>> read_bytes(b"a\tb\n1\tx\n").to_dict("list")
    {'a': [1], 'b': ['x']}
    """
    compression = next((end for magic, end in MAGIC.items() if content.startswith(magic)), "")
    return _read(io.BytesIO(content), "", compression, name)


def _read(file: IO[bytes], kind: str, compression: str, name: str) -> pd.DataFrame:
    """Read a table; an empty ``kind`` is told by the first bytes of the content."""
    import pandas as pd

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
        else:
            separator = find_separator(stream, kind, name)
            stream.seek(0)
            table = pd.read_csv(stream, sep=separator)
    if table.empty:
        raise ValueError(f"{name} has a header but no rows. Expected at least two rows.")
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
    from pandas.errors import ParserError
    from pyarrow import ArrowException

    try:
        yield
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{name} is not text in UTF-8 (byte {error.start}). Save it as UTF-8."
        ) from None
    except (*UNREADABLE, ParserError, ArrowException) as error:
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
        from pyarrow import CompressedInputStream

        return io.BytesIO(CompressedInputStream(file, "zstd").read())
    return file


def _read_arrow(content: bytes) -> pd.DataFrame:
    import pyarrow as pa

    opener = pa.ipc.open_file if content.startswith(b"ARROW1") else pa.ipc.open_stream
    return opener(pa.BufferReader(content)).read_all().to_pandas()


def find_separator(stream: Any, kind: str, name: str) -> str:
    """Find the separator; refuse repeated column names, which pandas would quietly rename.

    Parameters
    ----------
    stream
        Text of the table, from its beginning.
    kind
        Its format.
    name
        What to call the table in a message.

    Returns
    -------
    str
        The separator.
    """
    text = stream.readline().decode("utf-8-sig")
    separator = "\t" if kind == "tsv" or ("\t" in text and "," not in text) else ","
    if separator == "," and "," not in text and ";" in text:
        separator = ";"
    header = next(csv.reader([text], delimiter=separator), [])
    repeated = sorted({column for column in header if header.count(column) > 1})
    if repeated:
        raise ValueError(
            f"{name} has more than one column named {', '.join(map(repr, repeated))}. "
            "Rename or drop the copies."
        )
    return separator


def check_output(path, format: str | None = None) -> None:
    """Refuse a path that :func:`write_table` could not write to, before work is lost.

    Parameters
    ----------
    path
        Where a table is to be written.
    format
        Format that takes the place of the path's ending.
    """
    path = Path(path)
    if path != STANDARD:
        check_writable(path)
        if format is None:
            kind_of(path)


def write_table(table: pd.DataFrame, path, format: str | None = None) -> None:
    """Write a data frame, whole or not at all; to standard output if the path is ``-``.

    ``format`` takes the place of the path's ending; standard output is CSV without it.

    Parameters
    ----------
    table
        The table.
    path
        The file.
    format
        Format that takes the place of the path's ending.
    """
    path = Path(path)
    if path == STANDARD:
        with io.BytesIO() as buffer:
            _write(table, buffer, format or "csv")
            sys.stdout.buffer.write(buffer.getvalue())
        sys.stdout.flush()
        return
    kind, compression = (format, "") if format else kind_of(path)
    with (
        replacing(path) as temporary,
        compressed(temporary, compression) as stream,
        io.BytesIO() as buffer,
    ):
        _write(table, buffer, kind)
        stream.write(buffer.getvalue())


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
        from pyarrow import CompressedOutputStream

        return CompressedOutputStream(str(path), "zstd")
    openers: dict[str, Any] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
    return openers.get(compression, open)(path, "wb")


def _write(table: pd.DataFrame, file: Any, kind: str) -> None:
    if kind == "parquet":
        table.to_parquet(file, index=False)
    elif kind == "arrow":
        import pyarrow as pa

        content = pa.Table.from_pandas(table, preserve_index=False)
        with pa.ipc.new_file(file, content.schema) as writer:
            writer.write_table(content)
    else:
        table.to_csv(file, sep="\t" if kind == "tsv" else ",", index=False)
