"""Tables in files: read with clear errors, written whole or not at all.

The ending of a file tells its format and compression; ``-`` is standard input or output. The
format of standard input is recognized by its first bytes.
"""

from __future__ import annotations

import difflib
import io
import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from pulps.io.bounds import UNBOUNDED, Bounds
from pulps.io.naming import listed, quoted
from pulps.io.optional import check_sheets
from pulps.io.outputs import check_writable, replacing

if TYPE_CHECKING:  # pandas and pyarrow are imported where they are used: a path is checked first
    import pandas as pd

    from pulps.io.formats import FileTable
    from pulps.io.text_dialect import Reading

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
NO_TABLES = (
    *(".png", ".jpg", ".jpeg", ".bmp", ".gif", ".webp", ".tif", ".tiff"),
    *(".zip", ".tar", ".7z", ".npy", ".npz"),
)
STANDARD = Path("-")


def check_no_pictures(name: str) -> None:
    """Refuse pictures and archives by the name of their file: a table is wanted.

    Parameters
    ----------
    name
        Name of the file.
    """
    if name.lower().endswith(NO_TABLES):
        raise ValueError(
            f"{name} is not a table. Unpack it if it holds one. From pictures models learn in "
            "Python: LPSImageClassifier and LPSSemiSupervisedImageClassifier take an ImageFolder."
        )


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
    check_no_pictures(path.name)
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


def read_table(path: str | os.PathLike[str], reading: Reading | None = None) -> FileTable:
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
    from pulps.io.formats import read_format

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


def check_column(name: str, columns: Iterable[str], table: str) -> None:
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
        hint = f" Did you mean {quoted(near[0])}?" if near else ""
        raise ValueError(
            f"{table} has no column {quoted(name)}.{hint} Its columns are {listed(present, 20)}."
        )


def read_bytes(
    content: bytes,
    name: str = "standard input",
    reading: Reading | None = None,
    bounds: Bounds = UNBOUNDED,
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
    bounds
        How large it may be.

    Returns
    -------
    FileTable

    Examples
    --------
    >>> read_bytes(b"a\tb\n01\tx\n").frame.to_dict("list")
    {'a': ['01'], 'b': ['x']}
    """
    compression = next((end for magic, end in MAGIC.items() if content.startswith(magic)), "")
    from pulps.io.formats import read_format

    return read_format(io.BytesIO(content), "", compression, name, reading, bounds)


def check_output(path: str | os.PathLike[str], format: str | None = None) -> None:
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
        if (format or kind_of(path)[0]) == "xlsx":
            check_sheets(f"Writing {path.name}")


def write_table(
    table: pd.DataFrame, path: str | os.PathLike[str], format: str | None = None
) -> None:
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
    from pulps.io.formats import compressed, decompressed, write_format

    path = Path(path)
    if path == STANDARD:
        with io.BytesIO() as buffer:
            write_format(table, buffer, format or "csv")
            sys.stdout.buffer.write(buffer.getvalue())
        sys.stdout.flush()
        return
    kind, compression = (format, "") if format else kind_of(path)
    with io.BytesIO() as buffer:
        write_format(table, buffer, kind)
        content = buffer.getvalue()

    def check(temporary: Path) -> None:
        with temporary.open("rb") as file:
            if decompressed(file, compression).read() != content:
                raise OSError(f"What was read back of {path} differs from what was written.")

    with replacing(path, check) as temporary, compressed(temporary, compression) as stream:
        stream.write(content)
