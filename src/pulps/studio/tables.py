"""Uploaded tables: read, described, and prepared for training."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import narwhals.stable.v2 as nw
import pandas as pd

from pulps.io.bounds import Bounds
from pulps.io.files import check_no_pictures, read_bytes
from pulps.io.plain import cell
from pulps.tables.roles import Role, guess_role, typed

Kind = Literal["numbers", "categories", "dates", "out"]
KIND_OF_ROLE: dict[str, Kind] = {
    "number": "numbers",
    "category": "categories",
    "date": "dates",
    "identifier": "out",
    "text": "out",
    "out": "out",
}
ROLE_OF_KIND = {"numbers": "number", "categories": "category", "dates": "date"}
MOST_VALUES = 20


@dataclass(frozen=True)
class Upload:
    """A table and the name its owner gave it, which is only ever shown.

    Its cells are there with types, as found out, and as they stood in the file.
    """

    name: str
    frame: pd.DataFrame
    text: pd.DataFrame
    decimal: str | None
    told: str
    roles: dict[str, str]


def read_upload(content: bytes, name: str, bounds: Bounds) -> Upload:
    """Read a table from the bytes of a file, whatever its format.

    Parameters
    ----------
    content
        Bytes of the file.
    name
        Name of the file, for showing.
    bounds
        The largest table that is accepted.

    Returns
    -------
    Upload
        The table, with column names as text.
    """
    shown = "".join(c for c in name if c.isprintable())[:100] or "table"
    check_no_pictures(shown)
    source = read_bytes(content, shown, bounds=bounds)
    decimal = source.dialect.decimal if source.dialect else None
    frame, roles = typed(source.frame, decimal)
    frame.columns = frame.columns.map(str)
    text = source.frame.set_axis(frame.columns, axis=1)
    return Upload(shown, frame, text, decimal, source.told(shown), roles)


def describe(frame: pd.DataFrame) -> list[dict[str, Any]]:
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
        role = guess_role(name, nw.from_native(column, series_only=True))
        kind = KIND_OF_ROLE[role.kind]
        if len(distinct) < 2:
            kind, role = "out", Role("out", "it never varies")
        described.append(
            {
                "name": name,
                "kind": kind,
                "role": role.kind,
                "reason": role.reason,
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
    upload: Upload, label: str, kinds: dict[str, Kind]
) -> tuple[pd.DataFrame, dict[str, str]]:
    """Find what the columns to learn from are: as chosen, or as guessed.

    Parameters
    ----------
    upload
        The uploaded table.
    label
        The column that marks labeled positives, which is left out.
    kinds
        Kinds chosen by column name; the others are guessed.

    Returns
    -------
    frame, roles
        The columns to learn from, and the roles of some of them.
    """
    frame = upload.frame.drop(columns=label)
    roles = {name: role for name, role in upload.roles.items() if name != label}
    kept = []
    for item in describe(frame):
        name, guess = item["name"], item["kind"]
        kind = kinds.get(name, guess)
        if kind == "out":
            continue
        kept.append(name)
        if kind != guess:
            roles[name] = ROLE_OF_KIND[kind]
    if not kept:
        raise ValueError("Every column is left out. Keep at least one to learn from.")
    return frame[kept], {name: role for name, role in roles.items() if name in kept}
