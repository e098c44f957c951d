"""Shares of labeled and of other rows above every score: what each curve is made of.

A resample of the rows changes how often each counts, not their order, so scores are sorted once
and resamples are sums.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from pulps.metrics.rows import Scenario, labeled_rows, population, scores_of, weights_of


@dataclass(frozen=True)
class Counts:
    """How often each row counts: all once, or as in a resample.

    Parameters
    ----------
    recall
        Share of the labeled rows above each cut.
    unlabeled
        Share of the unlabeled rows above each cut.
    rate
        Share of the population above each cut.
    """

    recall: np.ndarray
    unlabeled: np.ndarray
    rate: np.ndarray

    @property
    def area(self) -> float:
        """Area of labeled against unlabeled rows; a tie counts one half."""
        return float(np.trapezoid(self.recall, self.unlabeled))


class CumulativeRows:
    """Rows in the order of their scores, the largest first.

    Parameters
    ----------
    y
        PU labels.
    y_score
        Scores of the same rows; larger means more positive.
    scenario
        How the rows were drawn.
    sample_weight
        How many rows each row stands for; None counts each once. Rows of weight zero make no cut.

    Attributes
    ----------
    cuts : array
        Decreasing; the first is infinite, and rows at or above a cut are counted.
    """

    def __init__(
        self,
        y: ArrayLike,
        y_score: ArrayLike,
        scenario: Scenario = "single-training-set",
        sample_weight: ArrayLike | None = None,
    ):
        labeled = labeled_rows(y)
        weights = weights_of(labeled, sample_weight)
        counts = weights > 0
        scores = scores_of(labeled, y_score)[counts]
        self.labeled, self._weights = labeled[counts], weights[counts]
        self.population = population(self.labeled, scenario)
        distinct, place = np.unique(-scores, return_inverse=True)
        self.cuts = np.concatenate([[np.inf], -distinct])
        self._place = place

    def counted(self, times: np.ndarray | None = None) -> Counts:
        """Count rows above every cut.

        Parameters
        ----------
        times
            How often each row is drawn, and counts as its weight says; None takes each once.

        Returns
        -------
        Counts
        """
        times = self._weights if times is None else times * self._weights
        return Counts(
            *(self._share(times * kind) for kind in (self.labeled, ~self.labeled, self.population))
        )

    def _share(self, mass: np.ndarray) -> np.ndarray:
        above = np.bincount(self._place, mass, len(self.cuts) - 1).cumsum()
        return np.concatenate([[0.0], above / above[-1]])

    def resampled(
        self, n_resamples: int, random_state: int | np.random.RandomState | None = None
    ) -> Iterator[Counts]:
        """Count rows above every cut in resamples of the labeled and of the unlabeled rows.

        Parameters
        ----------
        n_resamples
            How many resamples.
        random_state
            Seed or generator.

        Yields
        ------
        Counts
        """
        for times in resamples(self.labeled, n_resamples, random_state):
            yield self.counted(times)


def resamples(
    labeled: np.ndarray, n_resamples: int, random_state: int | np.random.RandomState | None = None
) -> Iterator[np.ndarray]:
    """Draw as many labeled rows, and as many unlabeled ones, as there are, with replacement.

    Parameters
    ----------
    labeled
        Which rows are labeled.
    n_resamples
        How many resamples.
    random_state
        Seed or generator.

    Yields
    ------
    array
        How often each row is drawn.

    Examples
    --------
    >>> (times,) = resamples(np.array([True, False, False]), 1, 0)
    >>> int(times[0]), int(times.sum())
    (1, 3)
    """
    if n_resamples < 1:
        raise ValueError(f"n_resamples is {n_resamples}; at least one is needed.")
    rng = check_random_state(random_state)
    groups = np.flatnonzero(labeled), np.flatnonzero(~labeled)
    for _ in range(n_resamples):
        times = np.zeros(len(labeled))
        for rows in groups:
            times[rows] = np.bincount(rng.randint(len(rows), size=len(rows)), minlength=len(rows))
        yield times
