r"""Elkan and Noto: a classifier of labeled rows, divided by the label frequency.

If every positive is equally likely to be labeled (SCAR), the probability that a row is
labeled is :math:`f(x) = P(s = 1 \mid x) = c \, P(y = 1 \mid x)` with the label frequency
:math:`c = P(s = 1 \mid y = 1)`. So a classifier of labeled against unlabeled rows and one
number are enough.
"""

from __future__ import annotations

from numbers import Integral, Real

import numpy as np
from sklearn.base import _fit_context
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions

from pulps.baselines.contract import DensePUClassifier, population_prior
from pulps.baselines.label_model import (
    default_forest,
    fit_label_model,
    labeled_column,
    seeded,
)
from pulps.labels import SCENARIOS

TINY = 1e-12


class ElkanNotoClassifier(DensePUClassifier):
    r"""Elkan and Noto's classifier, plain or weighted, around any probabilistic classifier.

    *Plain*: :math:`P(y = 1 \mid x) = f(x) / c`. *Weighted*: a second classifier is fitted in
    which every labeled row is positive and every unlabeled row occurs twice, as positive
    with weight :math:`w(x) = \frac{1 - c}{c} \frac{f(x)}{1 - f(x)}` and as negative with
    weight :math:`1 - w(x)`.

    Parameters
    ----------
    estimator : classifier or None, default=None
        Probabilistic classifier; None takes a random forest of 200 trees with at least two
        rows a leaf.
    weighted : bool, default=False
        Whether to fit the second, weighted classifier.
    calibration : {"sigmoid", "isotonic"} or None, default="sigmoid"
        How held-out values of the classifier are turned into probabilities.
    label_frequency : {"mean", "ratio", "max"}, default="mean"
        How c is estimated from held-out values: their mean over the labeled rows
        (:math:`e_1`), their sum over the labeled rows divided by their sum over all
        (:math:`e_2`), or their largest one (:math:`e_3`).
    n_folds : int, default=5
        Folds that give held-out values, if the estimator keeps no out-of-bag ones.
    prior : float or "estimate", default="estimate"
        Share of positives in the population; if given, c follows from it.
    scenario : {"single-training-set", "case-control"}, default="single-training-set"
        How the rows were drawn.
    pos_label : object, default=None
        The value of ``y`` that marks a labeled positive; by default the larger number.
    categorical_features : "from_dtype", list or None, default="from_dtype"
        See :class:`~pulps.encoding.TableEncoder`.
    random_state : int, RandomState or None, default=None
        Seed of estimators and folds.

    Attributes
    ----------
    classes_ : array of shape (2,)
        The value of unlabeled (negative) rows, then that of positive rows.
    label_frequency_ : float
        The estimate of c.
    label_model_ : LabelModel
        The classifier of labeled rows.
    weighted_classifier_ : classifier
        The second classifier, if ``weighted``.

    Notes
    -----
    C. Elkan and K. Noto, *Learning classifiers from only positive and unlabeled data*, KDD
    2008. Left open there, chosen here: held-out values come from out-of-bag trees or from
    cross-validation instead of one hold-out set, so that no labeled row is lost and a small
    table cannot leave the hold-out without labels; they are calibrated, because the formula
    needs probabilities; weights are computed from held-out values and clipped to [0, 1].
    The paper treats a single training set. In case-control data the unlabeled rows are the
    population, and :math:`P(y = 1 \mid x)` is the ratio of the odds :math:`f / (1 - f)` to
    the odds :math:`c / (1 - c)` of a sure positive; the weighted classifier then leaves the
    labeled rows, which are no part of the population, out.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from pulps.datasets import make_toy
    >>> X, y, y_true = make_toy("blobs", random_state=0)
    >>> model = ElkanNotoClassifier(LogisticRegression(), calibration=None).fit(X, y)
    >>> float((model.predict(X) == y_true).mean()) > 0.98
    True
    """

    _parameter_constraints = {
        "estimator": [HasMethods(["fit", "predict_proba"]), None],
        "weighted": ["boolean"],
        "calibration": [StrOptions({"sigmoid", "isotonic"}), None],
        "label_frequency": [StrOptions({"mean", "ratio", "max"})],
        "n_folds": [Interval(Integral, 2, None, closed="left")],
        "prior": [Interval(Real, 0, 1, closed="neither"), StrOptions({"estimate"})],
        "scenario": [StrOptions(set(SCENARIOS))],
        "pos_label": "no_validation",
        "categorical_features": ["array-like", StrOptions({"from_dtype"}), None],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        estimator=None,
        *,
        weighted=False,
        calibration="sigmoid",
        label_frequency="mean",
        n_folds=5,
        prior="estimate",
        scenario="single-training-set",
        pos_label=None,
        categorical_features="from_dtype",
        random_state=None,
    ):
        self.estimator = estimator
        self.weighted = weighted
        self.calibration = calibration
        self.label_frequency = label_frequency
        self.n_folds = n_folds
        self.prior = prior
        self.scenario = scenario
        self.pos_label = pos_label
        self.categorical_features = categorical_features
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y):
        """Learn from labeled positives (1) and unlabeled rows (0)."""
        features, labeled = self._read(X, y)
        rng = check_random_state(self.random_state)
        self.label_model_ = fit_label_model(
            self.estimator,
            features,
            labeled,
            calibration=self.calibration,
            n_folds=self.n_folds,
            rng=rng,
        )
        self.label_frequency_ = self._frequency(features, labeled)
        if self.weighted:
            self.weighted_classifier_ = self._fit_weighted(features, labeled, rng)
        return self

    def _frequency(self, features, labeled) -> float:
        """Probability that a positive row of the training set is labeled."""
        if not isinstance(self.prior, str):
            prior = population_prior(self.prior, features, labeled, self.scenario, None)
            n_labeled = int(labeled.sum())
            if self.scenario == "case-control":
                return n_labeled / (n_labeled + prior * (~labeled).sum())
            return n_labeled / (prior * len(labeled))
        return label_frequency(self.label_model_.held_out, labeled, self.label_frequency)

    def _fit_weighted(self, features, labeled, rng):
        unlabeled = features[~labeled]
        held_out = self.label_model_.held_out[~labeled]
        weights = hidden_positive_weights(held_out, self.label_frequency_)
        known = features[labeled] if self.scenario == "single-training-set" else features[:0]
        n_known, n_unlabeled = len(known), len(unlabeled)
        rows = np.concatenate([known, unlabeled, unlabeled])
        positive = np.repeat([True, False], [n_known + n_unlabeled, n_unlabeled])
        mass = np.concatenate([np.ones(n_known), weights, 1 - weights])
        estimator = default_forest(oob_score=False) if self.estimator is None else self.estimator
        used = mass > 0
        if len({*positive[used].tolist()}) < 2:
            used[:] = True
            mass = np.maximum(mass, TINY)
        return seeded(estimator, rng).fit(rows[used], positive[used], sample_weight=mass[used])

    def _decide(self, features):
        if self.weighted:
            return labeled_column(self.weighted_classifier_, features) - 0.5
        f, c = self.label_model_.probability(features), self.label_frequency_
        if self.scenario == "case-control":
            return hidden_positive_weights(f, c, clip=False) - 0.5
        return f / c - 0.5


def label_frequency(held_out: np.ndarray, labeled: np.ndarray, estimator: str = "mean") -> float:
    """Estimate c = P(s = 1 | y = 1) from held-out values of P(s = 1 | x).

    >>> f, labeled = np.array([0.4, 0.2, 0.1, 0.1]), np.array([True, True, False, False])
    >>> [round(label_frequency(f, labeled, name), 2) for name in ("mean", "ratio", "max")]
    [0.3, 0.75, 0.4]
    """
    if estimator == "ratio":
        found = held_out[labeled].sum() / max(held_out.sum(), TINY)
    elif estimator == "max":
        found = held_out.max()
    else:
        found = held_out[labeled].mean()
    return float(np.clip(found, TINY, 1.0))


def hidden_positive_weights(f: np.ndarray, c: float, *, clip: bool = True) -> np.ndarray:
    """Probability that an *unlabeled* row is positive, from its probability to be labeled.

    >>> hidden_positive_weights(np.array([0.0, 0.2, 0.4]), 0.4).round(3)
    array([0.   , 0.375, 1.   ])
    """
    weights = (1 - c) / c * f / np.maximum(1 - f, TINY)
    return np.clip(weights, 0, 1) if clip else weights
