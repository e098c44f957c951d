"""What a column is: a number, a category, a date, or something to leave out.

The type of a column decides where it can: numbers are numbers, booleans and categories are
categories. Text is looked at. Numbers with a decimal comma or a currency are numbers, dates are
dates; what differs in almost every row is a name or an identifier, long sentences are text, and
neither can be learned from row by row. The same rule holds in Python, for files and in the studio.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd

from pulps.io.naming import quoted
from pulps.tables.cells import (
    MISSING_WORDS,
    TRUTH,
    decimal_of,
    is_infinite,
    is_plain_number,
    number_in,
    texts_of,
    told,
)
from pulps.tables.dates import ISO, format_of, is_date_type
from pulps.tables.reading import all_numbers

ROLES = ("number", "comma number", "category", "date", "identifier", "text", "out")
LEFT_OUT = ("identifier", "text", "out")
ENOUGH_ROWS = 20  # below, nobody can tell an identifier from a category
MOSTLY = 0.9
FEW_NUMBERS = 32  # so many distinct numbers, typed as text, are codes
LONG_TEXT, MANY_WORDS = 40, 4
_IDENTIFIER = re.compile(
    r"(^|[\s_.-])(id|ids|uid|uuid|guid|key|index|nr|no|number|nummer)$|^unnamed: \d+$|[a-z]I[dD]$",
)
_ADDRESS = re.compile(r"[^@\s]+@[^@\s]+\.\w+|https?://\S+|[0-9a-fA-F]{8}-[0-9a-fA-F-]{27}")


@dataclass(frozen=True)
class Role:
    """What a column is, and how its cells are written.

    Parameters
    ----------
    kind
        One of ``ROLES``.
    reason
        Why, for people; empty where the type says it.
    decimal, blanks
        Of numbers that are text: the decimal mark, and words between them that count as missing.
        An empty mark: the numbers are no text, and text that comes later may have either.
    form
        How dates are written.
    """

    kind: str
    reason: str = ""
    decimal: str = ""
    blanks: tuple[str, ...] = field(default=())
    form: str = ISO


@dataclass(frozen=True)
class LeftOutColumn:
    """A column that a fit did not learn from.

    Parameters
    ----------
    name, index
        Its name, and its number in the table.
    role
        What it is taken for, one of ``LEFT_OUT``.
    reason
        Why.
    """

    name: Any
    index: int
    role: str
    reason: str


def check_roles(roles: Mapping[Any, str] | None, names: list[Any]) -> dict[Any, str]:
    """Refuse roles that do not exist, and roles of columns that do not.

    Parameters
    ----------
    roles
        Roles by column name, as the user gave them.
    names
        Names of the columns.

    Returns
    -------
    dict
        The roles.
    """
    for name, role in (roles or {}).items():
        if role not in ROLES:
            raise ValueError(
                f"roles gives column {quoted(name)} the role {quoted(role)}; it must be one of "
                f"{', '.join(ROLES)}."
            )
        if name not in names:
            raise ValueError(
                f"roles names {quoted(name)}, which is not a column; the {len(names)} columns are "
                f"{quoted(names)}."
            )
    return dict(roles or {})


def as_given(kind: str, column: Any) -> Role:
    """Return the role that the user gave a column, and find how its cells are written.

    Parameters
    ----------
    kind
        One of ``ROLES``.
    column
        From :func:`pulps.tables.reading.read_columns`.

    Returns
    -------
    Role
    """
    if kind in LEFT_OUT:
        return Role(kind, "as you said")
    if kind == "comma number":
        return Role("number", decimal=",")
    if kind == "number" and not isinstance(column, np.ndarray):
        return Role("number", decimal=decimal_of(_distinct(column)) or ".")
    if kind == "date" and not is_date_type(column):
        return Role("date", form=format_of(_distinct(column)) or ISO)
    return Role(kind)


def guess_role(name: Any, column: Any) -> Role:
    """Guess what a column is.

    Parameters
    ----------
    name
        Its name.
    column
        From :func:`pulps.tables.reading.read_columns`; rows that count only.

    Returns
    -------
    Role
    """
    if isinstance(column, np.ndarray):
        return Role("number")
    if is_date_type(column):
        return Role("date")
    if column.dtype.is_nested():
        return Role("out", f"its cells are of type {type(column.dtype).__name__}")
    if column.dtype.is_numeric():
        return _role_of_numbers(name, column)
    if column.dtype in (nw.Duration, nw.Unknown):
        return Role("number")
    if column.dtype == nw.Boolean or isinstance(column.dtype, nw.Categorical | nw.Enum):
        return Role("category")
    if column.dtype == nw.Object and all_numbers(column):
        return Role("number")
    return _role_of_words(texts_of(column))


def _role_of_numbers(name: Any, column: Any) -> Role:
    if column.dtype.is_integer() and _IDENTIFIER.search(_as_name(name)):
        known = column.drop_nulls()
        if len(known) >= ENOUGH_ROWS and known.n_unique() == len(known):
            return Role("identifier", f"{len(known)} different whole numbers")
    return Role("number")


def _as_name(name: Any) -> str:
    text = str(name)
    return text if re.search(r"[a-z]I[dD]$", text) else text.lower()


def _role_of_words(texts: np.ndarray) -> Role:
    known = pd.Series(texts[~pd.isna(texts)], dtype=object)
    distinct = known.drop_duplicates().tolist()
    number = _number_role(known, distinct)
    if number is not None:
        return number
    form = format_of(distinct)
    if form is not None:
        return Role("date", form=form)
    if len(known) < ENOUGH_ROWS:
        return Role("category")
    words = float(known.str.count(r"\S+").mean())
    told_length = f"{words:.0f} words on average"
    if len(distinct) > len(known) / 2 and (
        words >= MANY_WORDS or known.str.len().mean() > LONG_TEXT
    ):
        return Role("text", told_length)
    different = f"{len(distinct)} different values in {len(known)} rows"
    if len(distinct) >= MOSTLY * len(known):
        return Role("identifier", different)
    if len(distinct) > len(known) / 2 and known.str.fullmatch(_ADDRESS).mean() >= MOSTLY:
        return Role("identifier", different)
    return Role("category")


def _number_role(known: pd.Series, distinct: list[str]) -> Role | None:
    """Find out whether texts are numbers, perhaps with a few words between them."""
    decimal = decimal_of(distinct)
    if decimal is not None:
        if all(is_plain_number(text) for text in distinct) and len(distinct) <= FEW_NUMBERS:
            return None  # written as text on purpose
        return Role("number", decimal=decimal)
    readable = [text for text in distinct if number_in(text) is not None]
    if len(readable) <= FEW_NUMBERS or decimal_of(readable) != ".":
        return None
    words = known[~known.isin(readable)]
    if len(words) > (1 - MOSTLY) * len(known) or words.nunique() > 3:
        return None
    blanks = tuple(words.unique().tolist())
    return Role("number", f"{told(blanks)} count as missing", decimal=".", blanks=blanks)


def _distinct(column: Any) -> list[str]:
    texts = texts_of(column)
    return list(dict.fromkeys(text for text in texts.tolist() if text is not None))


def typed(frame: pd.DataFrame, decimal: str | None = None) -> tuple[pd.DataFrame, dict[str, str]]:
    """Give the columns of a file of text the types that its cells have throughout.

    Codes such as 01000, and words such as NA among words, stay text.

    Parameters
    ----------
    frame
        Cells as text, None where missing; other columns are left as they are.
    decimal
        The decimal mark of the file, if it is known.

    Returns
    -------
    frame, roles
        The same rows, and the roles of columns that are numbers by the decimal mark of the file.

    Examples
    --------
    >>> text = pd.DataFrame({"a": ["1", "NA"], "b": ["01", "2"], "c": ["true", "False"]})
    >>> found, _ = typed(text)
    >>> [dtype.kind for dtype in found.dtypes]
    ['f', 'O', 'b']
    """
    columns, roles = {}, {}
    for name in frame.columns:
        column = frame[name]
        columns[name] = column
        if not (column.dtype == object or pd.api.types.is_string_dtype(column)):
            continue
        cells = column.dropna().tolist()
        if not all(isinstance(cell, str) for cell in cells):  # as JSON and sheets may have them
            continue
        distinct = list(dict.fromkeys(cells))
        numbers = [text for text in distinct if text.strip().lower() not in MISSING_WORDS]
        if not numbers:
            continue
        finite = [text.strip() for text in numbers if not is_infinite(text)]
        if finite and all(map(is_plain_number, finite)):
            columns[name] = _numeric(column, numbers)
            if decimal == "," and any("." in text for text in numbers):
                roles[str(name)] = "number"  # this column has a mark of its own
        elif all(text.strip().lower() in TRUTH for text in distinct):
            truth = column.str.strip().str.lower().map({"true": True, "false": False})
            columns[name] = truth.astype(bool) if column.notna().all() else truth.astype(object)
        elif decimal == "," and decimal_of(numbers, prefer=",") == ",":
            roles[str(name)] = "comma number"
    return pd.DataFrame(columns, index=frame.index), roles


def _numeric(column: pd.Series, numbers: list[str]) -> pd.Series:
    known = column.where(column.isin(numbers), None)
    if known.notna().all() and all(re.fullmatch(r"\s*[+-]?\d+\s*", text) for text in numbers):
        return known.astype("int64")
    return known.astype(object).where(known.notna(), "nan").astype(float)
