"""Tables in files: read with clear errors, written whole or not at all."""

from __future__ import annotations

import csv
import gzip
import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

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
    kind, separator = _check_readable(path)
    with _explained(path, kind):
        if kind == ".parquet":
            table = pd.read_parquet(path)
        else:
            _check_header(path, separator)
            table = pd.read_csv(path, sep=separator)
    if table.empty:
        raise ValueError(f"{path.name} has a header but no rows. Expected at least two.")
    return table


def read_chunks(path, size: int) -> Iterator[pa.Table]:
    """Read a CSV, TSV or Parquet file, ``size`` rows at a time, all with one schema.

    The types of a CSV file's columns are found in a first pass over all of it, so that a
    column means the same in every chunk.
    """
    path = Path(path)
    kind, separator = _check_readable(path)
    with _explained(path, kind):
        if kind == ".parquet":
            with pq.ParquetFile(path) as file:
                for batch in file.iter_batches(batch_size=size):
                    yield pa.Table.from_batches([batch])
            return
        _check_header(path, separator)
        options = {"sep": separator, "chunksize": size}
        types: dict[str, str] = {}
        with pd.read_csv(path, **options) as chunks:
            for chunk in chunks:
                for name, column in chunk.items():
                    types[name] = _wider(types.get(name), column)
        schema = None
        with pd.read_csv(path, dtype=types, **options) as chunks:
            for chunk in chunks:
                table = pa.Table.from_pandas(chunk, schema=schema, preserve_index=False)
                schema = table.schema
                yield table


def _wider(known: str | None, column: pd.Series) -> str:
    """Find the type that holds what a column was so far and what it is in a chunk."""
    types = ("int64", "float64", "str")
    kind = {"i": "int64", "f": "float64"}.get(column.dtype.kind, "str")
    return max(known or kind, kind, key=types.index)


def _check_readable(path: Path) -> tuple[str, str]:
    """Refuse what is no table before it is opened; return its kind and separator."""
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a directory. Name a table in it: {KINDS}.")
    if not path.exists():
        raise FileNotFoundError(f"There is no file {path}. Check the name and the folder.")
    kind = _kind(path)
    if path.stat().st_size == 0:
        raise ValueError(f"{path.name} is empty. Expected a header line and rows.")
    return kind, "\t" if kind == ".tsv" else ","


@contextmanager
def _explained(path: Path, kind: str) -> Iterator[None]:
    """Turn the errors of readers into one sentence."""
    try:
        yield
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
    write_chunks([pa.Table.from_pandas(table, preserve_index=False)], path)


def write_chunks(chunks: Iterable[pa.Table], path) -> int:
    """Write chunks of rows as CSV, TSV or Parquet, whole or not at all; return the rows."""
    path = Path(path)
    kind = _kind(path)
    n_rows = 0
    with replacing(path) as temporary, ExitStack() as open_files:
        writer = None
        for chunk in chunks:
            if kind == ".parquet":
                if writer is None:
                    writer = open_files.enter_context(pq.ParquetWriter(temporary, chunk.schema))
                writer.write_table(chunk)
            else:
                if writer is None:
                    opener = gzip.open if path.suffix == ".gz" else open
                    writer = open_files.enter_context(
                        opener(temporary, "wt", encoding="utf-8", newline="")
                    )
                separator = "\t" if kind == ".tsv" else ","
                frame = chunk.to_pandas(ignore_metadata=True)
                frame.to_csv(writer, sep=separator, index=False, header=n_rows == 0)
            n_rows += chunk.num_rows
        open_files.close()
    return n_rows
