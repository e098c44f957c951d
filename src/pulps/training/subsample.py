"""Some rows instead of all: labeled ones, and a random draw of the others."""

from __future__ import annotations

import numpy as np
import torch


def thin_out(labeled: np.ndarray, most: int, generator: torch.Generator) -> np.ndarray:
    """Choose rows, at most so many; all if they are not more.

    All labeled rows are among them, or a random draw of these if they would be more than half
    of what is chosen.

    >>> labeled = np.arange(1000) == 500
    >>> rows = thin_out(labeled, 10, torch.Generator().manual_seed(0))
    >>> len(rows), 500 in rows, bool((np.diff(rows) > 0).all())
    (10, True, True)
    """
    if len(labeled) <= most:
        return np.arange(len(labeled))
    known, others = (
        group[torch.randperm(len(group), generator=generator).numpy()]
        for group in (np.flatnonzero(labeled), np.flatnonzero(~labeled))
    )
    known = known[: most // 2]
    return np.sort(np.concatenate([known, others[: most - len(known)]]))
