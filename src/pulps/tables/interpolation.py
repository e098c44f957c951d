"""Piecewise linear maps of many numbers at once.

``numpy.interp`` searches for one number after the other, and each step of a search is a branch
that the processor cannot foresee. Here all numbers take the same step together, which for a
thousand knots takes half the time. The results are the same to the bit.
"""

from __future__ import annotations

import numpy as np

MANY = 1024  # numbers for which it pays


def interpolate(values: np.ndarray, knots: np.ndarray, positions: np.ndarray) -> np.ndarray:
    """Map numbers piecewise linearly, as ``numpy.interp`` does.

    Parameters
    ----------
    values
        Numbers; beyond the knots they count as the nearest one, and NaN stays NaN.
    knots
        Two or more numbers, increasing.
    positions
        Where the knots go.

    Returns
    -------
    array of the shape of values

    Examples
    --------
    >>> interpolate(np.array([0.0, 1.5, 9.0, np.nan]), np.array([1.0, 2.0]), np.array([0.0, 1.0]))
    array([0. , 0.5, 1. , nan])
    """
    if not np.isfinite(_difference(knots[-1], knots[0])):
        values, knots = values / 2, knots / 2
    with np.errstate(over="ignore"):
        slopes = np.append(np.diff(positions) / np.diff(knots), 0.0)
    if not np.isfinite(slopes).all():
        return _by_fractions(values, knots, positions)
    if len(values) < MANY:
        found = np.interp(values, knots, positions)
        return np.where(np.isnan(values), np.nan, found)
    step = 1 << ((len(knots) - 1).bit_length() - 1)
    padded = np.full(2 * step, np.inf)
    padded[: len(knots)] = knots
    values = np.clip(values, knots[0], knots[-1])
    below = np.zeros(len(values), dtype=np.intp)  # the last knot that is not above
    while step:
        below += step * (padded.take(below + step) <= values)
        step >>= 1
    return slopes.take(below) * (values - knots.take(below)) + positions.take(below)


def _by_fractions(values: np.ndarray, knots: np.ndarray, positions: np.ndarray) -> np.ndarray:
    """Map numbers between knots so near to each other that the slope there is no number."""
    missing = np.isnan(values)
    values = np.where(missing, knots[0], values).clip(knots[0], knots[-1])
    below = np.searchsorted(knots, values, side="right").clip(1, len(knots) - 1) - 1
    fractions = (values - knots[below]) / np.diff(knots)[below]
    found = positions[below] + fractions * np.diff(positions)[below]
    return np.where(missing, np.nan, found)


def interpolate_back(places: np.ndarray, positions: np.ndarray, knots: np.ndarray) -> np.ndarray:
    """Map places back to numbers.

    Parameters
    ----------
    places
        Numbers between the first and the last position.
    positions
        Where the knots went, not decreasing.
    knots
        Numbers, increasing.

    Returns
    -------
    array of the shape of places

    Examples
    --------
    >>> interpolate_back(np.array([0.25]), np.array([0.0, 1.0]), np.array([-1e308, 1e308]))
    array([-5.e+307])
    """
    if len(knots) and not np.isfinite(_difference(knots[-1], knots[0])):
        return 2 * np.interp(places, positions, knots / 2)
    return np.interp(places, positions, knots)


def evenly(knots: np.ndarray) -> np.ndarray:
    """Place numbers between 0 and 1 as they lie.

    Parameters
    ----------
    knots
        Two or more numbers, increasing.

    Returns
    -------
    array

    Examples
    --------
    >>> evenly(np.array([-1e308, 0.0, 1e308]))
    array([0. , 0.5, 1. ])
    """
    if not np.isfinite(_difference(knots[-1], knots[0])):
        knots = knots / 2
    return (knots - knots[0]) / (knots[-1] - knots[0])


def breaks_between(low: float, high: float, n_cells: int) -> np.ndarray:
    """Cut a range into cells of one width.

    Parameters
    ----------
    low, high
        The ends of the range.
    n_cells
        How many cells.

    Returns
    -------
    array of n_cells + 1 numbers

    Examples
    --------
    >>> breaks_between(-1.5e308, 1.5e308, 2)
    array([-1.5e+308,  0.0e+000,  1.5e+308])
    """
    if np.isfinite(_difference(high, low)):
        return np.linspace(low, high, n_cells + 1)
    return 2 * np.linspace(low / 2, high / 2, n_cells + 1)


def _difference(high: float, low: float) -> float:
    with np.errstate(over="ignore"):
        return high - low
