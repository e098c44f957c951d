r"""Three estimates from the same scores, and their mean.

Best bin estimation (:mod:`pulps.priors.bbe`), the ratio of densities (:mod:`pulps.priors.dedpul`)
and a mixture err in different ways, and their mean errs less than each. The mixture: on normal
scores the unlabeled rows are :math:`\pi_U \, N(\mu_L, \sigma_L) + (1 - \pi_U) \, N(\mu, \sigma)`,
the first normal fixed to the labeled rows, the second found with :math:`\pi_U` by expectation and
maximization.

The interval holds the three estimates on resampled rows. Where classes overlap all three are upper
bounds, so its lower end is moved down.
"""

from __future__ import annotations

import math
from numbers import Integral
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, logit
from sklearn.utils import check_random_state

from pulps.io._sklearn import Interval
from pulps.priors.bbe import bbe_share
from pulps.priors.dedpul import dedpul_share
from pulps.priors.estimator import Estimate, PriorFromScores
from pulps.priors.scores import check_scores

N_RESAMPLES = 20
BLUR = 0.1  # of labeled scores when they are resampled, in units of the unlabeled rows' deviation
LOWER = 0.5  # how far the lower end is moved, in log-odds
OVERLAP, APART = 6.0, 0.9  # and how much further, per area between the classes short of apart
ANCHOR, TRUST = 0.5, 0.2  # where an uncertain share is drawn to, and how uncertain is half-way
RARE = 0.2  # below this share, the least estimates are heard
SURELY = 2.0  # standard errors by which a cut must be pure
FEWEST = 3  # labeled rows above a cut
N_STEPS = 200
SMALLEST = 0.05  # deviation of a normal, in the same units


def mixture_share(labeled_scores: np.ndarray, unlabeled_scores: np.ndarray) -> float:
    """Estimate the share of positives among unlabeled rows by a mixture of two normals.

    Parameters
    ----------
    labeled_scores, unlabeled_scores
        Scores that are near to normal within a class.

    Returns
    -------
    float
        The share.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> labeled = rng.normal(2, 1, 500)
    >>> unlabeled = np.r_[rng.normal(2, 1, 300), rng.normal(-2, 1, 700)]
    >>> abs(mixture_share(labeled, unlabeled) - 0.3) < 0.05
    True
    """
    smallest = SMALLEST * (unlabeled_scores.std() or 1.0)
    mean, deviation = labeled_scores.mean(), max(labeled_scores.std(), smallest)
    as_labeled = _normal(unlabeled_scores, mean, deviation)
    share = 0.5
    other = np.quantile(unlabeled_scores, 0.25), max(unlabeled_scores.std(), smallest)
    for _ in range(N_STEPS):
        first = share * as_labeled
        second = (1 - share) * _normal(unlabeled_scores, *other)
        positive = first / np.maximum(first + second, np.finfo(float).tiny)
        before, share = share, float(positive.mean())
        rest = 1 - positive
        mass = rest.sum()
        if mass < 1e-9 * len(rest):
            return 1.0
        centre = (rest @ unlabeled_scores) / mass
        spread = np.sqrt(rest @ (unlabeled_scores - centre) ** 2 / mass)
        other = min(centre, mean), max(spread, smallest)
        if abs(share - before) < 1e-6:
            break
    return share


def _normal(scores: np.ndarray, mean: float, deviation: float) -> np.ndarray:
    return np.exp(-0.5 * ((scores - mean) / deviation) ** 2) / deviation


def three_shares(labeled_scores: np.ndarray, unlabeled_scores: np.ndarray) -> np.ndarray:
    """Estimate the share of positives among unlabeled rows in three ways.

    Parameters
    ----------
    labeled_scores, unlabeled_scores
        Scores by models that have not seen the row.

    Returns
    -------
    array of shape (3,)
        By best bin, ratio of densities and mixture.
    """
    return np.array(
        [
            bbe_share(labeled_scores, unlabeled_scores),
            dedpul_share(labeled_scores, unlabeled_scores),
            mixture_share(labeled_scores, unlabeled_scores),
        ]
    )


