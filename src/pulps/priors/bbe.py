r"""Best bin estimation (Garg et al. 2021): look where the scores are highest.

For any cut *z*, let :math:`q_L(z)` and :math:`q_U(z)` be the shares of labeled and unlabeled
rows scored at least *z*. Unlabeled positives are like labeled ones, so
:math:`q_U(z) \ge \pi_U \, q_L(z)`: **every cut gives an upper bound**
:math:`q_U(z) / q_L(z)` of the share of positives, tight where all rows above it are positive.
The purest cuts keep few rows and their ratio is noise; so the cut minimizes the ratio plus
its uncertainty,

.. math:: \frac{\hat q_U(z)}{\hat q_L(z)} + \frac{1 + \gamma}{\hat q_L(z)}
    \Bigl(\sqrt{\tfrac{\log(4 / \delta)}{2 n_U}} + \sqrt{\tfrac{\log(4 / \delta)}{2 n_L}}\Bigr),

and the estimate is the ratio there. By the inequality of Dvoretzky, Kiefer and Wolfowitz both
shares are within their root of the truth at all cuts at once with probability 1 − δ, which
also gives a bound that needs no pure bin: :math:`\pi_U` is at most the smallest
:math:`(\hat q_U + \epsilon_U) / (\hat q_L - \epsilon_L)`.

S. Garg, Y. Wu, A. Smola, S. Balakrishnan and Z. Lipton, *Mixture proportion estimation and PU
learning: a modern approach*, NeurIPS 2021.
"""

from __future__ import annotations

from numbers import Real
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from pulps.io._sklearn import Interval
from pulps.priors.estimator import Estimate, PriorFromScores
from pulps.priors.intervals import interval_around
from pulps.priors.scores import check_scores


def bbe(
    labeled_scores: ArrayLike,
    unlabeled_scores: ArrayLike,
    *,
    delta: float = 0.1,
    gamma: float = 0.01,
    confidence: float = 0.9,
) -> Estimate:
    r"""Estimate the share of positives among unlabeled rows from held-out scores.

    Only the order of the scores matters. The interval is normal: the variance of the log of
    the ratio at the chosen cut is
    :math:`(1 - q_U) / (n_U q_U) + (1 - q_L) / (n_L q_L)` by the delta method. Neither the
    choice of the cut nor the classifier's own randomness is in it.

    Parameters
    ----------
    labeled_scores, unlabeled_scores : array-like
        Larger means more positive, by a model that has not seen the row.
    delta : float
        Chance that the uncertainty in the choice of the cut, and the upper bound in the
        diagnostics, are allowed to be wrong.
    gamma : float
        The uncertainty is weighed by one plus this.
    confidence : float
        Level of the interval.

    Returns
    -------
    Estimate
        Its diagnostics: ``cut`` and the shares ``labeled_above`` and ``unlabeled_above``
        there; ``upper_bound``, which holds with probability 1 − δ whether or not there is a
        pure bin; the curve searched, ``cuts`` and ``ratios``.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> labeled = rng.normal(3, 1, 500)
    >>> unlabeled = np.r_[rng.normal(3, 1, 300), rng.normal(-3, 1, 700)]
    >>> abs(bbe(labeled, unlabeled).prior_of_unlabeled - 0.3) < 0.05
    True
    """
    labeled_scores, unlabeled_scores = check_scores(labeled_scores, unlabeled_scores)
    n_labeled, n_unlabeled = len(labeled_scores), len(unlabeled_scores)
    cuts, above_labeled, above_unlabeled = _shares_above(labeled_scores, unlabeled_scores)
    chosen = int(
        best_cut(above_labeled, above_unlabeled, n_labeled, n_unlabeled, delta=delta, gamma=gamma)
    )
    known, unknown = float(above_labeled[chosen]), float(above_unlabeled[chosen])
    estimate = min(1.0, unknown / known)
    relative = (1 - known) / (n_labeled * known)
    relative += (1 - unknown) / (n_unlabeled * max(unknown, 1 / n_unlabeled))
    spread = max(unknown, 1 / n_unlabeled) / known * relative**0.5
    diagnostics = {
        "cut": float(cuts[chosen]),
        "labeled_above": known,
        "unlabeled_above": unknown,
        "upper_bound": _upper_bound(
            above_labeled, above_unlabeled, _reach(n_labeled, delta), _reach(n_unlabeled, delta)
        ),
        "cuts": cuts,
        "ratios": above_unlabeled / above_labeled,
    }
    return Estimate(estimate, interval_around(estimate, spread, confidence), diagnostics)


def bbe_share(
    labeled_scores: np.ndarray, unlabeled_scores: np.ndarray, *, gamma: float = 0.01
) -> float:
    """Estimate the share of positives among unlabeled rows, without an interval.

    Parameters
    ----------
    labeled_scores, unlabeled_scores
        As in :func:`bbe`.
    gamma
        As there.

    Returns
    -------
    float
        The share.
    """
    _, known, unknown = _shares_above(labeled_scores, unlabeled_scores)
    chosen = best_cut(known, unknown, len(labeled_scores), len(unlabeled_scores), gamma=gamma)
    return float(min(1.0, unknown[chosen] / known[chosen]))


