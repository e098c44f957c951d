"""PU bagging: many classifiers of the labeled rows against a few random unlabeled ones."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any, Literal

import numpy as np
from joblib import Parallel, delayed
from sklearn.tree import DecisionTreeClassifier

from pulps.baselines._shared.base_learners import labeled_column, seeded
from pulps.baselines._shared.dense import DenseClassifier
from pulps.baselines._shared.tabular import PRIOR_CONSTRAINTS
from pulps.io._sklearn import HasMethods, Interval
from pulps.labels import share_among_unlabeled


class PUBaggingClassifier(DenseClassifier):
    """Average classifiers of labeled rows against bootstrap samples of unlabeled ones.

    Each classifier takes a random sample of the unlabeled rows for negatives. It is wrong
    about the positives among them, but every sample has different ones, and the average of
    many classifiers is not misled.

    Parameters
    ----------
    estimator : classifier or None, default=None
        Probabilistic classifier; None takes a decision tree that tries √columns in a node.
    n_estimators : int, default=100
        Number of classifiers.
    sample_size : int or None, default=None
        Unlabeled rows in a sample, drawn with replacement; None takes as many as there are
        labeled rows.
    prior : float, "estimate" or None, default="estimate"
        Share of positives in the population. The threshold is set so that this share of the
        rows lies above it, by ``oob_score_samples_``. None cuts at one half, which is
        arbitrary: the samples have a class balance of their own.
    scenario : {"single-training-set", "case-control"}, default="single-training-set"
        How the rows were drawn; matters only with a prior.
    pos_label : object, default=None
        The value of ``y`` that marks a labeled positive; by default the larger number.
    categorical_features : "from_dtype", list or None, default="from_dtype"
        See :class:`~pulps.tables.encoding.TableEncoder`.
    n_jobs : int or None, default=None
        Classifiers to fit at the same time; None one by one, -1 one per core. The result does not
        depend on it.
    random_state : int, RandomState or None, default=None
        Seed of samples and estimators.

    Attributes
    ----------
    classes_ : array of shape (2,)
        The value of unlabeled (negative) rows, then that of positive rows.
    estimators_ : list of classifiers
        The members.
    oob_score_samples_ : array of shape (rows,)
        For each training row the average over the classifiers that did not take it for a
        negative: the transductive answer. Every classifier has seen all labeled rows.
    threshold_ : float
        Average above which a row is positive.
    prior_ : float
        The prior that was used, if one was.

    Notes
    -----
    F. Mordelet and J.-P. Vert, *A bagging SVM to learn from positive and unlabeled
    examples*, Pattern Recognition Letters 2014. They rank rows and leave the cut open. Chosen
    here: the cut by a prior; trees in place of support vector machines, probabilities are
    averaged, and new rows are scored by all members.

    Examples
    --------
    >>> from pulps.datasets import make_toy
    >>> X, y, y_true = make_toy("moons", random_state=0)
    >>> model = PUBaggingClassifier(random_state=0).fit(X, y)
    >>> float((model.predict(X) == y_true).mean()) > 0.95
    True
    """

    _parameter_constraints = {
        **DenseClassifier._parameter_constraints,
        "estimator": [HasMethods(["fit", "predict_proba"]), None],
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "sample_size": [Interval(Integral, 1, None, closed="left"), None],
        "n_jobs": [Integral, None],
        **PRIOR_CONSTRAINTS,
        "prior": [*PRIOR_CONSTRAINTS["prior"], None],
    }

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 100,
        sample_size: int | None = None,
        prior: float | Literal["estimate"] | None = "estimate",
        scenario: Literal["single-training-set", "case-control"] = "single-training-set",
        pos_label: Any = None,
        categorical_features: Sequence[Any] | Literal["from_dtype"] | None = "from_dtype",
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.sample_size = sample_size
        self.prior = prior
        self.scenario = scenario
        self.pos_label = pos_label
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _learn(self, rows: np.ndarray, labeled: np.ndarray, rng: np.random.RandomState) -> None:
        known, unlabeled = np.flatnonzero(labeled), np.flatnonzero(~labeled)
        base = self.estimator
        if base is None:
            base = DecisionTreeClassifier(max_features="sqrt")
        size = self.sample_size or len(known)
        bags, members = [], []
        for _ in range(self.n_estimators):
            bags.append(np.concatenate([known, rng.choice(unlabeled, size)]))
            members.append(seeded(base, rng))
        work = (
            delayed(member.fit)(rows[bag], labeled[bag])
            for member, bag in zip(members, bags, strict=True)
        )
        self.estimators_ = list(Parallel(self.n_jobs, prefer="threads")(work))
        total, votes = np.zeros(len(labeled)), np.zeros(len(labeled))
        for member, bag in zip(self.estimators_, bags, strict=True):
            out = np.ones(len(labeled), dtype=bool)
            out[bag[len(known) :]] = False
            total[out] += labeled_column(member, rows[out])
            votes[out] += 1
        never_out = votes == 0
        if never_out.any():
            total[never_out] = self._average(rows[never_out])
            votes[never_out] = 1
        self.oob_score_samples_ = total / votes
        self.threshold_ = 0.5
        if self.prior is not None:
            self.prior_ = self._prior(rows, labeled, rng)
            share = share_among_unlabeled(self.prior_, labeled, self.scenario)
            self.threshold_ = float(np.quantile(self.oob_score_samples_[~labeled], 1 - share))

    def _average(self, rows: np.ndarray) -> np.ndarray:
        return np.mean([labeled_column(member, rows) for member in self.estimators_], axis=0)

    def _decide(self, rows: np.ndarray) -> np.ndarray:
        return self._average(rows) - self.threshold_

    def _probability(self, decision: np.ndarray) -> np.ndarray:
        """Map averages linearly on both sides of the threshold, which becomes one half."""
        below = 0.5 + 0.5 * decision / max(self.threshold_, 1e-12)
        above = 0.5 + 0.5 * decision / max(1 - self.threshold_, 1e-12)
        return np.clip(np.where(decision > 0, above, below), 0, 1)
