r"""Elkan and Noto: a classifier of labeled rows, divided by the label frequency.

If every positive is equally likely to be labeled (SCAR), the probability that a row is
labeled is :math:`f(x) = P(s = 1 \mid x) = c \, P(y = 1 \mid x)` with the label frequency
:math:`c = P(s = 1 \mid y = 1)`. So a classifier of labeled against unlabeled rows and one
number are enough.
"""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any, Literal

import numpy as np
from sklearn.utils.validation import has_fit_parameter

from pulps.baselines._shared.base_learners import (
    cross_validates,
    default_forest,
    labeled_column,
    seeded,
)
from pulps.baselines._shared.dense import DenseClassifier
from pulps.baselines._shared.tabular import PRIOR_CONSTRAINTS
from pulps.io._sklearn import HasMethods, Interval, StrOptions
from pulps.labels import share_among_unlabeled
from pulps.priors.elkan_noto import TINY, label_share_of_scores
from pulps.priors.label_share import label_share
from pulps.priors.scores import held_out_scores


class ElkanNotoClassifier(DenseClassifier):
    r"""Elkan and Noto's classifier, plain or weighted, around any probabilistic classifier.

    *Plain*: :math:`P(y = 1 \mid x) = f(x) / c`. *Weighted*: a second classifier is fitted in
    which every labeled row is positive and every unlabeled row occurs twice, as positive
    with weight :math:`w(x) = \frac{1 - c}{c} \frac{f(x)}{1 - f(x)}` and as negative with
    weight :math:`1 - w(x)`. An estimator that cross-validates inside, such as
    ``CalibratedClassifierCV`` or ``SVC(probability=True)``, would score one copy by what the other
    one taught it; it is given every row once, positive with chance :math:`w(x)`.

    Parameters
    ----------
    estimator : classifier or None, default=None
        Probabilistic classifier; None takes a forest of 100 extra-trees with at least five
        rows per leaf. The formula needs probabilities: wrap a classifier that has none in
        scikit-learn's ``CalibratedClassifierCV``.
    weighted : bool, default=False
        Whether to fit the second, weighted classifier. One that takes no ``sample_weight``, or
        splits its rows itself, sees every unlabeled row once, as a class drawn by its weight.
    label_frequency : {"mean", "ratio", "max"}, default="mean"
        How c is estimated from held-out values: their mean over the labeled rows
        (:math:`e_1`), their sum over the labeled rows divided by their sum over all
        (:math:`e_2`), or their largest one (:math:`e_3`).
    cv : int, default=5
        Folds of the cross-validation that gives held-out values.
    prior : float or "estimate", default="estimate"
        Share of positives in the population; if given, c follows from it.
    scenario : {"single-training-set", "case-control"}, default="single-training-set"
        How the rows were drawn.
    pos_label : object, default=None
        The value of ``y`` that marks a labeled positive; by default the larger number.
    categorical_features : "from_dtype", list or None, default="from_dtype"
        See :class:`~pulps.tables.encoding.TableEncoder`.
    random_state : int, RandomState or None, default=None
        Seed of estimators and folds.

    Attributes
    ----------
    classes_ : array of shape (2,)
        The value of unlabeled (negative) rows, then that of positive rows.
    label_frequency_ : float
        The estimate of c.
    label_classifier_ : classifier
        The classifier of labeled rows, fitted on all rows.
    weighted_classifier_ : classifier
        The second classifier, if ``weighted``.

    Notes
    -----
    C. Elkan and K. Noto, *Learning classifiers from only positive and unlabeled data*, KDD
    2008. Left open there, chosen here: the classifier; held-out values come from
    cross-validation instead of one hold-out set, so that a small table cannot leave the
    hold-out without labels; weights are computed from held-out values and clipped to [0, 1].
    The paper treats a single training set. In case-control data the unlabeled rows are the
    population, and :math:`P(y = 1 \mid x)` is the ratio of the odds :math:`f / (1 - f)` to
    the odds :math:`c / (1 - c)` of a sure positive; the weighted classifier then leaves the
    labeled rows, which are no part of the population, out.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from pulps.datasets import make_toy
    >>> X, y, y_true = make_toy("blobs", random_state=0)
    >>> model = ElkanNotoClassifier(LogisticRegression()).fit(X, y)
    >>> float((model.predict(X) == y_true).mean()) > 0.95
    True
    """

    _parameter_constraints = {
        **DenseClassifier._parameter_constraints,
        **PRIOR_CONSTRAINTS,
        "estimator": [HasMethods(["fit", "predict_proba"]), None],
        "weighted": ["boolean"],
        "label_frequency": [StrOptions({"mean", "ratio", "max"})],
        "cv": [Interval(Integral, 2, None, closed="left")],
    }

    def __init__(
        self,
        estimator: Any = None,
        *,
        weighted: bool = False,
        label_frequency: Literal["mean", "max", "ratio"] = "mean",
        cv: int = 5,
        prior: float | Literal["estimate"] = "estimate",
        scenario: Literal["single-training-set", "case-control"] = "single-training-set",
        pos_label: Any = None,
        categorical_features: Sequence[Any] | Literal["from_dtype"] | None = "from_dtype",
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.estimator = estimator
        self.weighted = weighted
        self.label_frequency = label_frequency
        self.cv = cv
        self.prior = prior
        self.scenario = scenario
        self.pos_label = pos_label
        self.categorical_features = categorical_features
        self.random_state = random_state

    def _learn(self, rows: np.ndarray, labeled: np.ndarray, rng: np.random.RandomState) -> None:
        n_labeled, n_unlabeled = int(labeled.sum()), int((~labeled).sum())
        if min(n_labeled, n_unlabeled) < 2:
            raise ValueError(
                f"y has {n_labeled} labeled and {n_unlabeled} unlabeled rows; cross-validation "
                "needs at least 2 of each. Label more positives, or add unlabeled rows."
            )
        classifier = seeded(default_forest() if self.estimator is None else self.estimator, rng)
        self.label_classifier_ = classifier.fit(rows, labeled)
        held_out = held_out_scores(
            rows, labeled, classifier=classifier, cv=self.cv, scenario=self.scenario, rng=rng
        )
        if isinstance(self.prior, str):
            found = label_share_of_scores(held_out, labeled, self.label_frequency)
            self.label_frequency_ = float(np.clip(found, TINY, 1.0))
        else:
            share = share_among_unlabeled(self.prior, labeled, self.scenario)
            self.label_frequency_ = label_share(
                share, n_labeled=n_labeled, n_unlabeled=n_unlabeled
            )
        if self.weighted:
            self.weighted_classifier_ = self._fit_weighted(rows, labeled, held_out, rng)

    def _fit_weighted(
        self,
        rows: np.ndarray,
        labeled: np.ndarray,
        held_out: np.ndarray,
        rng: np.random.RandomState,
    ) -> Any:
        unlabeled = rows[~labeled]
        weights = hidden_positive_weights(held_out[~labeled], self.label_frequency_)
        known = rows[labeled] if self.scenario == "single-training-set" else rows[:0]
        n_known, n_unlabeled = len(known), len(unlabeled)
        estimator = seeded(default_forest() if self.estimator is None else self.estimator, rng)
        if cross_validates(estimator) or not has_fit_parameter(estimator, "sample_weight"):
            once = np.concatenate([known, unlabeled])
            drawn = drawn_positives(weights, rng)
            return estimator.fit(once, np.concatenate([np.ones(n_known, bool), drawn]))
        twice = np.concatenate([known, unlabeled, unlabeled])
        positive = np.repeat([True, False], [n_known + n_unlabeled, n_unlabeled])
        mass = np.maximum(np.concatenate([np.ones(n_known), weights, 1 - weights]), TINY)
        return estimator.fit(twice, positive, sample_weight=mass)

    def _decide(self, rows: np.ndarray) -> np.ndarray:
        if self.weighted:
            return labeled_column(self.weighted_classifier_, rows) - 0.5
        f, c = labeled_column(self.label_classifier_, rows), self.label_frequency_
        if self.scenario == "case-control":
            return hidden_positive_weights(f, c, clip=False) - 0.5
        return f / c - 0.5


def hidden_positive_weights(f: np.ndarray, c: float, *, clip: bool = True) -> np.ndarray:
    """Probability that an *unlabeled* row is positive, from its probability to be labeled.

    Parameters
    ----------
    f
        Probability of each row to be labeled.
    c
        Label frequency: probability of a positive row to be labeled.
    clip
        Whether to bring estimates above one back to it.

    Returns
    -------
    array
        One probability per row.

    Examples
    --------
    >>> hidden_positive_weights(np.array([0.0, 0.2, 0.4]), 0.4).round(3)
    array([0.   , 0.375, 1.   ])
    """
    weights = (1 - c) / c * f / np.maximum(1 - f, TINY)
    return np.clip(weights, 0, 1) if clip else weights


def drawn_positives(weights: np.ndarray, rng: np.random.RandomState) -> np.ndarray:
    """Draw which rows count as positive, each with the chance that its weight says.

    Draws are spread evenly over rows in the order of their weights, so that every stretch of
    that order has as many positives as its weights add up to, but for one.

    Parameters
    ----------
    weights
        Chance of each row, from 0 to 1.
    rng
        Source of randomness.

    Returns
    -------
    array
        Boolean, True for a row that counts as positive.

    Examples
    --------
    >>> int(drawn_positives(np.array([0.0, 1.0, 0.5, 0.5]), np.random.RandomState(0)).sum())
    2
    """
    order = np.argsort(weights, kind="stable")
    marks = np.floor(np.cumsum(weights[order]) + rng.uniform())
    drawn = np.empty(len(weights), dtype=bool)
    drawn[order] = np.diff(marks, prepend=0.0) > 0
    return drawn
