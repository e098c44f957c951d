"""Threads only where they pay: on small work they wait for each other and block other programs."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Literal

from threadpoolctl import threadpool_limits

SMALL = {"views": 2**17, "network": 2**13}  # cells that one thread has done before two have met


def threads_for(
    work: Literal["views", "network"], n_cells: int, *, shared: bool = True
) -> AbstractContextManager[object]:
    """Keep libraries that share out loops and matrix products to one thread, on small tables.

    Parameters
    ----------
    work
        What is fitted.
    n_cells
        Number of cells it learns from.
    shared
        Whether to limit what all threads of this process share, too.

    Returns
    -------
    context
        The limit holds inside of it.
    """
    if n_cells > SMALL[work]:
        return nullcontext()
    return threadpool_limits(1, user_api=None if shared else "openmp")
