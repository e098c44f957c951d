"""What all rivals share: how they read a table and its labels, and how they answer."""

from __future__ import annotations

from abc import abstractmethod
from numbers import Real
from typing import Any, Self

import numpy as np
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from pulps.baselines._shared.counted_rows import rows_by_weight
from pulps.baselines._shared.files import Files
from pulps.io._sklearn import (
    CallbackSupportMixin,
    Interval,
    StrOptions,
    fit_context,
    with_callbacks,
)
from pulps.labels import SCENARIOS, read_target
from pulps.tables.checking import check_columns

PRIOR_CONSTRAINTS: dict[str, Any] = {
    "prior": [Interval(Real, 0, 1, closed="neither"), StrOptions({"estimate"})],
    "scenario": [StrOptions(set(SCENARIOS))],
}


class TabularClassifier(Files, ClassifierMixin, CallbackSupportMixin, BaseEstimator):
    """Reads any table and PU labels; a row is positive if its decision is above zero.

    A rival implements ``_fit_table`` and ``_decide_table``.
    """

    _parameter_constraints: dict[str, Any] = {
        "pos_label": "no_validation",
        "categorical_features": ["array-like", StrOptions({"from_dtype"}), None],
        "random_state": ["random_state"],
    }

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags

    @fit_context(prefer_skip_nested_validation=False)
    @with_callbacks
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from labeled positives and unlabeled rows.

        Parameters
        ----------
        X : table or array of shape (rows, columns)
            pandas, polars or pyarrow table, or a numeric array; NaN and None are missing.
            Rivals with a network also read images, an array of shape (rows, height, width)
            or (rows, height, width, channels).
        y : array of shape (rows,)
            Two values: 1 (or ``pos_label``) for a labeled positive, 0 for an unlabeled row.
        sample_weight : array of shape (rows,), default=None
            How many rows each row stands for. Rows are written out as often as they weigh;
            weights that are no whole numbers are rounded by chance.

        Returns
        -------
        self
        """
        if sample_weight is not None:
            checked, _ = self._read(X, y)
            X, y = rows_by_weight(checked, y, sample_weight, self.random_state)
        self._fit_table(*self._read(X, y))
        return self

    @abstractmethod
    def _fit_table(self, X: Any, labeled: np.ndarray) -> None:
        """Learn from a checked table and the mask of labeled rows."""

    @abstractmethod
    def _decide_table(self, X: Any) -> np.ndarray:
        """Decision of each row of a checked table."""

    def _read(self, X: Any, y: Any) -> tuple[Any, np.ndarray]:
        """Check a table and its labels; return the table and which rows are labeled."""
        X = self._check_columns(X, reset=True)
        target = read_target(y, self.pos_label, n_rows=X.shape[0], caller=type(self).__name__)
        self.classes_ = target.classes
        return X, target.labeled

    def _check_columns(self, X: Any, *, reset: bool = False) -> Any:
        return check_columns(self, X, reset=reset)

    def decision_function(self, X: Any) -> np.ndarray:
        """Compute how positive each row is.

        Parameters
        ----------
        X : table or array of shape (rows, columns)
            With the columns of the fit; or images, if the fit saw images.

        Returns
        -------
        array of shape (rows,)
            A row is predicted positive where it is above zero.
        """
        check_is_fitted(self)
        return self._decide_table(self._check_columns(X))

    def predict(self, X: Any) -> np.ndarray:
        """Predict the class of each row: positive where the decision is above zero.

        Parameters
        ----------
        X : table or array of shape (rows, columns)
            As in :meth:`decision_function`.

        Returns
        -------
        array of shape (rows,)
            Values of ``classes_``.
        """
        positive = self.decision_function(X) > 0
        return self.classes_[positive.astype(int)]

    def predict_proba(self, X: Any) -> np.ndarray:
        """Predict the probability of both classes; ½ where the decision is zero.

        Parameters
        ----------
        X : table or array of shape (rows, columns)
            As in :meth:`decision_function`.

        Returns
        -------
        array of shape (rows, 2)
            In the order of ``classes_``: negative, positive.
        """
        positive = self._probability(self.decision_function(X))
        return np.column_stack([1 - positive, positive])

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Logarithm of the probability of both classes.

        Parameters
        ----------
        X : table or array of shape (rows, columns)
            As in :meth:`decision_function`.

        Returns
        -------
        array of shape (rows, 2)
            In the order of ``classes_``: negative, positive; minus infinity where a class has no
            chance at all.
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def _probability(self, decision: np.ndarray) -> np.ndarray:
        """Probability of the positive class; the logistic function unless a rival knows better."""
        return expit(decision)
