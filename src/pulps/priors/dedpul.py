r"""DEDPUL (Ivanov 2020): the ratio of two densities of scores, and where EM stops.

A model's score is one number per row, and densities of one number are easy to
estimate: :math:`f_L` over labeled and :math:`f_U` over unlabeled rows. Bayes' rule turns
their ratio :math:`r = f_L / f_U` into the chance :math:`\pi_U \, r(x)` of an unlabeled row to
be positive, and the mean of these chances must be :math:`\pi_U` again. Chances end at one, so
the step of expectation and maximization is

.. math:: \pi \;\leftarrow\; M(\pi) = \frac1{n_U} \sum_{x \in U} \min(\pi \, r(x), 1).

The mean of *r* over the unlabeled rows is one, so every :math:`\pi \le 1 / \max r` stays
where it is, larger ones shrink, and the largest that stays is the answer: the same upper
bound by the purest region as everywhere (see :mod:`pulps.priors.bbe`). With estimated
densities :math:`M(\pi) - \pi` does not touch zero but bends, and the paper takes the point of
the sharpest bend among those where it is within a tolerance of zero.

Where we leave the paper, and why:

* The ratio does not change if scores are mapped by an increasing function. We map them to
  normal scores (the normal quantiles of their ranks among all rows) instead of log-odds, so
  that the answer depends on their order only and no score is infinite.
* The ratio is made increasing in the score by isotonic regression, which replaces the
  paper's chain of running medians and maxima, and is scaled to mean one over the unlabeled
  rows. With this scale EM stops at 1 / max r, which a few noisy scores decide, so the
  answer is always the bend, where the paper takes it only if EM stops too low; the fixed
  point is among the diagnostics.
* Densities are kept on a grid, so a bootstrap costs little; their bandwidth is Silverman's. The
  bend is measured over steps of 0.05 to both sides, where the paper takes neighbors on its
  grid, because the bends of a noisy plateau lie side by side and only together are large.

D. Ivanov, *DEDPUL: difference-of-estimated-densities-based positive-unlabeled learning*,
ICMLA 2020.
"""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.ndimage import gaussian_filter1d
from scipy.optimize import isotonic_regression
from scipy.stats import norm, rankdata
from sklearn.utils import check_random_state

from pulps.io._sklearn import Interval
from pulps.priors.estimator import Estimate, PriorFromScores
from pulps.priors.intervals import bootstrap_spread, interval_around
from pulps.priors.scores import check_scores

N_CELLS = 512
MAX_RATIO = 50.0
CANDIDATES = np.linspace(0, 1, 201)
REACH = 0.05  # to both sides of a candidate, for its bend