def purest_share(labeled_scores: np.ndarray, unlabeled_scores: np.ndarray) -> float:
    """Estimate the share of positives among unlabeled rows from the rows scored highest.

    Every cut bounds it by the share of unlabeled rows above over that of labeled rows above. The
    cut is the one with the least bound, two standard errors of its logarithm added.

    Parameters
    ----------
    labeled_scores, unlabeled_scores
        Scores by models that have not seen the row.

    Returns
    -------
    float
        The share, without the standard errors.

    Examples
    --------
    >>> labeled = np.r_[np.full(60, 2.0), np.full(40, 0.0)]
    >>> unlabeled = np.r_[np.full(30, 2.0), np.full(4970, 0.0)]
    >>> round(purest_share(labeled, unlabeled), 3)
    0.01
    """
    cuts, n_labeled, n_unlabeled = (
        np.sort(labeled_scores),
        len(labeled_scores),
        len(unlabeled_scores),
    )
    above = np.arange(n_labeled, 0, -1.0)
    unlabeled_above = n_unlabeled - np.searchsorted(np.sort(unlabeled_scores), cuts)
    unlabeled_above = np.maximum(unlabeled_above, 0.5)
    bounds = (unlabeled_above / n_unlabeled) / (above / n_labeled)
    errors = 1 / unlabeled_above - 1 / n_unlabeled + 1 / above - 1 / n_labeled
    surely = np.log(bounds) + SURELY * np.sqrt(np.maximum(errors, 0))
    surely[above < min(FEWEST, n_labeled)] = np.inf
    surely[1:][cuts[1:] == cuts[:-1]] = np.inf  # of equal scores all are above
    return float(min(1.0, bounds[surely.argmin()]))


def three_way(
    labeled_scores: ArrayLike,
    unlabeled_scores: ArrayLike,
    *,
    n_resamples: int = N_RESAMPLES,
    confidence: float = 0.9,
    random_state: int | np.random.RandomState | None = None,
) -> Estimate:
    r"""Estimate the share of positives among unlabeled rows in three ways, on resampled rows.

    The estimate is the mean over resamples and ways, of square roots, because large errors are
    upwards. Where the estimates disagree, with a standard deviation *s*, it is drawn towards one
    half, or towards its double if that is less, by :math:`s^2 / (s^2 + \tau^2)`, as the mean of a
    normal posterior would be; ``pull`` among the diagnostics says how far. Where positives are
    rare a few negatives among the best rows make all three too large. Then the least of them and
    :func:`purest_share`, which looks at the very best rows, are nearest: their geometric mean
    replaces a share *p* below .2, all but :math:`(p / .2)^3` of it.

    All ways take what is scored like labeled rows for positive, so they bound the share from
    above; how far it lies below, scores do not tell. Therefore the lower end of the interval is
    moved down, the further the less the labeled rows are scored apart from the unlabeled ones.

    Parameters
    ----------
    labeled_scores, unlabeled_scores : array-like
        Larger means more positive, by a model that has not seen the row.
    n_resamples : int
        Resamples of the rows.
    confidence : float
        Level of the interval.
    random_state : int, RandomState or None
        Seed of the resamples.

    Returns
    -------
    Estimate
        Its diagnostics: ``best_bin``, ``density_ratio`` and ``mixture``, each averaged over
        resamples; ``draws``, all of them, shape (resamples, 3); ``pull``.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> labeled = rng.normal(3, 1, 500)
    >>> unlabeled = np.r_[rng.normal(3, 1, 300), rng.normal(-3, 1, 700)]
    >>> abs(three_way(labeled, unlabeled, random_state=0).prior_of_unlabeled - 0.3) < 0.05
    True
    """
    labeled, unlabeled = check_scores(labeled_scores, unlabeled_scores)
    rng = check_random_state(random_state)
    blur = BLUR * unlabeled.std()
    draws = np.array(
        [
            three_shares(
                rng.choice(labeled, len(labeled)) + rng.normal(0, blur, len(labeled)),
                rng.choice(unlabeled, len(unlabeled)),
            )
            for _ in range(n_resamples)
        ]
    )
    mean, spread = np.sqrt(draws).mean() ** 2, draws.std()
    pull = spread**2 / (spread**2 + TRUST**2)
    share = float((1 - pull) * mean + pull * min(ANCHOR, 2 * mean))
    common = min(1.0, share / RARE) ** 3
    least = math.sqrt(draws.mean(axis=0).min() * purest_share(labeled, unlabeled))
    share = common * share + (1 - common) * least
    low, high = np.quantile(draws, [(1 - confidence) / 2, (1 + confidence) / 2])
    in_order = np.sort(unlabeled)
    below = np.searchsorted(in_order, labeled) + np.searchsorted(in_order, labeled, "right")
    area = float(below.mean()) / 2 / len(unlabeled)
    moved = LOWER + OVERLAP * max(0.0, APART - area)
    low = expit(logit(np.clip(low, 1e-6, 1 - 1e-6)) - moved)
    best_bin, density_ratio, mixture = draws.mean(axis=0).tolist()
    return Estimate(
        share,
        (float(min(low, share)), float(max(high, share))),
        {
            "best_bin": best_bin,
            "density_ratio": density_ratio,
            "mixture": mixture,
            "draws": draws,
            "pull": float(pull),
        },
    )


