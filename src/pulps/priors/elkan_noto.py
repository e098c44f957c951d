r"""Elkan and Noto (2008): the mean score of labeled rows is the labeled share of positives.

A classifier that tells labeled from unlabeled rows estimates :math:`g(x)`, the chance of a
row of this table to be labeled. Where there are only positives, :math:`g(x) = c`, the share of
the table's positives that is labeled (:mod:`pulps.priors.label_share` derives it for both
scenarios). If the classes do not overlap, that is so for every labeled row, and the mean of
*g* over labeled rows the classifier has not seen estimates *c*: their estimator e1.

Where classes overlap, :math:`g(x) = c \, P(y = 1 \mid x) < c`. The mean is then too small, and
the share of positives found is **too large**.

C. Elkan and K. Noto, *Learning classifiers from only positive and unlabeled data*, KDD 2008.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from pulps.priors.estimator import Estimate, PriorFromScores
from pulps.priors.intervals import interval_around
from pulps.priors.label_share import prior_from_label_share
from pulps.priors.scores import check_scores

TINY = 1e-12


def elkan_noto(
    labeled_scores: ArrayLike, unlabeled_scores: ArrayLike, *, confidence: float = 0.9
) -> Estimate:
    r"""Estimate the share of positives among unlabeled rows from held-out probabilities.

    With :math:`\hat c` the mean labeled score, the answer is
    :math:`\hat\pi_U = (n_L / n_U) (1 - \hat c) / \hat c`, in either scenario. The interval
    is normal; its variance is that of the mean score (by the delta method) plus
    :math:`\hat\pi_U (1 - \hat\pi_U) / n_U`, for the chance that brought so many positives
    among the unlabeled rows. The classifier's own randomness is not in it.

    Parameters
    ----------
    labeled_scores : array-like
        Probability of each labeled row to be *labeled*, by a classifier that has not seen it.
        The classifier must have been trained with labeled and unlabeled rows in the
        proportion of the scores here, without balanced class weights.
    unlabeled_scores : array-like
        The same for the unlabeled rows. Only their number and their mean, which is a
        diagnostic, are used.
    confidence : float
        Level of the interval.

    Returns
    -------
    Estimate
        Its diagnostics: ``label_share`` (ĉ) and the ``mean_unlabeled_score``.

    Examples
    --------
    >>> elkan_noto([0.5, 0.5], [0.5, 0.5, 0.0, 0.0]).prior_of_unlabeled
    0.5
    """
    labeled_scores, unlabeled_scores = check_scores(
        labeled_scores, unlabeled_scores, probabilities=True
    )
    n_labeled, n_unlabeled = len(labeled_scores), len(unlabeled_scores)
    share = float(labeled_scores.mean())
    estimate = prior_from_label_share(share, n_labeled=n_labeled, n_unlabeled=n_unlabeled)
    variance = estimate * (1 - estimate) / n_unlabeled
    if share > 0:
        steepness = n_labeled / n_unlabeled / share**2
        variance += steepness**2 * float(labeled_scores.var(ddof=1)) / n_labeled
    diagnostics = {
        "label_share": share,
        "mean_unlabeled_score": float(unlabeled_scores.mean()),
    }
    return Estimate(estimate, interval_around(estimate, variance**0.5, confidence), diagnostics)


def label_share_of_scores(
    scores: np.ndarray, labeled: np.ndarray, estimator: str = "mean"
) -> float:
    """Estimate the share of positives that is labeled, *c*, from held-out probabilities.

    Parameters
    ----------
    scores
        Probability of each row to be labeled, by a classifier that has not seen the row.
    labeled
        Boolean, True for a labeled row.
    estimator
        ``"mean"`` of the labeled rows (Elkan and Noto's e1); ``"ratio"`` of the sum over the
        labeled rows to the sum over all (e2); ``"max"``, the largest of all (e3).

    Returns
    -------
    float
        Zero if all labeled rows have probability zero.

    Examples
    --------
    >>> f, labeled = np.array([0.4, 0.2, 0.1, 0.1]), np.array([True, True, False, False])
    >>> [round(label_share_of_scores(f, labeled, name), 2) for name in ("mean", "ratio", "max")]
    [0.3, 0.75, 0.4]
    """
    if estimator == "ratio":
        return float(scores[labeled].sum() / max(scores.sum(), TINY))
    return float(scores.max() if estimator == "max" else scores[labeled].mean())


class ElkanNoto(PriorFromScores):
    """Estimate the share of positives from the mean score of held-out labeled rows.

    Too large if the classes overlap; see :mod:`pulps.priors.elkan_noto`.

    Parameters
    ----------
    classifier : classifier with ``predict_proba`` or None, default=None
        Tells labeled from unlabeled rows; its probabilities should be calibrated. It sees X
        as you pass it. None takes a forest of random trees, for any table.
    cv : int, default=5
        Folds of the cross-validation that scores each row by a classifier of other rows.
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
        For ``prior_of_unlabeled_``: normal, by the delta method; see :func:`elkan_noto`.
    diagnostics_ : dict
        Counts of rows, and what :func:`elkan_noto` tells.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y_true = make_blobs(300, centers=[[0, 0], [6, 6]], random_state=0)
    >>> y = y_true.copy()
    >>> y[::2] = 0
    >>> ElkanNoto(LogisticRegression(), random_state=0).fit(X, y).prior_ > 0.4
    True
    """

    def __init__(
        self,
        classifier: Any = None,
        *,
        cv: int = 5,
        scenario: Literal["single-training-set", "case-control"] = "single-training-set",
        pos_label: Any = None,
        confidence: float = 0.9,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.classifier = classifier
        self.cv = cv
        self.scenario = scenario
        self.pos_label = pos_label
        self.confidence = confidence
        self.random_state = random_state

    def _from_scores(
        self, labeled_scores: np.ndarray, unlabeled_scores: np.ndarray, rng: np.random.RandomState
    ) -> Estimate:
        return elkan_noto(labeled_scores, unlabeled_scores, confidence=self.confidence)
