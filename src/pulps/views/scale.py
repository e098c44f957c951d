"""One scale for all views: the normal score of a row's rank among the unlabeled rows."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

MOST_KNOTS = 2048
NORMAL = NormalDist()


@dataclass(frozen=True)
class NormalScale:
    """From scores to normal scores, by the ranks of the unlabeled rows.

    Parameters
    ----------
    knots
        Increasing scores.
    ranks
        Share of the unlabeled rows below each of them, half of those that equal it counted.
    edge
        Ranks closer to 0 or 1 than this are not told apart.
    """

    knots: np.ndarray
    ranks: np.ndarray
    edge: float

    @classmethod
    def of(cls, scores: np.ndarray, weights: np.ndarray) -> NormalScale:
        """Learn the scale.

        Parameters
        ----------
        scores
            Scores of the unlabeled rows.
        weights
            Their weights.

        Returns
        -------
        NormalScale

        Examples
        --------
        >>> NormalScale.of(np.array([3.0, 1.0, 2.0]), np.ones(3)).ranks.round(3)
        array([0.167, 0.5  , 0.833])
        """
        knots, group = np.unique(scores, return_inverse=True)
        mass = np.bincount(group, weights=weights)
        ranks = (np.cumsum(mass) - mass / 2) / mass.sum()
        edge = float(min(0.5 / mass.sum(), 0.25))
        if len(knots) > MOST_KNOTS:
            some = np.linspace(0, len(knots) - 1, MOST_KNOTS).round().astype(int)
            knots, ranks = knots[some], ranks[some]
        return cls(knots, ranks, edge)

    def rank(self, scores: np.ndarray) -> np.ndarray:
        """Share of the unlabeled rows below a score.

        Parameters
        ----------
        scores
            Scores of any rows.

        Returns
        -------
        array of the same shape
        """
        return np.interp(scores, self.knots, self.ranks, left=0.0, right=1.0)

    def __call__(self, scores: np.ndarray) -> np.ndarray:
        """Return normal scores.

        Parameters
        ----------
        scores
            Scores of any rows.

        Returns
        -------
        array of the same shape
        """
        ranks = np.clip(self.rank(scores), self.edge, 1 - self.edge)
        normal = np.fromiter(map(NORMAL.inv_cdf, ranks.ravel().tolist()), float, ranks.size)
        return normal.reshape(ranks.shape)
