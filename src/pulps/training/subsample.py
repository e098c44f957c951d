"""Some rows instead of all: labeled ones, and a random draw of the others."""

from __future__ import annotations

import numpy as np
import torch

from pulps.labels import labeled_to_keep


def thin_out(labeled: np.ndarray, most: int, generator: torch.Generator) -> np.ndarray:
    """Choose at most ``most`` rows, in order; all rows if there are no more.

    The labeled rows are among them, or a random draw of them if they would be more than half
    of what is chosen (:func:`pulps.labels.labeled_to_keep`). The others are drawn at random.

    Parameters
    ----------
    labeled
        Boolean, True for a labeled row.
    most
        Largest number of rows.
    generator
        Source of the draws.

    Returns
    -------
    array of int
        Row numbers, increasing.

    Examples
    --------
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
    known = known[: labeled_to_keep(labeled, most)]
    return np.sort(np.concatenate([known, others[: most - len(known)]]))
