"""Tables in files: read with clear errors, written whole or not at all.

The ending of a file tells its format and compression; ``-`` is standard input or output. The
format of standard input is recognized by its first bytes.
"""

from __future__ import annotations

import difflib
import io
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pandas as pd

from pulps.io.formats import FileTable, compressed, read_format, write_format
from pulps.io.text_tables import Reading

ENDINGS = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".parquet": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".xlsx": "xlsx",
}
COMPRESSIONS = {".gz": "gzip", ".bz2": "bz2", ".xz": "xz", ".zst": "zstd"}
MAGIC = {b"\x1f\x8b": ".gz", b"BZh": ".bz2", b"\xfd7zXZ\x00": ".xz", b"(\xb5/\xfd": ".zst"}
KINDS = ".csv, .tsv, .jsonl, .parquet, .arrow or .xlsx (also with .gz, .bz2, .xz or .zst)"
STANDARD = Path("-")


def check_writable(path) -> Path:
    """Refuse a path that cannot become a file, before work is done that would be lost.

    Parameters
    ----------
    path
        Where a file is to be written.

    Returns
    -------
    Path
        The path.
    """
    path = Path(path)
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a directory. Name a file to write to.")
    if not path.parent.is_dir():
        raise FileNotFoundError(f"There is no folder {path.parent}. Create it first.")
    return path


@contextmanager
def replacing(path) -> Iterator[Path]:
    """Give a temporary file to write; move it to ``path`` if all went well.

    Whatever happens, ``path`` holds either what it held before or the whole new content.

    Parameters
    ----------
    path
        The file to replace.
    """
    path = check_writable(path)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        umask = os.umask(0)
        os.umask(umask)
        temporary.chmod(0o666 & ~umask)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


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


def read_table(path, reading: Reading | None = None) -> FileTable:
    """Read a table from a file, or from standard input if the path is ``-``.

    Parameters
    ----------
    path
        The file.
    reading
        What its owner says of how it is written; None to find out.

    Returns
    -------
    FileTable
    """
    path = Path(path)
    if path == STANDARD:
        return read_bytes(sys.stdin.buffer.read(), reading=reading)
    check_there(path)
    kind, compression = kind_of(path)
    with path.open("rb") as file:
        return read_format(file, kind, compression, path.name, reading)


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


def read_bytes(
    content: bytes, name: str = "standard input", reading: Reading | None = None
) -> FileTable:
    r"""Read a table from bytes, whose beginning tells the format.

    Parameters
    ----------
    content
        Bytes of the file.
    name
        What to call the table in a message.
    reading
        What its owner says of how it is written; None to find out.

    Returns
    -------
    FileTable

    Examples
    --------
    >>> read_bytes(b"a\tb\n01\tx\n").frame.to_dict("list")
    {'a': ['01'], 'b': ['x']}
    """
    compression = next((end for magic, end in MAGIC.items() if content.startswith(magic)), "")
    return read_format(io.BytesIO(content), "", compression, name, reading)


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
            write_format(table, buffer, format or "csv")
            sys.stdout.buffer.write(buffer.getvalue())
        sys.stdout.flush()
        return
    kind, compression = (format, "") if format else kind_of(path)
    with (
        replacing(path) as temporary,
        compressed(temporary, compression) as stream,
        io.BytesIO() as buffer,
    ):
        write_format(table, buffer, kind)
        stream.write(buffer.getvalue())
