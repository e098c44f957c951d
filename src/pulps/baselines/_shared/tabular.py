"""What the tabular rivals share: how they read a table and its labels, and how they answer."""

from __future__ import annotations

import numpy as np
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import assert_all_finite
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, column_or_1d, validate_data

from pulps.io._sklearn import StrOptions
from pulps.labels import read_labels
from pulps.tables.encoding import is_table


class TabularClassifier(ClassifierMixin, BaseEstimator):
    """Reads any table and PU labels; positive is what ``decision_function`` puts above zero."""

    _parameter_constraints: dict = {
        "pos_label": "no_validation",
        "categorical_features": ["array-like", StrOptions({"from_dtype"}), None],
        "random_state": ["random_state"],
    }

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags

    def _read(self, X, y):
        """Check a table and its labels; return it and which rows are labeled."""
        X = self._check_columns(X, reset=True)
        if y is None:
            raise ValueError(
                f"This {type(self).__name__} estimator requires y to be passed, but the target "
                "y is None: pass 1 for labeled positives and 0 for unlabeled rows."
            )
        y = column_or_1d(y, warn=True)
        assert_all_finite(y, input_name="y")
        check_classification_targets(y)
        check_consistent_length(X, y)
        self.classes_, labeled = read_labels(y, self.pos_label)
        return X, labeled

    def _check_columns(self, X, *, reset=False):
        """Check names and number of columns; arrays become numeric, tables stay as they are."""
        if is_table(X):
            return validate_data(self, X, reset=reset, skip_check_array=True)
        return validate_data(self, X, reset=reset, ensure_all_finite="allow-nan", dtype="numeric")

    def predict(self, X) -> np.ndarray:
        """Class of each row: positive where the decision is above zero."""
        positive = self.decision_function(X) > 0
        return self.classes_[positive.astype(int)]

    def predict_proba(self, X) -> np.ndarray:
        """Probability of both classes, shape (rows, 2); ½ where the decision is zero."""
        positive = self._probability(self.decision_function(X))
        return np.column_stack([1 - positive, positive])

    def _probability(self, decision: np.ndarray) -> np.ndarray:
        """Probability of the positive class; the logistic function unless a rival knows better."""
        return expit(decision)
