"""How sure the agreement is: the paper's "estimated accuracy" with an interval.

The agreement of the best pair of members depends on which rows were drawn and on which
members happened to be trained. Both are resampled. Rows with the same votes are alike, so
rows are drawn by their pattern of votes, which is exact and costs nothing on large tables;
of the members drawn, copies of one member do not count as a pair.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from pulps.decision.selection import (
    agreement_matrix,
    kappa_matrix,
    largest_agreeing_cluster,
    mean_of_pairs,
    most_agreeing_pair,
    sound_members,
)

STATISTICS = ("pair", "mean")


@dataclass(frozen=True)
class AgreementEstimate:
    """Agreement of members, how sure it is, and who agrees.

    Parameters
    ----------
    value, low, high
        Agreement with the interval of the bootstrap; zero if fewer than two members are
        not degenerate.
    kappa
        Mean agreement beyond chance of the members that took part.
    pair
        The two members that agree most; empty if fewer than two took part.
    cluster
        The largest set of these members that agree with each other.
    sound
        Which members took part: those that are not degenerate.
    """

    value: float
    low: float
    high: float
    kappa: float
    pair: tuple[int, ...]
    cluster: np.ndarray
    sound: np.ndarray

    def __str__(self) -> str:
        """Say it in a line."""
        return (
            f"agreement {self.value:.3f} ({self.low:.3f} to {self.high:.3f}), "
            f"κ {self.kappa:.2f}, {int(self.sound.sum())} of {len(self.sound)} members sound"
        )


def estimate_agreement(
    predictions: Any,
    labeled: Any,
    *,
    statistic: str = "pair",
    level: float = 0.9,
    n_resamples: int = 500,
    min_recall: float = 0.5,
    min_share: float = 0.01,
    min_agreement: float = 0.9,
    random_state: int | np.random.RandomState | None = None,
) -> AgreementEstimate:
    """Estimate the agreement of members, degenerate ones left out, with an interval.

    Parameters
    ----------
    predictions
        Votes, shape (members, rows).
    labeled
        Boolean, shape (rows,): which rows are labeled.
    statistic
        ``"pair"``: the largest agreement of two members, the paper's estimated accuracy.
        ``"mean"``: the mean over pairs.
    level
        Share of the resamples inside the interval.
    n_resamples
        Bootstrap resamples of rows and members.
    min_recall, min_share
        What a member needs to take part, see :func:`pulps.decision.selection.sound_members`.
    min_agreement
        See :func:`pulps.decision.selection.largest_agreeing_cluster`.
    random_state
        Seed of the resamples.

    Returns
    -------
    AgreementEstimate
        The agreement, its interval, and who agrees.

    Examples
    --------
    >>> votes = np.tile([1] * 30 + [0] * 70, (3, 1))
    >>> votes[2, 28:34] = [0, 0, 1, 1, 1, 1]
    >>> estimate = estimate_agreement(votes, np.arange(100) < 10, random_state=0)
    >>> estimate.value, estimate.pair
    (1.0, (0, 1))
    """
    if statistic not in STATISTICS:
        raise ValueError(f"statistic is {statistic!r}; it must be 'pair' or 'mean'.")
    votes = np.asarray(predictions, dtype=bool)
    sound = sound_members(votes, labeled, min_recall=min_recall, min_share=min_share)
    pool = np.flatnonzero(sound)
    if len(pool) < 2:
        return AgreementEstimate(0.0, 0.0, 0.0, 0.0, (), pool, sound)
    votes = votes[pool]
    matrix = agreement_matrix(votes)
    first, second = most_agreeing_pair(matrix)
    resampled = _resampled(votes, statistic, n_resamples, check_random_state(random_state))
    low, high = np.quantile(resampled, [(1 - level) / 2, (1 + level) / 2])
    return AgreementEstimate(
        value=float(matrix[first, second]) if statistic == "pair" else mean_of_pairs(matrix),
        low=float(low),
        high=float(high),
        kappa=mean_of_pairs(kappa_matrix(votes)),
        pair=(int(pool[first]), int(pool[second])),
        cluster=pool[largest_agreeing_cluster(matrix, min_agreement)],
        sound=sound,
    )


def _resampled(
    votes: np.ndarray, statistic: str, n_resamples: int, rng: np.random.RandomState
) -> np.ndarray:
    """Agreement of resampled members on resampled rows."""
    n_members, n_rows = votes.shape
    patterns, counts = np.unique(votes, axis=1, return_counts=True)
    left, right = np.triu_indices(n_members, 1)
    agree = (patterns[left] == patterns[right]).astype(float)
    rows = rng.multinomial(n_rows, counts / n_rows, size=n_resamples) / n_rows
    agreement = rows @ agree.T
    times = rng.multinomial(n_members, np.full(n_members, 1 / n_members), size=n_resamples)
    weight = times[:, left] * times[:, right]
    drawn = weight.any(axis=1)  # one member drawn over and over is no pair
    agreement, weight = agreement[drawn], weight[drawn]
    if statistic == "pair":
        return np.where(weight > 0, agreement, -np.inf).max(axis=1)
    return (weight * agreement).sum(axis=1) / weight.sum(axis=1)
