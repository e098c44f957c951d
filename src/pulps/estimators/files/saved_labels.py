"""Values of a table that a file cannot hold as they are, and what stands for them in it.

A model remembers the user's own words for categories and the names of columns, to write rows as
the user's table has them. These may be intervals, dates, periods and the like. In a file they are
a kind and plain values; paths are text.
"""

from __future__ import annotations

import copy
import datetime
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import PurePath
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator

from pulps.io.naming import quoted
from pulps.tables.decoding import ColumnForm, TableForm

PLAIN = (bool, int, float, str, bytes, type(None), np.generic)


@dataclass(frozen=True)
class SavedLabel:
    """What stands for a value.

    Parameters
    ----------
    kind
        What it is.
    parts
        Plain values it is made of.
    """

    kind: str
    parts: list[Any]


def portable(model: Any) -> Any:
    """Return a model that a file can hold: the same one, or a copy with labels and paths told.

    Parameters
    ----------
    model
        A fitted model.

    Returns
    -------
    the model
    """
    return _changed(model, to_label)


def restore(model: Any) -> None:
    """Give a model that was read from a file its own labels again.

    Parameters
    ----------
    model
        It is changed.
    """
    for one in (model, *(vars(model).get(name) for name in ("network_", "network"))):
        own: Any = getattr(one, "__dict__", {})
        if isinstance(own.get("form_"), TableForm):
            own["form_"] = _form(own["form_"], from_label)


def _changed(model: Any, change: Callable[[Any], Any]) -> Any:
    new: dict[str, Any] = {}
    for name, value in vars(model).items():
        if isinstance(value, PurePath):
            new[name] = str(value)
        elif name == "features" and callable(value):
            new[name] = None  # only a fit asks for it
        elif isinstance(value, TableForm):
            new[name] = _form(value, change)
        elif isinstance(value, BaseEstimator) and type(value).__module__.startswith("pulps."):
            new[name] = _changed(value, change)
    if all(value is getattr(model, name) for name, value in new.items()):
        return model
    twin = copy.copy(model)
    vars(twin).update(new)
    return twin


def _form(form: TableForm, change: Callable[[Any], Any]) -> TableForm:
    if not isinstance(form.columns, list):
        return form
    return replace(form, columns=[_column(column, change) for column in form.columns])


def _column(column: Any, change: Callable[[Any], Any]) -> Any:
    if not isinstance(column, ColumnForm):
        return column
    lists = {
        name: [change(value) for value in values]
        for name in ("labels", "levels")
        if isinstance(values := getattr(column, name), list)
    }
    changes: dict[str, Any] = {"name": change(column.name), **lists}
    return replace(column, **changes)


def to_label(value: Any) -> Any:
    """Return what stands for a value in a file.

    Parameters
    ----------
    value
        A category or the name of a column.

    Returns
    -------
    plain value or SavedLabel

    Examples
    --------
    >>> to_label(datetime.date(2026, 1, 2))
    SavedLabel(kind='date', parts=['2026-01-02'])
    """
    if value is pd.NaT or value is pd.NA:
        return None
    if isinstance(value, PLAIN) and not isinstance(value, np.datetime64 | np.timedelta64):
        return value
    if isinstance(value, tuple):
        return tuple(to_label(part) for part in value)
    for kind, (of, tell, _) in KINDS.items():
        if isinstance(value, of):
            return SavedLabel(kind, tell(value))
    warnings.warn(
        f"A file keeps values of type {type(value).__name__}, such as {quoted(str(value))}, as "
        "text. The model that is read from it will write them as text.",
        stacklevel=2,
    )
    return str(value)


def from_label(label: Any) -> Any:
    """Return the value that a label stands for.

    Parameters
    ----------
    label
        From :func:`to_label`.

    Returns
    -------
    object

    Examples
    --------
    >>> from_label(to_label(pd.Interval(0.0, 1.5)))
    Interval(0.0, 1.5, closed='right')
    """
    if isinstance(label, tuple):
        return tuple(from_label(part) for part in label)
    if not isinstance(label, SavedLabel):
        return label
    if label.kind not in KINDS:
        raise ValueError(f"a label is of kind {label.kind!r}, which is not known here")
    return KINDS[label.kind][2](*label.parts)


def _tell_timestamp(value: Any) -> list[Any]:
    value = pd.Timestamp(value)
    zone = None if value.tz is None else str(value.tz)
    return [int(value.to_numpy().view("int64")), value.unit, zone]


def _timestamp(count: int, unit: Any, zone: str | None) -> pd.Timestamp:
    value = pd.Timestamp(np.datetime64(count, unit))
    return value if zone is None else value.tz_localize("UTC").tz_convert(zone)


def _tell_timedelta(value: Any) -> list[Any]:
    value = pd.Timedelta(value)
    return [int(value.to_numpy().view("int64")), value.unit]


def _interval(left: Any, right: Any, closed: Any) -> pd.Interval:
    return pd.Interval(from_label(left), from_label(right), closed)


# Type of the value, what tells of it, what makes it again; the first that fits is taken.
KINDS: dict[str, tuple[Any, Callable[[Any], list[Any]], Callable[..., Any]]] = {
    "timestamp": ((pd.Timestamp, np.datetime64), _tell_timestamp, _timestamp),
    "timedelta": (
        (pd.Timedelta, np.timedelta64),
        _tell_timedelta,
        lambda count, unit: pd.Timedelta(np.timedelta64(count, unit)),
    ),
    "period": (
        pd.Period,
        lambda value: [value.ordinal, value.freqstr],
        lambda ordinal, freq: pd.Period(ordinal=ordinal, freq=freq),
    ),
    "interval": (
        pd.Interval,
        lambda value: [to_label(value.left), to_label(value.right), value.closed],
        _interval,
    ),
    "datetime": (
        datetime.datetime,
        _tell_timestamp,
        lambda *parts: _timestamp(*parts).to_pydatetime(),
    ),
    "date": (datetime.date, lambda value: [value.isoformat()], datetime.date.fromisoformat),
    "time": (datetime.time, lambda value: [value.isoformat()], datetime.time.fromisoformat),
    "duration": (
        datetime.timedelta,
        lambda value: [value.days, value.seconds, value.microseconds],
        datetime.timedelta,
    ),
    "decimal": (Decimal, lambda value: [str(value)], Decimal),
}