class ThreeWay(PriorFromScores):
    """Estimate the share of positives in three ways from held-out scores, and average.

    The smallest error of all estimators here on the development tables; see
    :mod:`pulps.priors.three_way`.

    Parameters
    ----------
    classifier : classifier with ``predict_proba`` or None, default=None
        Tells labeled from unlabeled rows. It sees X as you pass it. None takes a forest
        of random trees, for any table.
    cv : int, default=5
        Folds of the cross-validation that scores each row by a classifier of other rows.
    n_resamples : int, default=20
        Resamples of the scores.
    scenario : {"single-training-set", "case-control"}, default="single-training-set"
        How the rows were drawn; decides what ``prior_`` and ``label_frequency_`` are. In
        case-control, equal rows of the two samples share a fold.
    pos_label : object, default=None
        The value of ``y`` that marks a labeled positive; by default the larger number.
    confidence : float, default=0.9
        Level of ``interval_``.
    random_state : int, RandomState or None, default=None
        Seed of folds, forest and resamples.

    Attributes
    ----------
    prior_ : float
        Share of positives in the population.
    prior_of_unlabeled_ : float
        Share of positives among the unlabeled rows.
    label_frequency_ : float
        Chance of a positive to be labeled; NaN in case-control.
    interval_ : (float, float)
        For ``prior_of_unlabeled_``: quantiles of the estimates on resampled rows, the lower
        end moved down.
    diagnostics_ : dict
        Counts of rows, and what :func:`three_way` tells.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y_true = make_blobs(300, centers=[[0, 0], [6, 6]], random_state=0)
    >>> y = np.where(np.arange(300) % 2 == 0, y_true, 0)
    >>> model = ThreeWay(LogisticRegression(), random_state=0).fit(X, y)
    >>> abs(model.prior_ - 0.5) < 0.1
    True
    """

    _parameter_constraints = {
        **PriorFromScores._parameter_constraints,
        "n_resamples": [Interval(Integral, 2, None, closed="left")],
    }

    def __init__(
        self,
        classifier: Any = None,
        *,
        cv: int = 5,
        n_resamples: int = N_RESAMPLES,
        scenario: Literal["single-training-set", "case-control"] = "single-training-set",
        pos_label: Any = None,
        confidence: float = 0.9,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.classifier = classifier
        self.cv = cv
        self.n_resamples = n_resamples
        self.scenario = scenario
        self.pos_label = pos_label
        self.confidence = confidence
        self.random_state = random_state

    def _from_scores(
        self, labeled_scores: np.ndarray, unlabeled_scores: np.ndarray, rng: np.random.RandomState
    ) -> Estimate:
        return three_way(
            labeled_scores,
            unlabeled_scores,
            n_resamples=self.n_resamples,
            confidence=self.confidence,
            random_state=rng,
        )