def dedpul(
    labeled_scores: ArrayLike,
    unlabeled_scores: ArrayLike,
    *,
    bandwidth: float = 1.0,
    tolerance: float = 0.05,
    confidence: float = 0.9,
    n_resamples: int = 100,
    random_state: int | np.random.RandomState | None = None,
) -> Estimate:
    """Estimate the share of positives among unlabeled rows from held-out scores.

    Only the order of the scores matters.

    Parameters
    ----------
    labeled_scores, unlabeled_scores : array-like
        Larger means more positive, by a model that has not seen the row.
    bandwidth : float
        Width of the kernels, in units of Silverman's rule.
    tolerance : float
        How far a step of EM may move an answer.
    confidence : float
        Level of the interval, which is normal with the spread of a bootstrap of the scores.
    n_resamples : int
        Bootstrap samples.
    random_state : int, RandomState or None
        Seed of the bootstrap.

    Returns
    -------
    Estimate
        Its diagnostics: ``em_fixed_point``, where EM stops; the curve searched,
        ``candidates`` and ``em_steps`` (how far EM moves each of them); and
        ``posterior``, the chance of each unlabeled row to be positive.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> labeled = rng.normal(3, 1, 500)
    >>> unlabeled = np.r_[rng.normal(3, 1, 300), rng.normal(-3, 1, 700)]
    >>> abs(dedpul(labeled, unlabeled, random_state=0).prior_of_unlabeled - 0.3) < 0.05
    True
    """
    labeled_scores, unlabeled_scores = check_scores(labeled_scores, unlabeled_scores)
    labeled, unlabeled, grid = _on_grid(labeled_scores, unlabeled_scores)

    def search(labeled: np.ndarray, unlabeled: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        return _search(labeled, unlabeled, grid, bandwidth, tolerance)

    estimate, steps, ratio = search(labeled, unlabeled)
    spread = bootstrap_spread(
        lambda labeled, unlabeled: search(labeled, unlabeled)[0],
        labeled,
        unlabeled,
        n_resamples=n_resamples,
        rng=check_random_state(random_state),
    )
    interval = interval_around(estimate, spread, confidence)
    diagnostics = {
        "em_fixed_point": float(min(1.0, 1 / ratio.max())),
        "candidates": CANDIDATES.copy(),
        "em_steps": steps,
        "posterior": np.minimum(estimate * ratio[_cells(unlabeled, grid)], 1.0),
    }
    return Estimate(estimate, interval, diagnostics)


def dedpul_share(labeled_scores: np.ndarray, unlabeled_scores: np.ndarray) -> float:
    """Estimate the share of positives among unlabeled rows, without an interval.

    Parameters
    ----------
    labeled_scores, unlabeled_scores
        As in :func:`dedpul`.

    Returns
    -------
    float
        The share.
    """
    labeled, unlabeled, grid = _on_grid(labeled_scores, unlabeled_scores)
    return _search(labeled, unlabeled, grid, 1.0, 0.05)[0]


def _on_grid(
    labeled_scores: np.ndarray, unlabeled_scores: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return normal scores of both kinds of rows, and a grid that holds them."""
    pooled = np.concatenate([labeled_scores, unlabeled_scores])
    normal = norm.ppf((rankdata(pooled) - 0.5) / len(pooled))
    labeled, unlabeled = np.split(normal, [len(labeled_scores)])
    return labeled, unlabeled, np.linspace(normal.min(), normal.max() + 1e-9, N_CELLS + 1)


def _search(
    labeled: np.ndarray,
    unlabeled: np.ndarray,
    grid: np.ndarray,
    bandwidth: float,
    tolerance: float,
) -> tuple[float, np.ndarray, np.ndarray]:
    """Return the candidate at the bend, how far EM moves every candidate, and the ratio."""
    ratio, mass = _density_ratio(labeled, unlabeled, grid, bandwidth)
    before, steps, after = (
        np.minimum(prior[:, None] * ratio, 1) @ mass - prior
        for prior in (CANDIDATES - REACH, CANDIDATES, CANDIDATES + REACH)
    )
    bend = np.where(steps >= -tolerance, 2 * steps - before - after, -np.inf)
    return float(CANDIDATES[np.argmax(bend)]), steps, ratio


def _cells(scores: np.ndarray, grid: np.ndarray) -> np.ndarray:
    return np.clip(np.searchsorted(grid, scores, side="right") - 1, 0, N_CELLS - 1)


def _density_ratio(
    labeled: np.ndarray, unlabeled: np.ndarray, grid: np.ndarray, bandwidth: float
) -> tuple[np.ndarray, np.ndarray]:
    """Density of labeled over that of unlabeled rows in each cell, and the unlabeled mass."""
    step = grid[1] - grid[0]
    masses, densities = [], []
    for scores in (labeled, unlabeled):
        mass = np.bincount(_cells(scores, grid), minlength=N_CELLS) / len(scores)
        width = max(bandwidth * _silverman(scores) / step, 1.0)
        masses.append(mass)
        densities.append(gaussian_filter1d(mass, width, mode="constant", truncate=6))
    ratio = densities[0] / np.maximum(densities[1], np.finfo(float).tiny)
    mass = masses[1]
    ratio = np.minimum(ratio, MAX_RATIO)
    seen = mass > 0
    rising = isotonic_regression(ratio[seen], weights=mass[seen]).x
    rising /= max(rising @ mass[seen], np.finfo(float).tiny)
    return np.interp(np.arange(N_CELLS), np.flatnonzero(seen), rising), mass


def _silverman(scores: np.ndarray) -> float:
    quartiles = np.percentile(scores, [25, 75])
    spread = min(scores.std(), (quartiles[1] - quartiles[0]) / 1.34) or scores.std()
    return 0.9 * float(spread) * len(scores) ** -0.2


class DEDPUL(PriorFromScores):
    """Estimate the share of positives from the ratio of two densities of held-out scores.

    An upper bound, tight where some scores belong to positives only; see
    :mod:`pulps.priors.dedpul`.

    Parameters
    ----------
    classifier : classifier with ``predict_proba`` or None, default=None
        Tells labeled from unlabeled rows. It sees X as you pass it. None takes a forest
        of random trees, for any table.
    cv : int, default=5
        Folds of the cross-validation that scores each row by a classifier of other rows.
    bandwidth : float, default=1
        Width of the kernels, in units of Silverman's rule.
    tolerance : float, default=0.05
        How far a step of EM may move an answer.
    n_resamples : int, default=100
        Bootstrap samples for the interval.
    scenario : {"single-training-set", "case-control"}, default="single-training-set"
        How the rows were drawn; decides what ``prior_`` and ``label_frequency_`` are. In
        case-control, equal rows of the two samples share a fold.
    pos_label : object, default=None
        The value of ``y`` that marks a labeled positive; by default the larger number.
    confidence : float, default=0.9
        Level of ``interval_``.
    random_state : int, RandomState or None, default=None
        Seed of folds, forest and bootstrap.

    Attributes
    ----------
    prior_ : float
        Share of positives in the population.
    prior_of_unlabeled_ : float
        Share of positives among the unlabeled rows.
    label_frequency_ : float
        Chance of a positive to be labeled; NaN in case-control.
    interval_ : (float, float)
        For ``prior_of_unlabeled_``: normal, with the spread of a bootstrap of the scores.
    diagnostics_ : dict
        Counts of rows, and what :func:`dedpul` tells.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y_true = make_blobs(300, centers=[[0, 0], [6, 6]], random_state=0)
    >>> y = np.where(np.arange(300) % 2 == 0, y_true, 0)
    >>> model = DEDPUL(LogisticRegression(), random_state=0).fit(X, y)
    >>> abs(model.prior_ - 0.5) < 0.1
    True
    """

    _parameter_constraints = {
        **PriorFromScores._parameter_constraints,
        "bandwidth": [Interval(Real, 0, None, closed="neither")],
        "tolerance": [Interval(Real, 0, 1, closed="neither")],
        "n_resamples": [Interval(Integral, 2, None, closed="left")],
    }

    def __init__(
        self,
        classifier: Any = None,
        *,
        cv: int = 5,
        bandwidth: float = 1.0,
        tolerance: float = 0.05,
        n_resamples: int = 100,
        scenario: Literal["single-training-set", "case-control"] = "single-training-set",
        pos_label: Any = None,
        confidence: float = 0.9,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.classifier = classifier
        self.cv = cv
        self.bandwidth = bandwidth
        self.tolerance = tolerance
        self.n_resamples = n_resamples
        self.scenario = scenario
        self.pos_label = pos_label
        self.confidence = confidence
        self.random_state = random_state

    def _from_scores(
        self, labeled_scores: np.ndarray, unlabeled_scores: np.ndarray, rng: np.random.RandomState
    ) -> Estimate:
        return dedpul(
            labeled_scores,
            unlabeled_scores,
            bandwidth=self.bandwidth,
            tolerance=self.tolerance,
            n_resamples=self.n_resamples,
            confidence=self.confidence,
            random_state=rng,
        )
