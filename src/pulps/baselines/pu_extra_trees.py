"""PU extra-trees: randomized trees that descend a PU risk themselves."""

from __future__ import annotations

import math
from numbers import Integral, Real

import numpy as np
from sklearn.base import _fit_context
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions

from pulps.baselines.contract import DensePUClassifier, population_prior, population_rows
from pulps.baselines.risk_tree import grow_tree
from pulps.labels import SCENARIOS


class PUExtraTreesClassifier(DensePUClassifier):
    """Extremely randomized trees whose splits minimize a PU risk (PUET).

    Parameters
    ----------
    n_estimators : int, default=100
        Number of trees.
    risk : {"nnpu", "upu"}, default="nnpu"
        Non-negative or unbiased risk.
    loss : {"quadratic", "logistic"}, default="quadratic"
        Loss of the risk; they correspond to Gini and entropy.
    max_features : int, "sqrt" or None, default="sqrt"
        Columns tried in a node; None tries all.
    max_depth : int or None, default=None
        Largest depth.
    min_samples_leaf : int, default=1
        Nodes of at most so many rows are not split.
    prior : float or "estimate", default="estimate"
        Share of positives in the population.
    scenario : {"single-training-set", "case-control"}, default="single-training-set"
        How the rows were drawn.
    pos_label : object, default=None
        The value of ``y`` that marks a labeled positive; by default the larger number.
    categorical_features : "from_dtype", list or None, default="from_dtype"
        See :class:`~pulps.encoding.TableEncoder`.
    random_state : int, RandomState or None, default=None
        Seed of the trees and of the estimate of the prior.

    Attributes
    ----------
    classes_ : array of shape (2,)
        The value of unlabeled (negative) rows, then that of positive rows.
    prior_ : float
        The prior that was used.
    trees_ : list of Tree
        The trees, as arrays.

    Notes
    -----
    J. Wilton, A. M. Y. Koay, R. Ko, M. Xu and N. Ye, *Positive-unlabeled learning using random
    forests via recursive greedy risk minimization*, NeurIPS 2022. As there, every tree sees
    all rows and votes; confidences are shares of votes, and a leaf at exactly one half gives
    half a vote where the authors toss a coin. Chosen here: cuts are uniform between the
    smallest and the largest value in the node; in a single training set the population is
    all rows, with their prior.

    Examples
    --------
    >>> from pulps.datasets import make_toy
    >>> X, y, y_true = make_toy("moons", random_state=0)
    >>> model = PUExtraTreesClassifier(n_estimators=50, prior=0.5, random_state=0).fit(X, y)
    >>> float((model.predict(X) == y_true).mean()) > 0.9
    True
    """

    _parameter_constraints = {
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "risk": [StrOptions({"nnpu", "upu"})],
        "loss": [StrOptions({"quadratic", "logistic"})],
        "max_features": [
            Interval(Integral, 1, None, closed="left"),
            StrOptions({"sqrt"}),
            None,
        ],
        "max_depth": [Interval(Integral, 1, None, closed="left"), None],
        "min_samples_leaf": [Interval(Integral, 1, None, closed="left")],
        "prior": [Interval(Real, 0, 1, closed="neither"), StrOptions({"estimate"})],
        "scenario": [StrOptions(set(SCENARIOS))],
        "pos_label": "no_validation",
        "categorical_features": ["array-like", StrOptions({"from_dtype"}), None],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        *,
        n_estimators=100,
        risk="nnpu",
        loss="quadratic",
        max_features="sqrt",
        max_depth=None,
        min_samples_leaf=1,
        prior="estimate",
        scenario="single-training-set",
        pos_label=None,
        categorical_features="from_dtype",
        random_state=None,
    ):
        self.n_estimators = n_estimators
        self.risk = risk
        self.loss = loss
        self.max_features = max_features
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.prior = prior
        self.scenario = scenario
        self.pos_label = pos_label
        self.categorical_features = categorical_features
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y):
        """Learn from labeled positives (1) and unlabeled rows (0)."""
        features, labeled = self._read(X, y)
        rng = check_random_state(self.random_state)
        self.prior_ = population_prior(self.prior, features, labeled, self.scenario, rng)
        population = population_rows(labeled, self.scenario)
        n_columns = features.shape[1]
        n_candidates = self.max_features
        if not isinstance(n_candidates, Integral):
            n_candidates = math.ceil(math.sqrt(n_columns)) if n_candidates else n_columns
        self.trees_ = [
            grow_tree(
                features,
                labeled * (self.prior_ / labeled.sum()),
                population / population.sum(),
                n_candidates=n_candidates,
                loss=self.loss,
                non_negative=self.risk == "nnpu",
                max_depth=self.max_depth,
                min_samples_leaf=self.min_samples_leaf,
                rng=rng,
            )
            for _ in range(self.n_estimators)
        ]
        return self

    def _decide(self, features):
        votes = [(np.sign(tree.predict(features) - 0.5) + 1) / 2 for tree in self.trees_]
        return np.mean(votes, axis=0) - 0.5
