"""Uploaded tables: kept in memory under names of our own, described, and made ready."""

from __future__ import annotations

import secrets
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

import narwhals.stable.v2 as nw
import pandas as pd

from pulps.io.files import read_bytes
from pulps.io.plain import cell
from pulps.studio.answers import Refusal
from pulps.studio.limits import Limits
from pulps.tables.encoding import is_categorical

Kind = Literal["numbers", "categories", "out"]
T = TypeVar("T")
MOST_CATEGORIES = 256
MOST_VALUES = 20


class Shelf(Generic[T]):
    """A few things under random names; the oldest make room for new ones."""

    def __init__(self, what: str, size: int, drop: Callable[[T], None] = lambda _: None):
        self.what, self.size, self.drop = what, size, drop
        self._things: OrderedDict[str, T] = OrderedDict()

    def put(self, thing: T) -> str:
        """Keep a thing; return its name."""
        key = secrets.token_urlsafe(12)
        self._things[key] = thing
        while len(self._things) > self.size:
            self.drop(self._things.popitem(last=False)[1])
        return key

    def get(self, key: str) -> T:
        """Find a thing by its name."""
        try:
            return self._things[key]
        except KeyError:
            raise Refusal(404, f"There is no such {self.what}; it may have made room.") from None

    def __iter__(self):
        return iter(list(self._things.values()))


@dataclass(frozen=True)
class Upload:
    """A table and the name its owner gave it, for showing only."""

    name: str
    frame: pd.DataFrame


def read_upload(content: bytes, name: str, limits: Limits) -> Upload:
    """Read a table from the bytes of a file, whatever its format; refuse one too large."""
    shown = "".join(c for c in name if c.isprintable())[:100] or "table"
    frame = read_bytes(content, shown)
    if len(frame) > limits.table_rows or len(frame.columns) > limits.table_columns:
        raise Refusal(
            413,
            f"{shown} has {len(frame)} rows and {len(frame.columns)} columns; at most "
            f"{limits.table_rows} and {limits.table_columns} are taken.",
        )
    frame.columns = frame.columns.map(str)
    return Upload(shown, frame)


def describe(frame: pd.DataFrame) -> list[dict]:
    """Say of every column what it seems to hold."""
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
) -> tuple[pd.DataFrame, list[str]]:
    """Columns to learn from, converted to the kinds chosen, and which are categorical."""
    columns, categorical = {}, []
    guessed = {item["name"]: item["kind"] for item in describe(frame.drop(columns=label))}
    for name, guess in guessed.items():
        kind = kinds.get(name, guess)
        if kind == "out":
            continue
        column = frame[name]
        if kind == "categories":
            categorical.append(name)
            columns[name] = column.astype(object).where(column.isna(), column.map(cell))
        elif pd.api.types.is_numeric_dtype(column) and column.dtype != bool:
            columns[name] = column
        else:
            columns[name] = pd.to_numeric(column, errors="coerce").astype(float)
    if not columns:
        raise ValueError("Every column is left out; keep at least one to learn from.")
    return pd.DataFrame(columns), categorical
