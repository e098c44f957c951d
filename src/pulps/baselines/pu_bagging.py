"""PU bagging: many classifiers of the labeled rows against a few random unlabeled ones."""

from __future__ import annotations

from numbers import Integral, Real

import numpy as np
from sklearn.base import _fit_context
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions

from pulps.baselines.contract import DensePUClassifier, population_prior, unlabeled_prior
from pulps.baselines.label_model import labeled_column, seeded
from pulps.labels import SCENARIOS


class PUBaggingClassifier(DensePUClassifier):
    """Average classifiers of labeled rows against bootstrap samples of unlabeled ones.

    Each classifier takes a random sample of the unlabeled rows for negatives. It is wrong
    about the positives in it, but each sample holds other ones, and the average of many
    classifiers is not misled.

    Parameters
    ----------
    estimator : classifier or None, default=None
        Probabilistic classifier; None takes a decision tree.
    n_estimators : int, default=100
        Number of classifiers.
    sample_size : int or None, default=None
        Unlabeled rows in a sample, drawn with replacement; None takes as many as there are
        labeled rows.
    prior : float, "estimate" or None, default=None
        Share of positives in the population. It moves the threshold so that this share
        of the rows is predicted positive. None keeps one half, which is arbitrary, because
        the samples have a class balance of their own.
    scenario : {"single-training-set", "case-control"}, default="single-training-set"
        How the rows were drawn; matters only with a prior.
    pos_label : object, default=None
        The value of ``y`` that marks a labeled positive; by default the larger number.
    categorical_features : "from_dtype", list or None, default="from_dtype"
        See :class:`~pulps.encoding.TableEncoder`.
    random_state : int, RandomState or None, default=None
        Seed of samples and estimators.

    Attributes
    ----------
    classes_ : array of shape (2,)
        The value of unlabeled (negative) rows, then that of positive rows.
    estimators_ : list of classifiers
        The members.
    oob_score_samples_ : array of shape (rows,)
        For each training row the average of the members that did not take it for a
        negative: the transductive answer. Labeled rows are in every member.
    threshold_ : float
        Average above which a row is positive.

    Notes
    -----
    F. Mordelet and J.-P. Vert, *A bagging SVM to learn from positive and unlabeled
    examples*, Pattern Recognition Letters 2014. Left open there, chosen here: trees in place
    of support vector machines, probabilities are averaged, and new rows are scored by all
    members.

    Examples
    --------
    >>> from pulps.datasets import make_toy
    >>> X, y, y_true = make_toy("moons", random_state=0)
    >>> model = PUBaggingClassifier(random_state=0).fit(X, y)
    >>> float((model.predict(X) == y_true).mean()) > 0.95
    True
    """

    _parameter_constraints = {
        "estimator": [HasMethods(["fit", "predict_proba"]), None],
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "sample_size": [Interval(Integral, 1, None, closed="left"), None],
        "prior": [Interval(Real, 0, 1, closed="neither"), StrOptions({"estimate"}), None],
        "scenario": [StrOptions(set(SCENARIOS))],
        "pos_label": "no_validation",
        "categorical_features": ["array-like", StrOptions({"from_dtype"}), None],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        estimator=None,
        *,
        n_estimators=100,
        sample_size=None,
        prior=None,
        scenario="single-training-set",
        pos_label=None,
        categorical_features="from_dtype",
        random_state=None,
    ):
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.sample_size = sample_size
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
        known, unlabeled = np.flatnonzero(labeled), np.flatnonzero(~labeled)
        base = DecisionTreeClassifier() if self.estimator is None else self.estimator
        size = self.sample_size or len(known)
        self.estimators_ = []
        total, votes = np.zeros(len(labeled)), np.zeros(len(labeled))
        for _ in range(self.n_estimators):
            drawn = rng.choice(unlabeled, size)
            rows = np.concatenate([known, drawn])
            member = seeded(base, rng).fit(features[rows], labeled[rows])
            scores = labeled_column(member, features)
            out = np.ones(len(labeled), dtype=bool)
            out[drawn] = False
            total[out] += scores[out]
            votes[out] += 1
            self.estimators_.append(member)
        never_out = votes == 0
        if never_out.any():
            total[never_out] = self._average(features[never_out])
            votes[never_out] = 1
        self.oob_score_samples_ = total / votes
        self.threshold_ = 0.5
        if self.prior is not None:
            prior = population_prior(self.prior, features, labeled, self.scenario, rng)
            share = unlabeled_prior(prior, labeled, self.scenario)
            self.threshold_ = float(np.quantile(self.oob_score_samples_[~labeled], 1 - share))
        return self

    def _average(self, features) -> np.ndarray:
        return np.mean([labeled_column(member, features) for member in self.estimators_], axis=0)

    def _decide(self, features):
        return self._average(features) - self.threshold_

    def _confidence(self, decision):
        """Map averages linearly on both sides of the threshold, which becomes one half."""
        below = 0.5 + 0.5 * decision / max(self.threshold_, 1e-12)
        above = 0.5 + 0.5 * decision / max(1 - self.threshold_, 1e-12)
        return np.clip(np.where(decision > 0, above, below), 0, 1)
