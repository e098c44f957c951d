"""Uploaded tables: read, described, and prepared for training."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import narwhals.stable.v2 as nw
import pandas as pd

from pulps.io.files import read_bytes
from pulps.io.plain import cell
from pulps.studio.answers import Refusal
from pulps.studio.limits import Limits
from pulps.tables.reading import is_categorical

Kind = Literal["numbers", "categories", "out"]
MOST_CATEGORIES = 256
MOST_VALUES = 20


@dataclass(frozen=True)
class Upload:
    """A table and the name its owner gave it, which is only ever shown."""

    name: str
    frame: pd.DataFrame


def read_upload(content: bytes, name: str, limits: Limits) -> Upload:
    """Read a table from the bytes of a file, whatever its format.

    Parameters
    ----------
    content
        Bytes of the file.
    name
        Name of the file, for showing.
    limits
        The largest table that is accepted.

    Returns
    -------
    Upload
        The table, with column names as text.
    """
    shown = "".join(c for c in name if c.isprintable())[:100] or "table"
    frame = read_bytes(content, shown)
    if len(frame) > limits.table_rows or len(frame.columns) > limits.table_columns:
        raise Refusal(
            413,
            f"{shown} has {len(frame)} rows and {len(frame.columns)} columns, but at most "
            f"{limits.table_rows} and {limits.table_columns} are accepted. Upload a smaller "
            "table.",
        )
    frame.columns = frame.columns.map(str)
    return Upload(shown, frame)


def describe(frame: pd.DataFrame) -> list[dict]:
    """Describe each column: what it seems to hold, and examples.

    Parameters
    ----------
    frame
        The table.

    Returns
    -------
    list of dict
        One per column, ready to be sent as JSON.
    """
    described = []
    for name in frame.columns:
        column = frame[name]
        distinct = column.dropna().drop_duplicates()
        categorical = is_categorical(nw.from_native(column, series_only=True))
        kind: Kind = "categories" if categorical else "numbers"
        if len(distinct) < 2 or (categorical and len(distinct) > MOST_CATEGORIES):
            kind = "out"
        described.append(
            {
                "name": name,
                "kind": kind,
                "n_distinct": len(distinct),
                "missing": float(column.isna().mean()),
                "examples": [cell(value) for value in distinct.head(3)],
                "values": [cell(value) for value in distinct.head(MOST_VALUES)]
                if len(distinct) <= MOST_VALUES
                else [],
            }
        )
    return described


def prepare(
    frame: pd.DataFrame, label: str, kinds: dict[str, Kind]
) -> tuple[pd.DataFrame, dict[str, Kind]]:
    """Convert the columns to learn from to the kinds chosen.

    Parameters
    ----------
    frame
        The uploaded table.
    label
        The column that marks labeled positives, which is left out.
    kinds
        Kinds chosen by column name; the others are guessed.

    Returns
    -------
    frame, kinds
        The columns to learn from, and what each of them holds.
    """
    guessed = {item["name"]: item["kind"] for item in describe(frame.drop(columns=label))}
    chosen = {name: kinds.get(name, guess) for name, guess in guessed.items()}
    kept = {name: kind for name, kind in chosen.items() if kind != "out"}
    if not kept:
        raise ValueError("Every column is left out. Keep at least one to learn from.")
    return read_as(frame, kept), kept


def read_as(frame: pd.DataFrame, kinds: dict[str, Kind]) -> pd.DataFrame:
    """Read columns of a table as what they hold.

    Parameters
    ----------
    frame
        A table; other columns are left out.
    kinds
        ``"numbers"`` or ``"categories"`` by column name.

    Returns
    -------
    DataFrame
        The columns, in the order of ``kinds``.
    """
    absent = [name for name in kinds if name not in frame.columns]
    if absent:
        raise ValueError(
            f"The table has no column {', '.join(map(repr, absent[:8]))}, which the model was "
            "trained on. Send a table with the same columns."
        )
    columns = {}
    for name, kind in kinds.items():
        column = frame[name]
        if kind == "categories":
            columns[name] = column.astype(object).where(column.isna(), column.map(cell))
        elif pd.api.types.is_numeric_dtype(column) and column.dtype != bool:
            columns[name] = column
        else:
            columns[name] = pd.to_numeric(column, errors="coerce").astype(float)
    return pd.DataFrame(columns)
