"""Dates and times become numbers: year, month, weekday, hour, and days that have passed.

A column of dates may hold values of any library or text. The way its text is written is found at
fit and remembered; text in ISO form is read as well, because that is how dates are written to
files.
"""

from __future__ import annotations

import datetime
import re
from functools import lru_cache
from typing import Any

import numpy as np

from pulps.io.naming import quoted
from pulps.tables.cells import MISSING_WORDS, TextColumn, texts_of, told

ISO = "ISO8601"
PARTS = ("days", "year", "month", "weekday", "hour")
_TIMES = ("", " %H:%M", " %H:%M:%S")
_DAYS = (
    ("%d.%m.%Y", "%d.%m.%y"),
    ("%m/%d/%Y", "%d/%m/%Y", "%m/%d/%y", "%d/%m/%y", "%Y/%m/%d"),
    ("%d-%m-%Y", "%m-%d-%Y", "%d-%b-%Y", "%d %b %Y", "%b %d, %Y", "%d %B %Y"),
)
FORMATS = (
    ISO,
    "%H:%M",
    "%H:%M:%S",
    *(day + time for days in _DAYS for day in days for time in _TIMES),
)
_LIKELY = re.compile(r"\d{1,4}[-./: ].*\d|[A-Z][a-z]{2,8} \d{1,2}, \d{4}")
_ISO_LIKE = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})(?:[T ]\s*(\S.*))?")
EPOCH, DAY, HOUR = np.datetime64(0, "us"), np.timedelta64(1, "D"), np.timedelta64(1, "h")


def is_date_type(column: Any) -> bool:
    """Tell whether a column's type says it holds dates or times.

    Parameters
    ----------
    column
        From :func:`pulps.tables.reading.read_columns`.

    Returns
    -------
    bool
    """
    if isinstance(column, np.ndarray):
        return False
    import narwhals.stable.v2 as nw

    if column.dtype == nw.Object:
        import pandas as pd

        kind = pd.api.types.infer_dtype(column.to_numpy(), skipna=True)
        return kind in ("datetime", "datetime64", "date", "time")
    return isinstance(column.dtype, nw.Datetime | nw.Date | nw.Time)


def format_of(texts: list[str]) -> str | None:
    """Find how dates are written, if these are dates.

    Parameters
    ----------
    texts
        Distinct cells, none missing.

    Returns
    -------
    str or None
        One of ``FORMATS``; None if the texts are no dates.

    Examples
    --------
    >>> format_of(["31.01.2024", "1.2.2024"]), format_of(["2024-01-31 10:00"]), format_of(["x"])
    ('%d.%m.%Y', 'ISO8601', None)
    """
    texts = [text for text in texts if text.strip().lower() not in MISSING_WORDS]
    if not texts or not all(_LIKELY.match(text.strip()) for text in texts):
        return None
    for form in FORMATS:
        if all(_moment(text, form) is not None for text in texts):
            return form
    return None


def _parsed(texts: np.ndarray, form: str) -> np.ndarray:
    """Read text of one form as moments, NaT where it is of another."""
    moments = [None if text is None else _moment(text, form) for text in texts]
    return np.array(moments, dtype="datetime64[us]")


@lru_cache(maxsize=2**16)
def _moment(text: str, form: str) -> datetime.datetime | None:
    """Read one text as a moment in UTC, without a time zone; None if it is of another form."""
    try:
        moment = _iso(text.strip()) if form == ISO else _strptime(text.strip(), form)
        if moment is None or moment.tzinfo is None:
            return moment
        return moment.astimezone(datetime.UTC).replace(tzinfo=None)
    except (ValueError, OverflowError):
        return None


def _strptime(text: str, form: str) -> datetime.datetime:
    return datetime.datetime.strptime(text, form)


def _iso(text: str) -> datetime.datetime | None:
    found = _ISO_LIKE.fullmatch(text)
    if found is None:
        return None
    year, month, day, time = found.groups()
    date = f"{year}-{int(month):02}-{int(day):02}"
    return datetime.datetime.fromisoformat(f"{date}T{time.replace(' ', '')}" if time else date)


def moments_of(name: Any, column: Any, form: str = ISO) -> np.ndarray:
    """Read a column as moments.

    Parameters
    ----------
    name
        Its name, for the message if it holds something else.
    column
        From :func:`pulps.tables.reading.read_columns`.
    form
        How dates are written where they are text.

    Returns
    -------
    array of datetime64
        In UTC, NaT where missing.
    """
    typed = None if isinstance(column, np.ndarray | TextColumn) else _typed_moments(column)
    if typed is not None:
        return typed
    texts = texts_of(column)
    known = [text is not None and text.strip().lower() not in MISSING_WORDS for text in texts]
    texts[~np.array(known, dtype=bool)] = None
    found = _parsed(texts, form)
    for other in (ISO, "%H:%M:%S"):
        late = np.isnat(found) & known
        if late.any() and other != form:
            found[late] = _parsed(texts[late], other)
    wrong = np.isnat(found) & known
    if wrong.any():
        raise ValueError(
            f"Column {quoted(name)} was expected to hold dates, as at fit, but "
            f"{int(wrong.sum())} cells "
            f"do not: {told(texts[wrong])}. Write them as at fit, or as 2024-12-31."
        )
    return found


def _typed_moments(column: Any) -> np.ndarray | None:
    """Moments of a data frame's column whose type says that it holds some; None of any other."""
    import narwhals.stable.v2 as nw

    if not isinstance(column.dtype, nw.Datetime | nw.Date):
        return None
    if isinstance(column.dtype, nw.Datetime) and column.dtype.time_zone is not None:
        column = column.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
    return np.asarray(column.cast(nw.Datetime("us")).to_numpy(), dtype="datetime64[us]")


def part_of(moments: np.ndarray, part: str) -> np.ndarray:
    """Read one number off each moment.

    Parameters
    ----------
    moments
        From :func:`moments_of`.
    part
        One of ``PARTS``: days since 1970, the year, the month, the day of the week from Monday,
        which is 0, or the hour of the day with its fraction.

    Returns
    -------
    array of float
        NaN where missing.

    Examples
    --------
    >>> moments = np.array(["2024-02-03T06:30"], dtype="datetime64[us]")
    >>> [part_of(moments, part).item() for part in PARTS[1:]]
    [2024.0, 2.0, 5.0, 6.5]
    """
    if part == "days":
        return (moments - EPOCH) / DAY
    if part == "hour":
        return (moments - moments.astype("datetime64[D]")) / HOUR
    if part == "weekday":  # 1970 began on a Thursday
        return (np.floor(part_of(moments, "days")) + 3) % 7
    months = moments.astype("datetime64[M]").astype(np.int64)  # since January 1970
    number = months // 12 + 1970 if part == "year" else months % 12 + 1
    return np.where(np.isnat(moments), np.nan, number)


def date_at(days: float, form: str) -> str:
    """Write a date as text.

    Parameters
    ----------
    days
        Days since 1970.
    form
        How dates are written.

    Returns
    -------
    str

    Examples
    --------
    >>> date_at(19723.5, "%d.%m.%Y"), date_at(19723.5, ISO)
    ('01.01.2024', '2024-01-01 12:00:00')
    """
    moment = moment_at(days)
    if form == ISO:
        whole = moment.time() == datetime.time(0)
        return str(moment.date()) if whole else str(moment)
    return moment.strftime(form)


def moment_at(days: float) -> datetime.datetime:
    """Return the moment as Python writes it.

    Parameters
    ----------
    days
        Days since 1970.

    Returns
    -------
    datetime.datetime
    """
    return datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=round(86400 * days))
