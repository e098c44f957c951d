r"""How much each view counts: by how well it ranks held-out labels, as far as that is sure.

With honest scores, the chance that a labeled row is scored above an unlabeled one is
:math:`\mathrm{AUC}_{PU} = \pi_U / 2 + (1 - \pi_U) \, \mathrm{AUC}_{PN}`, so it orders views as the
true area under the curve does, without a single negative. A view that is behind the best one by
*t* standard errors of their difference on the labeled rows counts :math:`e^{-t}` as much: few
labels leave the views alike, many give all weight to the best. A view that learns unlike the
others may have several voices, so that the many alike do not outvote it.
"""

from __future__ import annotations

import numpy as np


def weigh_views(
    ranks: np.ndarray, weights: np.ndarray, voices: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Weigh views.

    Parameters
    ----------
    ranks
        Share of unlabeled rows below each labeled row, shape (views, labeled rows).
    weights
        Weight of each labeled row.
    voices
        As how many views each counts where labels do not tell, shape (views,).

    Returns
    -------
    weights, areas
        Shape (views,) each: weights that sum to one, and the area under the curve of labeled
        against unlabeled rows.

    Examples
    --------
    >>> ranks = np.array([[0.9, 0.8, 0.9], [0.5, 0.8, 0.7]])
    >>> weigh_views(ranks, np.ones(3), np.ones(2))[0].round(2)
    array([0.89, 0.11])
    """
    total = weights.sum()
    areas = ranks @ weights / total
    behind = ranks[areas.argmax()] - ranks
    mean = behind @ weights / total
    spread = np.sqrt((behind - mean[:, None]) ** 2 @ weights / total)
    errors = spread / np.sqrt(total)
    surely = np.where(mean > 0, np.inf, 0.0)
    counts = voices * np.exp(-np.divide(mean, errors, out=surely, where=errors > 0))
    return counts / counts.sum(), areas
