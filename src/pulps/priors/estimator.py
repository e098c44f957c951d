"""What every estimator of the share of positives does before and after its own idea."""

from __future__ import annotations

from abc import abstractmethod
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import ClassifierTags, assert_all_finite, check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, column_or_1d, validate_data

from pulps.io._sklearn import Interval, StrOptions, fit_context
from pulps.labels import SCENARIOS, read_labels
from pulps.priors.shares import shares_of
from pulps.tables.encoding import is_table


class Estimate(NamedTuple):
    """What a method found: the share of positives among unlabeled rows, and how.

    ``interval`` is a (low, high) pair around it, ``diagnostics`` a plain dict of what the
    method saw.
    """

    prior_of_unlabeled: float
    interval: tuple[float, float]
    diagnostics: dict[str, Any]


class PriorEstimator(BaseEstimator):
    """Reads the labels, lets a method estimate, and converts what it found.

    A method implements ``_estimate(X, labeled, rng)``, which returns an :class:`Estimate`.
    """

    _parameter_constraints: dict = {
        "scenario": [StrOptions(set(SCENARIOS))],
        "pos_label": "no_validation",
        "confidence": [Interval(Real, 0, 1, closed="neither")],
        "random_state": ["random_state"],
    }

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.classifier_tags = ClassifierTags(multi_class=False)
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y):
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
        X, labeled = self._read(X, y)
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
    def _estimate(self, X, labeled: np.ndarray, rng: np.random.RandomState) -> Estimate: ...

    def _read(self, X, y) -> tuple[Any, np.ndarray]:
        if is_table(X):
            X = validate_data(self, X, skip_check_array=True)
        else:
            X = validate_data(self, X, ensure_all_finite="allow-nan", dtype="numeric")
        if y is None:
            raise ValueError(
                f"This {type(self).__name__} estimator requires y to be passed, but the target "
                "y is None: pass 1 for labeled positives and 0 for unlabeled rows."
            )
        y = column_or_1d(y, warn=True)
        assert_all_finite(y, input_name="y")
        check_classification_targets(y)
        check_consistent_length(X, y)
        return X, read_labels(y, self.pos_label)[1]
