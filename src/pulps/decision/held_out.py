r"""Honest scores: what members say of labeled rows whose label they were not shown.

Each member of an ensemble takes a part of the labeled rows for unlabeled ones. Such *hidden* rows
look to it just as the positives among the unlabeled rows do, so their scores show how these are
scored: the share of hidden rows above a cut is the recall there.
The parts are disjoint and the members train at once, so this costs nothing but a little of
each member's labels.

The class prior of the unlabeled rows follows by best bin estimation (Garg et al. 2021): of
the unlabeled rows above a cut, at least the hidden positives above it are there, so
:math:`\pi_U \le u(t) / r(t)` for every cut *t*, with *u* the share of unlabeled rows and
*r* the share of hidden rows above it; the cut with the best confidence bound tells. Where the
ratio is uncertain it is drawn towards one half, the share the balance term of the loss
assumes, as the mean of a normal posterior would be: three standard errors of the ratio
count as its error, because the best of many cuts was taken, and ``SPREAD`` is how far from
one half a prior usually is.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import expit

from pulps.priors.bbe import best_cut
from pulps.tables.ordering import quantiles

SPREAD = 0.2
N_RESAMPLES = 200
CELLS_AT_ONCE = 2**24  # scores that are compared with cuts
FAILURE = 0.1  # probability with which the bound of best bin estimation may fail
LEVELS = np.unique(np.concatenate([np.linspace(0.02, 0.98, 97), expit(np.linspace(-8, 8, 33))]))


def hide_parts(
    labeled: np.ndarray,
    n_members: int,
    n_parts: int,
    rng: np.random.RandomState,
    weights: np.ndarray | None = None,
) -> np.ndarray:
    """Choose the labeled rows that each member takes for unlabeled.

    Member *m* is not shown part *m* mod ``n_parts``; after ``n_parts`` members the rows
    are dealt into parts anew. A row that weighs three is dealt as three rows.

    Parameters
    ----------
    labeled
        Boolean, shape (rows,).
    n_members, n_parts
        Number of members and of parts.
    rng
        Source of the deals.
    weights
        Weight of each row; None weighs all alike.

    Returns
    -------
    array of shape (members, rows)
        Boolean without weights; with them, the weight of each row that is hidden.

    Examples
    --------
    >>> hidden = hide_parts(np.array([True] * 6 + [False]), 3, 3, np.random.RandomState(0))
    >>> hidden.sum(axis=0), hidden.sum(axis=1)
    (array([1, 1, 1, 1, 1, 1, 0]), array([2, 2, 2]))
    """
    rows = np.flatnonzero(labeled)
    n_copies = np.ones(len(labeled), dtype=int)
    if weights is not None:
        n_copies = np.ceil(weights).astype(int)
    copies = np.repeat(rows, n_copies[rows])
    hidden = np.zeros((n_members, len(labeled)), dtype=int)
    for first in range(0, n_members, n_parts):
        deal = rng.permutation(copies)
        for member in range(first, min(first + n_parts, n_members)):
            part = deal[member - first :: n_parts]
            hidden[member] = np.bincount(part, minlength=len(labeled))
    return hidden > 0 if weights is None else hidden * (weights / n_copies)


@dataclass(frozen=True)
class HeldOut:
    """Scores of labeled and unlabeled rows, and the curves that follow from them.

    Parameters
    ----------
    labeled
        Shape (members, labeled rows), NaN where the member was shown the label.
    unlabeled
        Shape (members, unlabeled rows).
    hidden
        With which weight each score of a labeled row counts, of the shape of ``labeled``: as
        much of the row as that member was not shown. None if all count alike.
    labeled_weights, unlabeled_weights
        Weight of each row: a row that weighs two counts as two rows. None weighs all alike.
    """

    labeled: np.ndarray
    unlabeled: np.ndarray
    hidden: np.ndarray | None = None
    labeled_weights: np.ndarray | None = None
    unlabeled_weights: np.ndarray | None = None

    @cached_property
    def seen(self) -> np.ndarray:
        """Which labeled rows have an honest score."""
        return (~np.isnan(self.labeled)).any(axis=0)

    @property
    def n_labeled(self) -> float:
        """Labeled rows with an honest score."""
        if self.labeled_weights is None:
            return int(self.seen.sum())
        return float(self.labeled_weights[self.seen].sum())

    @property
    def n_unlabeled(self) -> float:
        """Unlabeled rows."""
        if self.unlabeled_weights is None:
            return self.unlabeled.shape[1]
        return float(self.unlabeled_weights.sum())

    def quantiles(self, levels: Any) -> np.ndarray:
        """Quantiles of the mean score of unlabeled rows.

        Parameters
        ----------
        levels
            Numbers from 0 to 1.

        Returns
        -------
        array
            One score per level.
        """
        scores = self.unlabeled.mean(axis=0)
        if self.unlabeled_weights is None:
            return np.quantile(scores, levels)
        return quantiles(scores, np.asarray(levels), self.unlabeled_weights)

    def cuts(self) -> np.ndarray:
        """Where to cut: at zero, and at quantiles of the mean score of unlabeled rows.

        Returns
        -------
        array
            Increasing.
        """
        return np.unique(np.append(self.quantiles(LEVELS), 0.0))

    def share(self, cuts: np.ndarray) -> np.ndarray:
        """Share of unlabeled rows above each cut, averaged over members.

        Parameters
        ----------
        cuts
            Where to cut, shape (cuts,).

        Returns
        -------
        array of shape (cuts,)
        """
        if self.unlabeled_weights is None:
            scores = np.sort(self.unlabeled, axis=None)
            return 1 - np.searchsorted(scores, cuts, side="right") / len(scores)
        order = np.argsort(self.unlabeled, axis=None, kind="stable")
        scores = self.unlabeled.ravel()[order]
        mass = np.cumsum(np.tile(self.unlabeled_weights, len(self.unlabeled))[order])
        below = np.append(0.0, mass)[np.searchsorted(scores, cuts, side="right")]
        return 1 - below / mass[-1]

    def found(self, cuts: np.ndarray) -> np.ndarray:
        """For each labeled row and cut, the share of its honest scores above the cut.

        Parameters
        ----------
        cuts
            Where to cut, shape (cuts,).

        Returns
        -------
        array of shape (labeled rows with an honest score, cuts)
        """
        honest = (~np.isnan(self.labeled))[:, self.seen]
        counts = honest if self.hidden is None else honest * self.hidden[:, self.seen]
        above = sum(
            count[:, None] * (scores[:, None] > cuts)
            for count, scores in zip(counts.astype(float), self.labeled[:, self.seen], strict=True)
        )
        return above / counts.sum(axis=0)[:, None]

    def recall(self, cuts: np.ndarray) -> np.ndarray:
        """Share of labeled rows above each cut.

        Parameters
        ----------
        cuts
            Where to cut, shape (cuts,).

        Returns
        -------
        array of shape (cuts,)
        """
        weights = None if self.labeled_weights is None else self.labeled_weights[self.seen]
        if len(self.labeled) == 1:
            return _share_above(self.labeled[0, self.seen], cuts, weights)
        step = max(1, CELLS_AT_ONCE // max(int(self.seen.sum()), 1))
        parts = [
            weighted_mean(self.found(cuts[first : first + step]), weights, axis=0)
            for first in range(0, max(len(cuts), 1), step)
        ]
        return np.concatenate(parts)

    def resampled_recall(self, cuts: np.ndarray) -> np.ndarray:
        """Recall curves if other rows had been labeled (Bayesian bootstrap).

        One more row, scored like an unlabeled one, stands for what was not seen: a handful
        of labels that happen to be scored alike are no certainty. The draws are always the
        same, so results do not depend on chance.

        Parameters
        ----------
        cuts
            Where to cut, shape (cuts,).

        Returns
        -------
        array of shape (resamples, cuts)
        """
        rows = np.vstack([self.found(cuts), self.share(cuts)])
        mass = np.ones(len(rows))
        if self.labeled_weights is not None:
            mass[:-1] = self.labeled_weights[self.seen]
        return np.random.RandomState(0).dirichlet(mass, N_RESAMPLES) @ rows

    def prior(self) -> tuple[float, tuple[float, float]]:
        """Share of positives among the unlabeled rows, with an interval.

        Returns
        -------
        prior, (low, high)
            The estimate, and where nine in ten resamples fall.
        """
        cuts = self.cuts()
        share = self.share(cuts)
        recalls = np.vstack([self.recall(cuts), self.resampled_recall(cuts)])
        estimates, errors = best_bin(recalls, share, self.n_labeled, self.n_unlabeled)
        trust = SPREAD**2 / (SPREAD**2 + (3 * errors) ** 2)
        drawn = trust * estimates + (1 - trust) / 2
        low, high = np.quantile(drawn, [0.05, 0.95])
        return float(drawn[0]), (float(low), float(high))


def _share_above(scores: np.ndarray, cuts: np.ndarray, weights: np.ndarray | None) -> np.ndarray:
    """Weight of the scores above each cut, as a share of all; both may be many."""
    order = np.argsort(scores, kind="stable")
    mass = np.ones(len(scores)) if weights is None else weights[order]
    above = np.append(0.0, np.cumsum(mass[::-1]))
    n_above = len(scores) - np.searchsorted(scores[order], cuts, side="right")
    return above[n_above] / above[-1]


def weighted_mean(values: np.ndarray, weights: np.ndarray | None, axis: int) -> np.ndarray:
    """Mean in which a row that weighs two counts as two rows.

    Parameters
    ----------
    values
        What to average.
    weights
        Weight of each row; None weighs all alike.
    axis
        The axis of the rows.

    Returns
    -------
    array
        Without that axis.

    Examples
    --------
    >>> weighted_mean(np.array([1.0, 4.0]), np.array([2.0, 1.0]), axis=0).item()
    2.0
    """
    if weights is None:
        return values.mean(axis=axis)
    return np.average(values, axis=axis, weights=weights)


def best_bin(
    recall: np.ndarray, share: np.ndarray, n_labeled: float, n_unlabeled: float
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

    Returns
    -------
    estimates, errors
        Shape (curves,) each.

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
