"""Shapes of chains: what the kernel takes for granted about cores, and what a sweep costs."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import lru_cache

from pulps.kernel.library import MOST_NUMBERS


def check_shapes(shapes: Sequence[Sequence[int]]) -> None:
    """Refuse cores that are no chains.

    Parameters
    ----------
    shapes
        Shape (chains, feature, left, output, right) of the core of each site.
    """
    for site, shape in enumerate(shapes):
        if len(shape) != 5 or min(shape) < 1:
            raise ValueError(
                f"The core of site {site} has shape {tuple(shape)}; it must be (chains, feature, "
                "left, output, right), each at least one."
            )
        _, feature, left, output, right = shape
        if feature * output * max(left, right) ** 2 > MOST_NUMBERS:
            raise ValueError(
                f"The core of site {site} has shape {tuple(shape)}: features and bonds are more "
                f"than the kernel counts ({MOST_NUMBERS}). Make the bonds smaller."
            )
    n_chains = {shape[0] for shape in shapes}
    if len(n_chains) > 1:
        raise ValueError(
            f"The cores have {', '.join(map(str, sorted(n_chains)))} chains; every core must have "
            "as many."
        )
    rights = [1, *(shape[4] for shape in shapes)]
    lefts = [*(shape[2] for shape in shapes), 1]
    for site, (right, left) in enumerate(zip(rights, lefts, strict=True)):
        if right != left:
            raise ValueError(
                f"Before site {site} a bond of {right} meets one of {left}; bonds must be equal, "
                "and one at both ends."
            )


@lru_cache(maxsize=64)
def describe(shapes: tuple[tuple[int, ...], ...]) -> tuple[ctypes.Array[ctypes.c_int32], int]:
    """Dimensions of the sites as a C array, and the multiplications a row takes.

    Parameters
    ----------
    shapes
        Shape (chains, feature, left, output, right) of the core of each site.

    Returns
    -------
    dims, work
    """
    check_shapes(shapes)
    dims = [n for shape in shapes for n in shape[1:]]
    work = sum(g * f * a * k * b * b for g, f, a, k, b in shapes)
    return (ctypes.c_int32 * len(dims))(*dims), work
