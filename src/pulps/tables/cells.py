"""What a cell means, whatever brought it: a data frame, a file, a request.

Every cell has a text: that of the file, or the one its value is written with. 1, 1.0 and "1" are
one cell, and so are True and "true". A column of the fit reads that text, so a cell means the
same in memory, in a CSV, in Parquet and in JSON, whichever rows come with it.

Reading needs NumPy alone, so that a model can score where nothing else is installed. narwhals is
asked about columns of data frames only, which come with a library of their own.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np

from pulps.io.naming import quoted

MISSING_WORDS = frozenset(("na", "n/a", "#n/a", "null", "none", "nan", "<na>", "nat", "-", "?"))
TRUTH = {"true": "True", "false": "False"}
_CURRENCY = re.compile(r"^(EUR|USD|GBP|CHF|JPY|Fr\.|kr)|(EUR|USD|GBP|CHF|JPY|Fr\.|kr)$")
_SYMBOLS = re.compile(r"[\s\u00a0\u202f'’€$£¥₹%]")
_WRITTEN = {
    ".": re.compile(r"[+-]?(?=\.?\d)(\d{1,3}(,\d{3})+|\d*)(\.\d*)?([eE][+-]?\d+)?"),
    ",": re.compile(r"[+-]?(?=,?\d)(\d{1,3}(\.\d{3})+|\d*)(,\d*)?([eE][+-]?\d+)?"),
}
_CODE = re.compile(r"[+-]?0\d+")
_INFINITE = re.compile(r"[+-]?inf(inity)?", re.IGNORECASE)


def is_missing(value: Any) -> bool:
    """Tell whether a cell is empty: None, NaN, NA, NaT, or text without a letter.

    Parameters
    ----------
    value
        The cell.

    Returns
    -------
    bool
    """
    if isinstance(value, str):
        return not value or value.isspace()
    if value is None or type(value).__name__ == "NAType":  # of pandas, which compares to nothing
        return True
    return not hasattr(value, "__len__") and bool(value != value)  # so do NaN and NaT


def written(value: Any) -> str | None:
    """Write a cell as text; what is missing is None.

    Parameters
    ----------
    value
        The cell.

    Returns
    -------
    str or None

    Examples
    --------
    >>> [written(value) for value in (1, 1.0, "1", 0.5, True, "01", " ", None)]
    ['1', '1', '1', '0.5', 'True', '01', None, None]
    """
    if isinstance(value, str):
        return None if not value or value.isspace() else value
    if value is None or is_missing(value):
        return None
    if isinstance(value, bool | np.bool_):
        return str(bool(value))
    if isinstance(value, Integral):
        return str(int(value))
    if isinstance(value, Real | Decimal):
        number = float(value)
        return str(int(number)) if number.is_integer() and abs(number) < 1e16 else repr(number)
    return str(value)


def texts_of(column: Any) -> np.ndarray:
    """Write the cells of a column as text.

    Parameters
    ----------
    column
        From :func:`pulps.tables.reading.read_columns`.

    Returns
    -------
    array of str
        None where missing.
    """
    if isinstance(column, TextColumn):
        column = column.texts
    cells = column.tolist() if isinstance(column, np.ndarray) else column.to_list()
    texts = np.empty(len(cells), dtype=object)
    texts[:] = [written(cell) for cell in cells]
    return texts


def distinct(values: np.ndarray) -> tuple[np.ndarray, list[Any]]:
    """Give distinct cells numbers.

    Parameters
    ----------
    values
        Text, None where missing, or floats, NaN where missing.

    Returns
    -------
    numbers, cells
        For each cell its number, -1 where it is missing; and the distinct cells.

    Examples
    --------
    >>> distinct(np.array(["b", None, "a", "b"], dtype=object))
    (array([ 0, -1,  1,  0]), ['b', 'a'])
    >>> distinct(np.array([2.0, np.nan, 1.0]))
    (array([ 1, -1,  0]), [1.0, 2.0])
    """
    if values.dtype.kind == "f":
        cells, numbers = np.unique(values, return_inverse=True)
        known = cells[~np.isnan(cells)].tolist()
        return np.where(np.isnan(values), -1, numbers), known
    seen: dict[Any, int] = {None: -1}
    found = [seen.setdefault(cell, len(seen) - 1) for cell in values.tolist()]
    return np.array(found, dtype=np.intp), list(seen)[1:]


@dataclass(frozen=True)
class TextColumn:
    """A column of text that no data frame holds, as a file of text is read without one.

    Parameters
    ----------
    texts
        Cells, None where missing.
    """

    texts: np.ndarray

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.texts)

    def __getitem__(self, rows: slice) -> TextColumn:
        """Return some of the rows."""
        return TextColumn(self.texts[rows])


class ReadNumbers(NamedTuple):
    """Numbers that were read from text, NaN where missing, and which texts are no numbers."""

    values: np.ndarray
    unreadable: np.ndarray


def read_numbers(texts: np.ndarray, decimal: str = ".") -> ReadNumbers:
    """Read numbers from text: signs of currencies, spaces and groups of three are understood.

    Parameters
    ----------
    texts
        Cells as text, None where missing.
    decimal
        The decimal mark; the other one may group thousands.

    Returns
    -------
    ReadNumbers

    Examples
    --------
    >>> read_numbers(np.array(["1.234,50 €", "7", "NA", "x"], dtype=object), ",")
    ReadNumbers(values=array([1234.5,    7. ,    nan,    nan]), unreadable=array([False, False, \
False,  True]))
    """
    if decimal == ".":  # text of plain numbers, quickly
        try:
            return ReadNumbers(texts.astype(float), np.zeros(len(texts), dtype=bool))
        except (ValueError, TypeError):
            pass
    codes, keys = distinct(texts)
    found = [number_in(text, decimal) for text in keys]
    values = np.array([np.nan if value is None else value for value in found] + [np.nan])
    unreadable = np.array([value is None for value in found] + [False])
    return ReadNumbers(values[codes], unreadable[codes])


@lru_cache(maxsize=2**16)
def number_in(text: str, decimal: str = ".") -> float | None:
    """Read one number from text.

    Parameters
    ----------
    text
        The text.
    decimal
        The decimal mark.

    Returns
    -------
    float or None
        NaN for a word that means missing; None if the text is no number.

    Examples
    --------
    >>> [number_in(text) for text in ("1,234.5", "$ 3", "true", "1,5", "12%")]
    [1234.5, 3.0, 1.0, None, 12.0]
    """
    text = text.strip()
    low = text.lower()
    if low in MISSING_WORDS:
        return float("nan")
    if low in TRUTH:
        return float(low == "true")
    if decimal == "." or "inf" in low:
        try:
            return float(text)
        except ValueError:
            pass
    bare = _SYMBOLS.sub("", _CURRENCY.sub("", text))
    if not any(map(str.isdecimal, bare)) or not _WRITTEN[decimal].fullmatch(bare):
        return None
    group = "," if decimal == "." else "."
    return float(bare.replace(group, "").replace(decimal, "."))


def is_plain_number(text: str) -> bool:
    """Tell whether text is a number in digits and a decimal point, and no code such as 01000.

    Parameters
    ----------
    text
        The text.

    Returns
    -------
    bool

    Examples
    --------
    >>> [is_plain_number(text) for text in ("1", "-0.5", "1e3", "01", "1,5", "12345678901234567")]
    [True, True, True, False, False, False]
    """
    if _CODE.fullmatch(text) or (text.isdigit() and len(text) > 15):
        return False
    try:
        float(text)
    except ValueError:
        return False
    return "_" not in text and text[-1] in "0123456789."


def is_infinite(text: str) -> bool:
    """Tell whether text is what files hold for a number without bound, such as inf.

    Parameters
    ----------
    text
        The text.

    Returns
    -------
    bool

    Examples
    --------
    >>> [is_infinite(text) for text in ("inf", "-Infinity", "information")]
    [True, True, False]
    """
    return bool(_INFINITE.fullmatch(text.strip()))


def decimal_of(texts: list[str], prefer: str = ".") -> str | None:
    """Find the decimal mark with which all texts are numbers.

    Parameters
    ----------
    texts
        Distinct cells, none missing.
    prefer
        The mark to take where both would do.

    Returns
    -------
    str or None
        None if neither does: these are no numbers, or codes such as 01000.

    Examples
    --------
    >>> decimal_of(["1,5", "2"]), decimal_of(["1.5", "3 €"]), decimal_of(["01", "02"])
    (',', '.', None)
    >>> decimal_of(["0,12345678901234567", "2"]), decimal_of(["4000123412341234"])
    (',', None)
    """
    numbers = [text for text in texts if text.strip().lower() not in MISSING_WORDS]
    if not numbers or all(text.strip().lower() in TRUTH for text in numbers):
        return None
    if any(_is_code(text) for text in numbers):
        return None
    for decimal in (prefer, "," if prefer == "." else "."):
        if all(number_in(text, decimal) is not None for text in numbers):
            return decimal
    return None


def _is_code(text: str) -> bool:
    """Whether digits name something: they begin with 0, or are more than a float can tell."""
    whole = re.split("[.,]", text, maxsplit=1)[0]  # behind the mark, any number of digits is fine
    return bool(_CODE.fullmatch(text.strip())) or len(re.sub(r"\D", "", whole)) > 15


def numbers_of(
    name: Any, column: Any, decimal: str = ".", blanks: tuple[Any, ...] = ()
) -> np.ndarray:
    """Read a column as floats, NaN where missing.

    Parameters
    ----------
    name
        Its name, for the message if it holds something else.
    column
        From :func:`pulps.tables.reading.read_columns`.
    decimal
        The decimal mark of cells that are text.
    blanks
        Words that stood between the numbers of the fit and count as missing.

    Returns
    -------
    array of float
    """
    if isinstance(column, np.ndarray):
        return column.astype(float)
    found = None if isinstance(column, TextColumn) else _typed_numbers(column)
    if found is not None:
        return found
    texts = texts_of(column)
    values, unreadable = read_numbers(texts, decimal)
    wrong = unreadable & ~np.isin(texts, list(blanks))
    if wrong.any():
        kind = "text" if isinstance(column, TextColumn) else column.dtype
        other = "," if decimal == "." else "."
        hint = ""
        if all(number_in(text, other) is not None for text in set(texts[wrong].tolist())):
            hint = f" Their decimal mark seems to be {other!r}: say so (--decimal {other})."
        raise ValueError(
            f"Column {quoted(name)} is of type {kind} and was expected to hold numbers, as at "
            f"fit, but {int(wrong.sum())} cells do not: {told(texts[wrong])}.{hint or ' Convert'}"
            f"{'' if hint else ' or empty them, or give the column the role category.'}"
        )
    return values


def _typed_numbers(column: Any) -> np.ndarray | None:
    """Numbers of a data frame's column whose type says that it holds some; None of any other."""
    import narwhals.stable.v2 as nw

    if column.dtype == nw.Duration:
        lengths = column.to_list()
        return np.array([np.nan if is_missing(one) else one.total_seconds() for one in lengths])
    if column.dtype.is_numeric() or column.dtype in (nw.Boolean, nw.Unknown):
        return np.asarray(column.cast(nw.Float64).to_numpy(), dtype=float)
    return None


def told(texts: Any, most: int = 3) -> str:
    """List the first few distinct texts for a message.

    Parameters
    ----------
    texts
        Cells as text.
    most
        How many to list.

    Returns
    -------
    str

    Examples
    --------
    >>> told(["a", "a", "b", "c", "d"])
    "'a', 'b', 'c', …"
    """
    distinct = list(dict.fromkeys(texts))
    shown = ", ".join(quoted(text) for text in distinct[:most])
    return shown + ", …" * (len(distinct) > most)
