"""Tables of text: comma, semicolon or tab separated, read cell by cell as they stand.

Cells stay text, so that nothing is lost: what they mean is for the reader of a column to say. Rows
that do not fit the header are refused. How a file is written is found out by
:mod:`pulps.io.text_dialect`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pandas as pd

from pulps.io.text_dialect import Dialect

_TOO_LONG = re.compile(r"Expected \d+ fields in line (\d+), saw (\d+)")


def read_text(
    stream: Any,
    dialect: Dialect,
    name: str,
    *,
    missing: tuple[str, ...] = (),
    size: int | None = None,
) -> Iterator[pd.DataFrame]:
    """Read a table of text, some rows at a time.

    Parameters
    ----------
    stream
        Its bytes, from the beginning.
    dialect
        How it is written.
    name
        What to call the table in a message.
    missing
        Words that stand for a missing cell, beside an empty one.
    size
        Rows at a time; None reads all at once.

    Yields
    ------
    DataFrame
        Cells as text, missing where empty.
    """
    extras = [f"\0{place}" for place in range(dialect.n_extra)]
    n_seen = 0
    options: dict[str, Any] = {
        "sep": dialect.separator,
        "encoding": dialect.encoding,
        "header": None,
        "names": [*dialect.header, *extras],
        "dtype": str,
        "na_filter": False,
        "iterator": True,
    }
    try:
        with pd.read_csv(stream, **options) as found:
            found.read(1)  # the header
            while (chunk := _next(found, size)) is not None:
                _check_extras(chunk[extras], n_seen, name, len(dialect.header))
                n_seen += len(chunk)
                frame = chunk.drop(columns=extras).reset_index(drop=True)
                empty = frame == ""
                if missing:
                    empty |= frame.isin(missing)
                yield frame.mask(empty)
    except pd.errors.ParserError as error:
        long = _TOO_LONG.search(str(error))
        if long is None:
            raise
        raise ValueError(
            f"{name}, line {long[1]}, has {long[2]} cells, but the header has "
            f"{len(dialect.header)}. Repair that line, or name the separator (--sep)."
        ) from None


def _next(found: Any, size: int | None) -> pd.DataFrame | None:
    """Read the next rows; all that are left, perhaps none, without a size."""
    try:
        return found.read(size)
    except StopIteration:
        return None


def _check_extras(extras: pd.DataFrame, n_seen: int, name: str, n_columns: int) -> None:
    """Refuse rows with cells beyond the header; empty ones come from separators at line ends."""
    longer = (extras != "").any(axis=1).to_numpy()
    if not longer.any():
        return
    row = n_seen + int(longer.argmax()) + 1
    if longer.all():
        raise ValueError(
            f"Every row of {name} has more cells than the {n_columns} names in its header; "
            "perhaps the first ones are row names. Add a name for them to the header."
        )
    raise ValueError(
        f"{name}, row {row}, has more cells than the {n_columns} names in its header. Repair that "
        "line, or name the separator (--sep)."
    )
