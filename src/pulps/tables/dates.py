"""Dates and times become numbers: year, month, weekday, hour, and days that have passed.

A column of dates may hold values of any library or text. The way its text is written is found at
fit and remembered; text in ISO form is read as well, because that is how dates are written to
files.
"""

from __future__ import annotations

import datetime
import re
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd

from pulps.tables.cells import MISSING_WORDS, texts_of, told

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
_ISO_LIKE = re.compile(r"\d{4}-\d{1,2}-\d{1,2}.*")


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
    if column.dtype == nw.Object:
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
    few, cells = pd.Series(texts[:50], dtype=object), pd.Series(texts, dtype=object)
    for form in FORMATS:
        if _parsed(few, form).notna().all() and _parsed(cells, form).notna().all():
            return form
    return None


def _parsed(texts: pd.Series, form: str) -> pd.Series:
    """Read text of one form as moments without a time zone, NaT where it is of another."""
    if form == ISO:
        texts = texts.where(texts.str.match(_ISO_LIKE), None)
    moments = pd.to_datetime(texts.str.strip(), format=form, errors="coerce", utc=True)
    return moments.dt.tz_localize(None)


def moments_of(name: Any, column: Any, form: str = ISO) -> pd.Series:
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
    pandas.Series
        Of type datetime64, in UTC, NaT where missing.
    """
    if not isinstance(column, np.ndarray) and isinstance(column.dtype, nw.Datetime | nw.Date):
        moments = pd.to_datetime(column.to_pandas(), utc=True).dt.tz_localize(None)
        return moments.reset_index(drop=True)
    texts = pd.Series(texts_of(column), dtype=object)
    texts = texts.where(~texts.str.strip().str.lower().isin(MISSING_WORDS), None)
    found = _parsed(texts, form)
    for other in (ISO, "%H:%M:%S"):
        late = found.isna() & texts.notna()
        if late.any() and other != form:
            found = found.where(~late, _parsed(texts.where(late, None), other))
    wrong = (found.isna() & texts.notna()).to_numpy()
    if wrong.any():
        raise ValueError(
            f"Column {name!r} was expected to hold dates, as at fit, but {int(wrong.sum())} cells "
            f"do not: {told(texts[wrong])}. Write them as at fit, or as 2024-12-31."
        )
    return found


def part_of(moments: pd.Series, part: str) -> np.ndarray:
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
    >>> moments = pd.Series(pd.to_datetime(["2024-02-03 06:30"]))
    >>> [part_of(moments, part).item() for part in PARTS[1:]]
    [2024.0, 2.0, 5.0, 6.5]
    """
    if part == "days":
        return ((moments - pd.Timestamp(0)) / pd.Timedelta(days=1)).to_numpy(float)
    if part == "hour":
        return ((moments - moments.dt.normalize()) / pd.Timedelta(hours=1)).to_numpy(float)
    if part == "weekday":  # 1970 began on a Thursday
        return (np.floor(part_of(moments, "days")) + 3) % 7
    return getattr(moments.dt, part).to_numpy(float)


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
    moment = pd.Timestamp(0) + pd.Timedelta(days=days).round("s")
    if form == ISO:
        whole = moment == moment.normalize()
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
    return (pd.Timestamp(0) + pd.Timedelta(days=days).round("s")).to_pydatetime()