def best_cut(
    labeled_above: np.ndarray,
    unlabeled_above: np.ndarray,
    n_labeled: float,
    n_unlabeled: float,
    *,
    delta: float = 0.1,
    gamma: float = 0.0,
) -> np.ndarray:
    """Choose the cut at which the ratio of the two shares plus its uncertainty is smallest.

    Parameters
    ----------
    labeled_above, unlabeled_above
        Shares of labeled and of unlabeled rows above each cut, the cuts along the last axis.
        A cut above which there is no labeled row is never chosen.
    n_labeled, n_unlabeled
        Numbers of rows behind the shares.
    delta
        Chance that the uncertainty is allowed to be too small.
    gamma
        The uncertainty is weighed by one plus this.

    Returns
    -------
    array of int
        Index of the cut, for each curve.

    Examples
    --------
    >>> best_cut(np.array([1.0, 0.9, 0.0]), np.array([1.0, 0.3, 0.1]), 10**6, 10**6).item()
    1
    """
    slack = (1 + gamma) * (_reach(n_labeled, delta) + _reach(n_unlabeled, delta))
    reached = labeled_above > 0
    bounds = (unlabeled_above + slack) / np.where(reached, labeled_above, 1.0)
    return np.where(reached, bounds, np.inf).argmin(axis=-1)


def _shares_above(
    labeled: np.ndarray, unlabeled: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the cuts, and the shares of both groups at or above each of them."""
    cuts = np.unique(labeled)
    known, other = (
        1 - np.searchsorted(np.sort(scores), cuts) / len(scores) for scores in (labeled, unlabeled)
    )
    return cuts, known, other


def _reach(n_rows: float, delta: float) -> float:
    """How far an empirical share may be from the truth, at all cuts at once."""
    return float(np.sqrt(np.log(4 / delta) / (2 * n_rows)))


def _upper_bound(
    above_labeled: np.ndarray,
    above_unlabeled: np.ndarray,
    labeled_reach: float,
    unlabeled_reach: float,
) -> float:
    room = above_labeled - labeled_reach
    usable = room > 0
    bounds = (above_unlabeled[usable] + unlabeled_reach) / room[usable]
    return float(np.min(bounds, initial=1.0))


class BBE(PriorFromScores):
    """Estimate the share of positives where held-out scores are highest.

    An upper bound, tight where the highest scores belong to positives only; see
    :mod:`pulps.priors.bbe`.

    Parameters
    ----------
    classifier : classifier with ``predict_proba`` or None, default=None
        Tells labeled from unlabeled rows. It sees X as you pass it. None takes a forest
        of random trees, for any table.
    cv : int, default=5
        Folds of the cross-validation that scores each row by a classifier of other rows.
    delta : float, default=0.1
        Chance that the uncertainty in the choice of the cut is allowed to be wrong.
    gamma : float, default=0.01
        That uncertainty is weighed by one plus this.
    scenario : {"single-training-set", "case-control"}, default="single-training-set"
        How the rows were drawn; decides what ``prior_`` and ``label_frequency_`` are. In
        case-control, equal rows of the two samples share a fold.
    pos_label : object, default=None
        The value of ``y`` that marks a labeled positive; by default the larger number.
    confidence : float, default=0.9
        Level of ``interval_``.
    random_state : int, RandomState or None, default=None
        Seed of folds and forest.

    Attributes
    ----------
    prior_ : float
        Share of positives in the population.
    prior_of_unlabeled_ : float
        Share of positives among the unlabeled rows.
    label_frequency_ : float
        Chance of a positive to be labeled; NaN in case-control.
    interval_ : (float, float)
        For ``prior_of_unlabeled_``: normal, by the delta method; see :func:`bbe`.
    diagnostics_ : dict
        Counts of rows, and what :func:`bbe` tells.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y_true = make_blobs(300, centers=[[0, 0], [6, 6]], random_state=0)
    >>> y = np.where(np.arange(300) % 2 == 0, y_true, 0)
    >>> model = BBE(LogisticRegression(), random_state=0).fit(X, y)
    >>> abs(model.prior_ - 0.5) < 0.05
    True
    """

    _parameter_constraints = {
        **PriorFromScores._parameter_constraints,
        "delta": [Interval(Real, 0, 1, closed="neither")],
        "gamma": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(
        self,
        classifier: Any = None,
        *,
        cv: int = 5,
        delta: float = 0.1,
        gamma: float = 0.01,
        scenario: Literal["single-training-set", "case-control"] = "single-training-set",
        pos_label: Any = None,
        confidence: float = 0.9,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.classifier = classifier
        self.cv = cv
        self.delta = delta
        self.gamma = gamma
        self.scenario = scenario
        self.pos_label = pos_label
        self.confidence = confidence
        self.random_state = random_state

    def _from_scores(
        self, labeled_scores: np.ndarray, unlabeled_scores: np.ndarray, rng: np.random.RandomState
    ) -> Estimate:
        return bbe(
            labeled_scores,
            unlabeled_scores,
            delta=self.delta,
            gamma=self.gamma,
            confidence=self.confidence,
        )
