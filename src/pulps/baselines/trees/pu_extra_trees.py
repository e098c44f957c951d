"""PU extra-trees: randomized trees that descend a PU risk themselves."""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Integral
from typing import Any, Literal

import numpy as np

from pulps.baselines._shared.dense import DenseClassifier
from pulps.baselines._shared.tabular import PRIOR_CONSTRAINTS
from pulps.io._sklearn import Interval, StrOptions
from pulps.views.risk_tree import grow_tree, tied_columns


class PUExtraTreesClassifier(DenseClassifier):
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
    min_samples_split : int, default=2
        Nodes of fewer rows are not split.
    prior : float or "estimate", default="estimate"
        Share of positives in the population.
    scenario : {"single-training-set", "case-control"}, default="single-training-set"
        How the rows were drawn.
    pos_label : object, default=None
        The value of ``y`` that marks a labeled positive; by default the larger number.
    categorical_features : "from_dtype", list or None, default="from_dtype"
        See :class:`~pulps.tables.encoding.TableEncoder`.
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
    all rows and votes; confidences are shares of votes, and a leaf at exactly one half casts
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
        **DenseClassifier._parameter_constraints,
        **PRIOR_CONSTRAINTS,
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "risk": [StrOptions({"nnpu", "upu"})],
        "loss": [StrOptions({"quadratic", "logistic"})],
        "max_features": [
            Interval(Integral, 1, None, closed="left"),
            StrOptions({"sqrt"}),
            None,
        ],
        "max_depth": [Interval(Integral, 1, None, closed="left"), None],
        "min_samples_split": [Interval(Integral, 2, None, closed="left")],
    }

    def __init__(
        self,
        *,
        n_estimators: int = 100,
        risk: Literal["nnpu", "upu"] = "nnpu",
        loss: Literal["quadratic", "logistic"] = "quadratic",
        max_features: int | Literal["sqrt"] | None = "sqrt",
        max_depth: int | None = None,
        min_samples_split: int = 2,
        prior: float | Literal["estimate"] = "estimate",
        scenario: Literal["single-training-set", "case-control"] = "single-training-set",
        pos_label: Any = None,
        categorical_features: Sequence[Any] | Literal["from_dtype"] | None = "from_dtype",
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.risk = risk
        self.loss = loss
        self.max_features = max_features
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.prior = prior
        self.scenario = scenario
        self.pos_label = pos_label
        self.categorical_features = categorical_features
        self.random_state = random_state

    def _learn(self, rows: np.ndarray, labeled: np.ndarray, rng: np.random.RandomState) -> None:
        self.prior_ = self._prior(rows, labeled, rng)
        population = self._population(labeled)
        n_columns = rows.shape[1]
        if self.max_features is None:
            n_candidates = n_columns
        elif self.max_features == "sqrt":
            n_candidates = math.ceil(math.sqrt(n_columns))
        else:
            n_candidates = self.max_features
        tied = tied_columns(rows)
        self.trees_ = [
            grow_tree(
                rows,
                labeled * (self.prior_ / labeled.sum()),
                population / population.sum(),
                tied=tied,
                n_candidates=n_candidates,
                loss=self.loss,
                non_negative=self.risk == "nnpu",
                max_depth=self.max_depth,
                min_samples_split=self.min_samples_split,
                rng=rng,
            )
            for _ in range(self.n_estimators)
        ]

    def _decide(self, rows: np.ndarray) -> np.ndarray:
        votes = [(np.sign(tree.predict(rows) - 0.5) + 1) / 2 for tree in self.trees_]
        return np.mean(votes, axis=0) - 0.5
