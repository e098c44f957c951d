"""Spies: find reliable negatives, then learn the positives against them."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any, Literal

import numpy as np
from joblib import Parallel, delayed

from pulps.baselines._shared.base_learners import default_forest, labeled_column, seeded
from pulps.baselines._shared.dense import DenseClassifier
from pulps.io._sklearn import HasMethods, Interval


class SpyClassifier(DenseClassifier):
    """Two-step learning: spies among the unlabeled rows reveal reliable negatives.

    Some labeled rows, the spies, are put among the unlabeled ones, and a classifier learns
    the rest against them. Spies are positive for sure, so an unlabeled row that looks less
    positive than nearly all spies is a reliable negative. A second classifier learns all
    labeled rows against these.

    Parameters
    ----------
    estimator : classifier or None, default=None
        Probabilistic classifier of both steps; None takes a forest of 100 extra-trees with at
        least five rows per leaf and equal weight for both classes.
    spy_share : float, default=0.15
        Share of the labeled rows that become spies, at least one.
    noise : float, default=0.05
        Share of the spies that may score below the threshold.
    n_draws : int, default=5
        How often spies are drawn. Unlabeled rows that scored below the threshold in at least
        half of the draws are reliable.
    pos_label : object, default=None
        The value of ``y`` that marks a labeled positive; by default the larger number.
    categorical_features : "from_dtype", list or None, default="from_dtype"
        See :class:`~pulps.tables.encoding.TableEncoder`.
    n_jobs : int or None, default=None
        Draws to learn from at the same time; None one by one, -1 one per core. The result does
        not depend on it.
    random_state : int, RandomState or None, default=None
        Seed of spies and estimators.

    Attributes
    ----------
    classes_ : array of shape (2,)
        The value of unlabeled (negative) rows, then that of positive rows.
    reliable_negatives_ : array of bool, shape (rows,)
        Unlabeled rows taken for negatives in the second step.
    thresholds_ : array of shape (n_draws,)
        Threshold of each draw.
    classifier_ : classifier
        The second classifier.

    Notes
    -----
    B. Liu, W. S. Lee, P. S. Yu and X. Li, *Partially supervised classification of text
    documents*, ICML 2002 (S-EM). They use naive Bayes and go on with expectation
    maximization; here both steps take any classifier, fitted once. As there, the first step
    scores rows, spies included, by the classifier that was fitted on them. Left open there,
    chosen here: several draws, because with few labels one draw has one or two spies; if no
    row is reliable, those of the smallest mean score are, as many as there are labeled rows.

    Examples
    --------
    >>> from pulps.datasets import make_toy
    >>> X, y, y_true = make_toy("moons", random_state=0)
    >>> model = SpyClassifier(random_state=0).fit(X, y)
    >>> float((model.predict(X) == y_true).mean()) > 0.9
    True
    """

    _parameter_constraints = {
        **DenseClassifier._parameter_constraints,
        "estimator": [HasMethods(["fit", "predict_proba"]), None],
        "spy_share": [Interval(Real, 0, 1, closed="neither")],
        "noise": [Interval(Real, 0, 1, closed="left")],
        "n_draws": [Interval(Integral, 1, None, closed="left")],
        "n_jobs": [Integral, None],
    }

    def __init__(
        self,
        estimator: Any = None,
        *,
        spy_share: float = 0.15,
        noise: float = 0.05,
        n_draws: int = 5,
        pos_label: Any = None,
        categorical_features: Sequence[Any] | Literal["from_dtype"] | None = "from_dtype",
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.estimator = estimator
        self.spy_share = spy_share
        self.noise = noise
        self.n_draws = n_draws
        self.pos_label = pos_label
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _learn(self, rows: np.ndarray, labeled: np.ndarray, rng: np.random.RandomState) -> None:
        if labeled.sum() < 2:
            raise ValueError(
                "y has 1 labeled row; at least 2 are needed, one as a spy and one to learn from. "
                "Label more positives."
            )
        base = self.estimator
        if base is None:
            base = default_forest(class_weight="balanced")
        below, total = np.zeros(len(labeled)), np.zeros(len(labeled))
        thresholds = []
        draws = [
            (draw_spies(labeled, self.spy_share, rng), seeded(base, rng))
            for _ in range(self.n_draws)
        ]
        work = (delayed(first.fit)(rows, labeled & ~spies) for spies, first in draws)
        fitted = Parallel(self.n_jobs, prefer="threads")(work)
        for (spies, _), first in zip(draws, fitted, strict=True):
            scores = labeled_column(first, rows)
            thresholds.append(spy_threshold(scores[spies], self.noise))
            below += scores < thresholds[-1]
            total += scores
        self.thresholds_ = np.array(thresholds)
        reliable = (below >= self.n_draws / 2) & ~labeled
        if not reliable.any():
            order = np.flatnonzero(~labeled)[np.argsort(total[~labeled], kind="stable")]
            reliable[order[: int(labeled.sum())]] = True
        self.reliable_negatives_ = reliable
        used = labeled | reliable
        self.classifier_ = seeded(base, rng).fit(rows[used], labeled[used])

    def _decide(self, rows: np.ndarray) -> np.ndarray:
        return labeled_column(self.classifier_, rows) - 0.5


def draw_spies(labeled: np.ndarray, share: float, rng: np.random.RandomState) -> np.ndarray:
    """Choose the labeled rows that become spies: at least one of them, and not all.

    Parameters
    ----------
    labeled
        Boolean, True for a labeled row.
    share
        Share of the labeled rows that become spies.
    rng
        Source of randomness.

    Returns
    -------
    array
        Boolean, True for a spy.

    Examples
    --------
    >>> int(draw_spies(np.arange(50) < 20, 0.15, np.random.RandomState(0)).sum())
    3
    """
    known = np.flatnonzero(labeled)
    spies = np.zeros_like(labeled)
    n_spies = min(max(1, round(share * len(known))), len(known) - 1)
    spies[rng.choice(known, n_spies, replace=False)] = True
    return spies


def spy_threshold(spy_scores: np.ndarray, noise: float) -> float:
    """Return the score that at most a share ``noise`` of the spies falls short of.

    Parameters
    ----------
    spy_scores
        Scores of the spies.
    noise
        Share of the spies that may fall short.

    Returns
    -------
    float
        Rows below it are taken for negatives.

    Examples
    --------
    >>> spy_threshold(np.array([0.1, 0.5, 0.6, 0.7]), 0.25)
    0.5
    >>> spy_threshold(np.array([0.1, 0.5, 0.6, 0.7]), 0.2)
    0.1
    """
    ordered = np.sort(spy_scores)
    return float(ordered[min(int(noise * len(ordered)), len(ordered) - 1)])
