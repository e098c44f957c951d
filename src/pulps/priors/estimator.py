"""What every estimator of the share of positives does before and after its own idea."""

from __future__ import annotations

from abc import abstractmethod
from numbers import Integral, Real
from typing import Any, NamedTuple, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import ClassifierTags, Tags, check_random_state

from pulps.io._sklearn import HasMethods, Interval, StrOptions, fit_context
from pulps.labels import SCENARIOS, read_target, shares_of
from pulps.priors.scores import held_out_scores
from pulps.tables.checking import check_columns


class Estimate(NamedTuple):
    """What a method found: the share of positives among unlabeled rows, and how sure it is.

    Parameters
    ----------
    prior_of_unlabeled
        The share.
    interval
        A (low, high) pair around it.
    diagnostics
        What the method saw, plain values by name.
    """

    prior_of_unlabeled: float
    interval: tuple[float, float]
    diagnostics: dict[str, Any]


class PriorEstimator(BaseEstimator):
    """Reads the labels, lets a method estimate, and converts what it found.

    A method implements ``_estimate(X, labeled, rng)``, which returns an :class:`Estimate`.
    """

    _parameter_constraints: dict[str, Any] = {
        "scenario": [StrOptions(set(SCENARIOS))],
        "pos_label": "no_validation",
        "confidence": [Interval(Real, 0, 1, closed="neither")],
        "random_state": ["random_state"],
    }

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.classifier_tags = ClassifierTags(multi_class=False)
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: Any) -> Self:
        """Estimate the share of positives.

        Parameters
        ----------
        X : table or array of shape (rows, columns)
            pandas, polars or pyarrow table, or a numeric array. NaN, None and null are
            missing values.
        y : array of shape (rows,)
            Two values: 1 (or ``pos_label``) for a labeled positive, 0 for an unlabeled row.

        Returns
        -------
        self
        """
        X = check_columns(self, X, reset=True)
        labeled = read_target(
            y, self.pos_label, n_rows=X.shape[0], caller=type(self).__name__
        ).labeled
        n_labeled, n_unlabeled = int(labeled.sum()), int((~labeled).sum())
        if min(n_labeled, n_unlabeled) < 2:
            raise ValueError(
                f"y has {n_labeled} labeled and {n_unlabeled} unlabeled rows; "
                f"{type(self).__name__} compares the two groups and needs at least 2 of each. "
                "Label more positives, or add unlabeled rows."
            )
        found = self._estimate(X, labeled, check_random_state(self.random_state))
        self.prior_, self.prior_of_unlabeled_, self.label_frequency_ = shares_of(
            found.prior_of_unlabeled,
            n_labeled=n_labeled,
            n_unlabeled=n_unlabeled,
            scenario=self.scenario,
        )
        self.interval_ = found.interval
        self.diagnostics_ = {
            "n_labeled": n_labeled,
            "n_unlabeled": n_unlabeled,
            **found.diagnostics,
        }
        return self

    @abstractmethod
    def _estimate(self, X: Any, labeled: np.ndarray, rng: np.random.RandomState) -> Estimate: ...


class PriorFromScores(PriorEstimator):
    """Scores every row by a classifier of other rows, and lets a method estimate from scores.

    A method implements ``_from_scores(labeled_scores, unlabeled_scores, rng)``, which returns an
    :class:`Estimate`.
    """

    _parameter_constraints: dict[str, Any] = {
        **PriorEstimator._parameter_constraints,
        "classifier": [HasMethods(["fit", "predict_proba"]), None],
        "cv": [Interval(Integral, 2, None, closed="left")],
    }

    def _estimate(self, X: Any, labeled: np.ndarray, rng: np.random.RandomState) -> Estimate:
        scores = held_out_scores(
            X,
            labeled,
            classifier=self.classifier,
            cv=self.cv,
            scenario=self.scenario,
            rng=rng,
        )
        return self._from_scores(scores[labeled], scores[~labeled], rng)

    @abstractmethod
    def _from_scores(
        self,
        labeled_scores: np.ndarray,
        unlabeled_scores: np.ndarray,
        rng: np.random.RandomState,
    ) -> Estimate: ...
