r"""Honest scores: what members say of labeled rows whose label they were not shown.

Each member of an ensemble takes a part of the labeled rows for unlabeled ones. Such rows
(spies) are exactly what the positives hidden among the unlabeled rows are, so their scores
show how hidden positives are scored: the share of spies above a cut is the recall there.
The parts are disjoint and the members train at once, so this costs nothing but a little of
each member's labels.

The class prior of the unlabeled rows follows by best bin estimation (Garg et al. 2021): of
the unlabeled rows above a cut, at least the hidden positives above it are there, so
:math:`\pi_U \le u(t) / r(t)` for every cut *t*, with *u* the share of unlabeled rows and
*r* the share of spies above it; the cut with the best confidence bound tells. Where the
ratio is uncertain it is drawn towards one half, the share the balance term of the loss
assumes, as the mean of a normal posterior would be: three standard errors of the ratio
count as its error, because the best of many cuts was taken, and ``SPREAD`` is how far from
one half a prior usually is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from pulps.priors.bbe import best_cut

SPREAD = 0.2
N_RESAMPLES = 200
FAILURE = 0.1  # probability with which the bound of best bin estimation may fail
LEVELS = np.unique(np.concatenate([np.linspace(0.02, 0.98, 97), expit(np.linspace(-8, 8, 33))]))


def hide_parts(
    labeled: np.ndarray, n_members: int, n_parts: int, rng: np.random.RandomState
) -> np.ndarray:
    """Choose the labeled rows that each member takes for unlabeled.

    Member *m* is not shown part *m* mod ``n_parts``; after ``n_parts`` members the rows
    are dealt into parts anew.

    Parameters
    ----------
    labeled
        Boolean, shape (rows,).
    n_members, n_parts
        Number of members and of parts.
    rng
        Source of the deals.

    Returns
    -------
    array of bool, shape (members, rows)

    Examples
    --------
    >>> spies = hide_parts(np.array([True] * 6 + [False]), 3, 3, np.random.RandomState(0))
    >>> spies.sum(axis=0), spies.sum(axis=1)
    (array([1, 1, 1, 1, 1, 1, 0]), array([2, 2, 2]))
    """
    rows = np.flatnonzero(labeled)
    spies = np.zeros((n_members, len(labeled)), dtype=bool)
    for first in range(0, n_members, n_parts):
        deal = rng.permutation(rows)
        for member in range(first, min(first + n_parts, n_members)):
            spies[member, deal[member - first :: n_parts]] = True
    return spies


@dataclass(frozen=True)
class Evidence:
    """Scores of labeled and unlabeled rows, and the curves that follow from them.

    Parameters
    ----------
    labeled
        Shape (members, labeled rows), NaN where the member was shown the label.
    unlabeled
        Shape (members, unlabeled rows).
    """

    labeled: np.ndarray
    unlabeled: np.ndarray

    @property
    def n_labeled(self) -> int:
        """Labeled rows with an honest score."""
        return int((~np.isnan(self.labeled)).any(axis=0).sum())

    @property
    def n_unlabeled(self) -> int:
        """Unlabeled rows."""
        return self.unlabeled.shape[1]

    def cuts(self) -> np.ndarray:
        """Places to cut: zero, and quantiles of the mean score of unlabeled rows."""
        return np.unique(np.append(np.quantile(self.unlabeled.mean(axis=0), LEVELS), 0.0))

    def share(self, cuts: np.ndarray) -> np.ndarray:
        """Share of unlabeled rows above each cut, averaged over members."""
        scores = np.sort(self.unlabeled, axis=None)
        return 1 - np.searchsorted(scores, cuts, side="right") / len(scores)

    def found(self, cuts: np.ndarray) -> np.ndarray:
        """For each labeled row and cut, the share of its honest scores above the cut."""
        honest = ~np.isnan(self.labeled)
        seen = honest.any(axis=0)
        above = sum((scores[:, None] > cuts).astype(float) for scores in self.labeled[:, seen])
        return above / honest[:, seen].sum(axis=0)[:, None]

    def recall(self, cuts: np.ndarray) -> np.ndarray:
        """Share of labeled rows above each cut."""
        return self.found(cuts).mean(axis=0)

    def resampled_recall(self, cuts: np.ndarray) -> np.ndarray:
        """Recall curves if other rows had been labeled (Bayesian bootstrap).

        One more row, scored like an unlabeled one, stands for what was not seen: a handful
        of labels that happen to be scored alike are no certainty. Shape (resamples, cuts);
        always the same draws, so results do not depend on chance.
        """
        rows = np.vstack([self.found(cuts), self.share(cuts)])
        return np.random.RandomState(0).dirichlet(np.ones(len(rows)), N_RESAMPLES) @ rows

    def prior(self) -> tuple[float, tuple[float, float]]:
        """Share of positives among the unlabeled rows, and where nine in ten resamples fall."""
        cuts = self.cuts()
        share = self.share(cuts)
        recalls = np.vstack([self.recall(cuts), self.resampled_recall(cuts)])
        estimates, errors = best_bin(recalls, share, self.n_labeled, self.n_unlabeled)
        trust = SPREAD**2 / (SPREAD**2 + (3 * errors) ** 2)
        drawn = trust * estimates + (1 - trust) / 2
        low, high = np.quantile(drawn, [0.05, 0.95])
        return float(drawn[0]), (float(low), float(high))


def best_bin(
    recall: np.ndarray, share: np.ndarray, n_labeled: int, n_unlabeled: int
) -> tuple[np.ndarray, np.ndarray]:
    """Best bin estimates of the prior of unlabeled rows, and their standard errors.

    Parameters
    ----------
    recall
        Share of labeled rows above each cut, shape (curves, cuts).
    share
        Share of unlabeled rows above each cut, shape (cuts,).
    n_labeled, n_unlabeled
        Numbers of rows behind the shares.

    Examples
    --------
    >>> best_bin(np.array([[1.0, 0.9, 0.5]]), np.array([1.0, 0.36, 0.2]), 10**6, 10**6)[0]
    array([0.4])
    """
    best = best_cut(recall, share, n_labeled, n_unlabeled, delta=FAILURE)[:, None]
    there = np.take_along_axis(recall, best, axis=1)[:, 0]
    there = np.where(there > 0, there, 1.0)  # no labeled row is above any cut
    above = share[best[:, 0]]
    estimate = np.minimum(above / there, 1.0)
    found = (n_labeled * there + 1) / (n_labeled + 2)
    variance = above * (1 - above) / n_unlabeled + estimate**2 * found * (1 - found) / n_labeled
    return estimate, np.sqrt(variance) / there
