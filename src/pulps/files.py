"""Tables in files: read with clear errors, written whole or not at all."""

from __future__ import annotations

import csv
import gzip
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pandas as pd
import pyarrow as pa

KINDS = ".csv, .csv.gz, .tsv, .tsv.gz or .parquet"


def check_writable(path) -> Path:
    """Refuse a path that cannot become a file, before work is done that would be lost."""
    path = Path(path)
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a directory; name a file to write to.")
    if not path.parent.is_dir():
        raise FileNotFoundError(f"There is no folder {path.parent}; create it first.")
    return path


@contextmanager
def replacing(path) -> Iterator[Path]:
    """Give a temporary file to write; move it to ``path`` if all went well.

    Whatever happens, ``path`` holds either what it held before or the whole new content.
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


def _kind(path: Path) -> str:
    name = path.name.lower().removesuffix(".gz")
    for kind in (".csv", ".tsv", ".parquet"):
        if name.endswith(kind):
            return kind
    raise ValueError(f"{path.name} is no table this command knows. Use {KINDS}.")


def read_table(path) -> pd.DataFrame:
    """Read a CSV, TSV or Parquet file into a data frame."""
    path = Path(path)
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a directory. Name a table in it: {KINDS}.")
    if not path.exists():
        raise FileNotFoundError(f"There is no file {path}. Check the name and the folder.")
    kind = _kind(path)
    if path.stat().st_size == 0:
        raise ValueError(f"{path.name} is empty. Expected a header line and rows.")
    separator = "\t" if kind == ".tsv" else ","
    try:
        if kind == ".parquet":
            table = pd.read_parquet(path)
        else:
            _check_header(path, separator)
            table = pd.read_csv(path, sep=separator)
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{path.name} is not text in UTF-8 (byte {error.start}). Save it as UTF-8."
        ) from None
    except (OSError, EOFError, pa.ArrowException, pd.errors.ParserError, csv.Error) as error:
        reason = str(error).splitlines()[0].removeprefix("Error tokenizing data. ")
        raise ValueError(
            f"{path.name} cannot be read as a {kind[1:]} table: {reason} "
            "Repair it or export it again."
        ) from None
    if table.empty:
        raise ValueError(f"{path.name} has a header but no rows. Expected at least two.")
    return table


def _check_header(path: Path, separator: str) -> None:
    """Refuse repeated column names, which pandas would quietly rename."""
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8-sig", newline="") as file:
        header = next(csv.reader(file, delimiter=separator), [])
    repeated = sorted({name for name in header if header.count(name) > 1})
    if repeated:
        raise ValueError(
            f"{path.name} has more than one column named {', '.join(map(repr, repeated))}. "
            "Rename or drop the copies."
        )


def write_table(table: pd.DataFrame, path) -> None:
    """Write a data frame as CSV, TSV or Parquet, whole or not at all."""
    path = Path(path)
    kind = _kind(path)
    with replacing(path) as temporary:
        if kind == ".parquet":
            table.to_parquet(temporary, index=False)
        else:
            table.to_csv(
                temporary,
                sep="\t" if kind == ".tsv" else ",",
                index=False,
                compression="gzip" if path.suffix == ".gz" else None,
            )
