"""How much memory this machine has."""

from __future__ import annotations

import os

WHERE_UNKNOWN = 2**40  # bytes; more than almost any machine has


def machine_memory() -> int:
    """Count the bytes of this machine's memory.

    Returns
    -------
    int
        A terabyte where the system does not tell.
    """
    try:
        pages, size = os.sysconf("SC_PHYS_PAGES"), os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return WHERE_UNKNOWN
    return pages * size if min(pages, size) > 0 else WHERE_UNKNOWN
