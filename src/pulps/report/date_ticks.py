"""Ticks of what is read off dates: days become years, months or days, weekdays their names."""

from __future__ import annotations

import math

import numpy as np

WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
MONTHS_APART = (1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1200, 6000, 12000)
MOST = 5  # a date takes room


def date_ticks(part: str, low: float, high: float) -> list[tuple[float, str]]:
    """Choose where to write what below an axis of dates.

    Parameters
    ----------
    part
        What the numbers are, one of :data:`pulps.tables.dates.PARTS`.
    low, high
        The ends of the axis.

    Returns
    -------
    list of pairs
        Number and text; none where plain numbers will do.

    Examples
    --------
    >>> date_ticks("days", 16436, 19360)[:2]
    [(16801.0, '2016'), (17532.0, '2018')]
    >>> date_ticks("days", 0, 100), date_ticks("weekday", 4, 6)[0]
    ([(0.0, '1970-01'), (31.0, '1970-02'), (59.0, '1970-03'), (90.0, '1970-04')], (4.0, 'Fri'))
    >>> date_ticks("days", 0.5, 3)
    [(1.0, '1970-01-02'), (2.0, '1970-01-03'), (3.0, '1970-01-04')]
    """
    first, last = math.ceil(low), math.floor(high)
    if part == "weekday":
        return [(float(day), WEEKDAYS[day]) for day in range(max(first, 0), min(last, 6) + 1)]
    if part != "days" or last <= first:
        return []
    for step in MONTHS_APART:
        begin, end = (_month(day) for day in (first - 1, last))  # months that begin between
        months = [month for month in range(begin + 1, end + 1) if month % step == 0]
        if 2 <= len(months) <= MOST:
            return [(_day(month), _written(month, step)) for month in months]
    step = max(1, math.ceil((last - first) / 2))
    return [(float(day), str(np.datetime64(day, "D"))) for day in range(first, last + 1, step)]


def _month(day: int) -> int:
    """Months from 1970 to that of a day."""
    return int(np.datetime64(day, "D").astype("datetime64[M]").astype(int))


def _day(month: int) -> float:
    return float(np.datetime64(month, "M").astype("datetime64[D]").astype(int))


def _written(month: int, step: int) -> str:
    moment = np.datetime64(month, "M")
    return str(moment.astype("datetime64[Y]") if step >= 12 else moment)
