"""Values that JSON knows, and cells that people can read."""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import Any

import numpy as np
import pandas as pd

LONGEST_TEXT = 200


def plain(value: Any) -> Any:
    """Turn arrays, NumPy numbers and NaN into lists, numbers and None, all the way down.

    Parameters
    ----------
    value
        Anything; what is unknown becomes text.

    Returns
    -------
    object
        What JSON knows.

    Examples
    --------
    >>> plain({"a": np.array([1.5, np.nan]), "b": (np.int64(2), True, "x")})
    {'a': [1.5, None], 'b': [2, True, 'x']}
    """
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if value is None or isinstance(value, str | bool):
        return value
    if isinstance(value, np.bool_):
        return bool(value)
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        return float(value) if math.isfinite(value) else None
    return str(value)


def cell(value: Any) -> str:
    """Write a cell: short numbers, long text cut, nothing for what is missing.

    Parameters
    ----------
    value
        The cell.

    Returns
    -------
    str
        For people.

    Examples
    --------
    >>> [cell(value) for value in (1 / 3, 4.0, 1234567.8, None, float("nan"), "x" * 300)][:5]
    ['0.333333', '4', '1234568', '', '']
    """
    if pd.api.types.is_scalar(value) and pd.isna(value):
        return ""
    if isinstance(value, bool | np.bool_ | Integral):
        return str(value)
    if isinstance(value, Real):
        return plain_number(float(value))
    text = str(value)
    return text if len(text) <= LONGEST_TEXT else text[: LONGEST_TEXT - 1] + "…"


def plain_number(value: float, digits: int = 6) -> str:
    """Write a number without an exponent, unless nobody could read it.

    Parameters
    ----------
    value
        The number.
    digits
        How many count; those before the point are all there.

    Returns
    -------
    str

    Examples
    --------
    >>> plain_number(0.00012), plain_number(1234567.8), plain_number(1e30), plain_number(-0.0)
    ('0.00012', '1234568', '1e+30', '0')
    """
    if not math.isfinite(value) or not (value == 0 or 1e-7 <= abs(value) < 1e15):
        return f"{value:.{digits}g}"
    before = math.floor(math.log10(abs(value))) + 1 if value else 1
    text = f"{value:.{max(0, digits - before)}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text == "-0" else text
