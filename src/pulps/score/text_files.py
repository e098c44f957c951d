"""Score a file of text: rows in, the same rows and their scores out, some at a time."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from pulps.io.outputs import replacing
from pulps.io.text_dialect import Dialect, Reading, sniff
from pulps.io.text_rows import read_rows
from pulps.score.models import Scorer
from pulps.tables.cells import TextColumn
from pulps.tables.columns import NumericColumn
from pulps.tables.reading import TextTable
from pulps.tables.row_encoding import RowEncoder

ROWS_AT_ONCE = 2**15
PIECE = 2**20  # bytes that are read back at once
NO_TEXT = {
    *(".parquet", ".arrow", ".feather", ".jsonl", ".ndjson", ".xlsx"),
    *(".gz", ".bz2", ".xz", ".zst"),
}


class Scored(NamedTuple):
    """How many rows were scored, and how many of them are called positive, if that is asked."""

    n_rows: int
    n_positive: int | None


def score_text(
    model: Scorer,
    table: str | Path,
    out: Any,
    *,
    reading: Reading | None = None,
    on_rows: Callable[[int], object] = lambda n_rows: None,
) -> Scored:
    """Write the rows of a CSV or TSV file with their class, probability and decision.

    Parameters
    ----------
    model
        From :func:`pulps.score.load`.
    table
        The file, with the columns of the fit among others.
    out
        File to write, which appears once all rows are scored; or an open file of bytes.
    reading
        What is known of how the file is written; None to find out.
    on_rows
        Called with the number of rows so far.

    Returns
    -------
    Scored
    """
    table = Path(table)
    if not table.is_file():
        raise FileNotFoundError(f"There is no file {table}. Check the name and the folder.")
    _check_text(table)
    if isinstance(out, str | Path):
        _check_text(Path(out))
        if Path(out).resolve() == table.resolve():
            raise ValueError(f"{out} would be read and written. Name another file to write to.")
    reading = reading or Reading()
    with table.open("rb") as stream:
        kind = "tsv" if table.suffix.lower() == ".tsv" else ""
        dialect = sniff(stream, kind, table.name, reading)
        clash = set(model.score_names) & set(dialect.header)
        if clash:
            raise ValueError(
                f"{table.name} already has a column named {', '.join(sorted(clash))}, which would "
                "be overwritten by the scores. Rename it first."
            )
        model = _marked(model, dialect, certain=reading.decimal is not None)
        if not isinstance(out, str | Path):
            return _copy(model, stream, dialect, out, table.name, reading, on_rows)
        found: list[Scored] = []
        with replacing(out, lambda there: _check_lines(there, found[0].n_rows)) as temporary:
            with temporary.open("wb") as file:
                found.append(_copy(model, stream, dialect, file, table.name, reading, on_rows))
        return found[0]


def _check_text(path: Path) -> None:
    """Refuse a name that says that the file is no text, or is compressed."""
    if path.suffix.lower() in NO_TEXT:
        raise ValueError(
            f"{path.name} is no plain CSV or TSV file, and nothing else is read or written with "
            "NumPy alone. Convert it, or take pulps predict where all of pulps is installed."
        )


def _check_lines(path: Path, n_rows: int) -> None:
    """Raise if fewer lines can be read back than were written."""
    n_lines = 0
    with path.open("rb") as file:
        while piece := file.read(PIECE):
            n_lines += piece.count(b"\n")
    if n_lines <= n_rows:
        raise OSError(f"Fewer rows than the {n_rows} that were written could be read back.")


def _copy(
    model: Scorer,
    stream: Any,
    dialect: Dialect,
    target: Any,
    name: str,
    reading: Reading,
    on_rows: Callable[[int], object],
) -> Scored:
    text = io.TextIOWrapper(target, encoding=dialect.encoding, newline="", write_through=True)
    writer = csv.writer(text, delimiter=dialect.separator, lineterminator="\n")
    writer.writerow([*dialect.header, *model.score_names])
    comma = dialect.decimal == "," and dialect.separator != ","
    n_rows = n_positive = 0
    for rows in read_rows(stream, dialect, name, ROWS_AT_ONCE):
        columns = model.score_columns(as_table(dialect.header, rows, reading.missing))
        cells = [
            [str(value).replace(".", ",") for value in column.tolist()]
            if comma and column.dtype.kind == "f" and name != "class"
            else [str(value) for value in column.tolist()]
            for name, column in columns.items()
        ]
        writer.writerows([*row, *scores] for row, *scores in zip(rows, *cells, strict=True))
        n_rows += len(rows)
        n_positive += int(columns.get("positive", np.zeros(1)).sum())
        on_rows(n_rows)
    text.detach()
    if not n_rows:
        raise ValueError(f"{name} has a header but no rows. Expected at least one row.")
    return Scored(n_rows, n_positive if "positive" in model.score_names else None)


def as_table(
    names: Sequence[str], rows: Sequence[Sequence[str]], missing: Sequence[str] = ()
) -> TextTable:
    """Make a table of rows of text.

    Parameters
    ----------
    names
        Names of the columns.
    rows
        Cells of every row; empty ones are missing.
    missing
        Words that stand for a missing cell.

    Returns
    -------
    TextTable
    """
    gone = {"", *missing}
    columns = {}
    for name, cells in zip(names, zip(*rows, strict=True), strict=True):
        texts = np.empty(len(rows), dtype=object)
        texts[:] = [None if cell in gone else cell for cell in cells]
        columns[name] = TextColumn(texts)
    return TextTable(columns)


def _marked(model: Scorer, dialect: Dialect, *, certain: bool) -> Scorer:
    """Read numbers by the file's decimal mark where the fit knows none, or where it is certain."""
    if dialect.decimal is None:
        return model
    columns = [
        replace(column, decimal=dialect.decimal)
        if isinstance(column, NumericColumn)
        and not column.part
        and (certain or not column.decimal)
        else column
        for column in model.encoder.columns_
    ]
    known = model.encoder
    return model.with_encoder(RowEncoder(columns, known.names_, known.n_features_in_))
