"""What a value read from a file must be: a number, an array of numbers, or what it is told."""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import Any

import numpy as np

from pulps.io.model_file import DamagedModelError


def need(condition: Any, what: str) -> None:
    """Raise unless a condition holds.

    Parameters
    ----------
    condition
        What should be.
    what
        What to say otherwise.
    """
    if not condition:
        raise DamagedModelError(what)


def told(value: Any) -> str:
    """Describe what came, in a few words.

    Parameters
    ----------
    value
        Anything.

    Returns
    -------
    str
    """
    if isinstance(value, np.ndarray):
        return f"an array of {value.dtype} with shape {value.shape}"
    if isinstance(value, Real | str):
        return repr(value)[:60]
    return f"a {type(value).__name__}"


def numbers(value: Any, ndim: int, what: str) -> np.ndarray:
    """Raise unless a value is an array of finite floats.

    Parameters
    ----------
    value
        What came.
    ndim
        How many axes it should have.
    what
        What it is called.

    Returns
    -------
    array
        The value.
    """
    need(
        isinstance(value, np.ndarray) and value.ndim == ndim and value.dtype.kind == "f",
        f"{what} should be an array of floats with {ndim} axes, but is {told(value)}",
    )
    need(np.isfinite(value).all(), f"{what} should be finite, but holds NaN or infinity")
    return value


def whole_numbers(value: Any, what: str) -> np.ndarray:
    """Raise unless a value is a list of whole numbers.

    Parameters
    ----------
    value
        What came.
    what
        What it is called.

    Returns
    -------
    array
        The value.
    """
    need(
        isinstance(value, np.ndarray) and value.ndim == 1 and value.dtype.kind == "i",
        f"{what} should be a list of whole numbers, but is {told(value)}",
    )
    return value


def number(value: Any, what: str) -> float:
    """Raise unless a value is a finite number.

    Parameters
    ----------
    value
        What came.
    what
        What it is called.

    Returns
    -------
    float
        The value.
    """
    need(
        isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value),
        f"{what} should be a finite number, but is {told(value)}",
    )
    return float(value)


def count(value: Any, what: str) -> int:
    """Raise unless a value is a whole number, zero or more.

    Parameters
    ----------
    value
        What came.
    what
        What it is called.

    Returns
    -------
    int
        The value.
    """
    need(
        isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= 0,
        f"{what} should be a whole number from 0, but is {told(value)}",
    )
    return int(value)


def real(value: Any, what: str) -> None:
    """Raise unless a value is a number, finite or not.

    Parameters
    ----------
    value
        What came.
    what
        What it is called.
    """
    need(isinstance(value, Real), f"{what} should be a number, but is {told(value)}")
