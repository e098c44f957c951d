"""In which order a chain visits the cells of a grid.

What two cells know of each other must pass through every bond between them, so cells that
are near in the image should be near along the chain.

===========  ====================================================================
``raster``   line after line, each from the left: a jump at the end of every line
``snake``    line after line, to and fro: no jumps, but neighbors in a column are far
``hilbert``  quarter after quarter, at every scale: neighbors are near more often
===========  ====================================================================
"""

from __future__ import annotations

import numpy as np


def path(name: str, rows: int, columns: int) -> np.ndarray:
    """Cells of a grid in the order of a path.

    Parameters
    ----------
    name
        ``"raster"``, ``"snake"`` or ``"hilbert"``.
    rows, columns
        Size of the grid.

    Returns
    -------
    order
        A permutation of the cells, numbered line by line: ``order[i]`` is visited as the
        i-th.

    Examples
    --------
    >>> path("snake", 2, 3)
    array([0, 1, 2, 5, 4, 3])
    >>> path("hilbert", 4, 4)
    array([ 0,  1,  5,  4,  8, 12, 13,  9, 10, 14, 15, 11,  7,  6,  2,  3])
    """
    if name not in PATHS:
        raise ValueError(f"There is no path {name!r}; choose one of {', '.join(PATHS)}.")
    if rows < 1 or columns < 1:
        raise ValueError(f"A grid has rows and columns, but {rows} x {columns} were asked for.")
    return PATHS[name](rows, columns)


def raster(rows: int, columns: int) -> np.ndarray:
    """Line after line, each from left to right.

    Parameters
    ----------
    rows, columns
        Size of the grid.

    Returns
    -------
    array of int
        Cells in the order of the visit.

    Examples
    --------
    >>> raster(2, 3)
    array([0, 1, 2, 3, 4, 5])
    """
    return np.arange(rows * columns)


def snake(rows: int, columns: int) -> np.ndarray:
    """Line after line, every second one from right to left.

    Parameters
    ----------
    rows, columns
        Size of the grid.

    Returns
    -------
    array of int
        Cells in the order of the visit.

    Examples
    --------
    >>> snake(3, 2)
    array([0, 1, 3, 2, 4, 5])
    """
    cells = np.arange(rows * columns).reshape(rows, columns)
    cells[1::2] = cells[1::2, ::-1]
    return cells.ravel()


def hilbert(rows: int, columns: int) -> np.ndarray:
    """Hilbert's curve, stretched to any rectangle.

    On squares whose side is a power of two this is Hilbert's curve itself. Other rectangles
    are cut in the same way, into parts whose sides are even as far as possible, for a part
    with even sides can be left next to where the following one begins. Where odd lengths leave
    no such way, one step goes along a diagonal.

    Parameters
    ----------
    rows, columns
        Size of the grid.

    Returns
    -------
    array of int
        Cells in the order of the visit.

    Examples
    --------
    >>> hilbert(2, 4)
    array([0, 4, 5, 1, 2, 6, 7, 3])
    """
    right, down = 1, 1j  # a cell is a complex number: column + row * i
    if columns >= rows:
        cells = _fold(0, right, columns, down, rows)
    else:
        cells = _fold(0, down, rows, right, columns)
    visited = np.array(cells)
    return (visited.imag * columns + visited.real).astype(int)


def _fold(
    corner: complex, along: complex, length: int, across: complex, width: int
) -> list[complex]:
    """Visit a rectangle from its corner to the corner at the other end of ``along``."""
    if width == 1:
        return [corner + step * along for step in range(length)]
    if length == 1:
        return [corner + step * across for step in range(width)]
    if 2 * length > 3 * width:
        near = _even_half(length)
        beyond = corner + near * along
        return [
            *_fold(corner, along, near, across, width),
            *_fold(beyond, along, length - near, across, width),
        ]
    height, left = _even_half(width), length // 2
    last = corner + (length - 1) * along + (height - 1) * across
    return [
        *_fold(corner, across, height, along, left),
        *_fold(corner + height * across, along, length, across, width - height),
        *_fold(last, -across, height, -along, length - left),
    ]


def _even_half(length: int) -> int:
    """Half of a length, one more where that makes it even."""
    half = length // 2
    return half + (half % 2 and length > 2)


PATHS = {"raster": raster, "snake": snake, "hilbert": hilbert}
