r"""How much each view counts: by how often it ranks held-out labels best.

With honest scores, the chance that a labeled row is scored above an unlabeled one is
:math:`\mathrm{AUC}_{PU} = \pi_U / 2 + (1 - \pi_U) \, \mathrm{AUC}_{PN}`, so it orders views as the
true area under the curve does, without a single negative.
"""

from __future__ import annotations

import numpy as np

N_DRAWS = 200
SHARED = 0.5  # of one further unit of weight, to all views alike


def weigh_views(
    ranks: np.ndarray, weights: np.ndarray, rng: np.random.RandomState
) -> tuple[np.ndarray, np.ndarray]:
    """Weigh views by the share of Bayesian-bootstrap draws in which each of them is best.

    Parameters
    ----------
    ranks
        Share of unlabeled rows below each labeled row, shape (views, labeled rows).
    weights
        Weight of each labeled row.
    rng
        Source of the draws.

    Returns
    -------
    weights, areas
        Shape (views,) each: weights that sum to one, and the area under the curve of labeled
        against unlabeled rows.

    Examples
    --------
    >>> ranks = np.array([[0.9, 0.8, 0.9], [0.5, 0.6, 0.4]])
    >>> weigh_views(ranks, np.ones(3), np.random.RandomState(0))[0].round(2)
    array([0.83, 0.17])
    """
    draws = rng.dirichlet(weights, N_DRAWS)
    best = (draws @ ranks.T).argmax(axis=1)
    share = np.bincount(best, minlength=len(ranks)) / N_DRAWS
    counts = share + SHARED / len(ranks)
    return counts / counts.sum(), ranks @ weights / weights.sum()
