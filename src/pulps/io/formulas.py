"""Cells that a spreadsheet would compute instead of showing.

A program that opens a CSV file takes a cell that begins with ``=``, ``+``, ``-``, ``@`` or a
control character for a formula, and a formula can start programs. Text from a table that
someone else wrote must not come to life that way, so such text gets an apostrophe in front,
which spreadsheets take for "this is text". Numbers stay numbers.
"""

from __future__ import annotations

import re
from typing import Any

import pandas as pd

_LIVE = re.compile(r"[\s\x00-\x1f\ufeff]*[=+\-@\uff1d\uff0b\uff0d\uff20]|[\t\r\n\x00]")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


def harmless(value: Any) -> Any:
    """Return the value, or its text with an apostrophe in front if it looks like a formula.

    Parameters
    ----------
    value
        A cell.

    Returns
    -------
    object
        The value or its text.

    Examples
    --------
    >>> [harmless(value) for value in ("=1+1", "-3.5", -3.5, "a=b", " @x")]
    ["'=1+1", '-3.5', -3.5, 'a=b', "' @x"]
    """
    if value is None or isinstance(value, int | float | bool):
        return value
    text = str(value)
    if _LIVE.match(text) and not _NUMBER.fullmatch(text):
        return "'" + text
    return value


def harmless_csv(table: pd.DataFrame) -> str:
    r"""Write a table as CSV text in which no cell and no column name is a formula.

    Parameters
    ----------
    table
        The table.

    Returns
    -------
    str
        CSV.

    Examples
    --------
    >>> harmless_csv(pd.DataFrame({"@a": ["=cmd", "x"], "b": [-1.5, 2.0]}))
    "'@a,b\n'=cmd,-1.5\nx,2.0\n"
    """
    safe = table.copy()
    safe.columns = [str(harmless(name)) for name in table.columns]
    for position, dtype in enumerate(table.dtypes):
        if not pd.api.types.is_numeric_dtype(dtype):
            cells = table.iloc[:, position].astype(object)
            safe.isetitem(position, cells.where(cells.isna(), cells.map(harmless)))
    return safe.to_csv(index=False, lineterminator="\n")
