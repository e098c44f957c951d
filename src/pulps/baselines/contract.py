"""What every method on dense features shares: reading tables and labels, answering in classes.

A method learns from dense rows and a mask of labeled ones and gives each row a decision
value, positive for the positive class; all else follows from that.
"""

from __future__ import annotations

from abc import abstractmethod

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import assert_all_finite
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    check_consistent_length,
    check_is_fitted,
    column_or_1d,
    validate_data,
)

from pulps.baselines.bbe_prior import estimate_prior
from pulps.baselines.features import DenseFeatures, is_images
from pulps.encoding import is_table
from pulps.labels import read_labels


class DensePUClassifier(ClassifierMixin, BaseEstimator):
    """Read tables and labels, and turn decision values into classes and confidences.

    A method sets ``categorical_features`` and ``pos_label``, calls :meth:`_read` in ``fit``
    and says in :meth:`_decide` how positive a row is.
    """

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags

    @abstractmethod
    def _decide(self, features: np.ndarray) -> np.ndarray:
        """Decision value of each dense row."""

    def _read(self, X, y) -> tuple[np.ndarray, np.ndarray]:
        """Check a training set; return dense rows and the mask of labeled ones."""
        X = self._check_rows(X, reset=True)
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
        self.features_ = DenseFeatures(self.categorical_features)
        return self._shape(self.features_.fit_transform(X)), labeled

    def _check_rows(self, X, *, reset: bool):
        if is_table(X) or is_images(X):
            return validate_data(self, X, reset=reset, skip_check_array=True)
        return validate_data(self, X, reset=reset, ensure_all_finite="allow-nan", dtype="numeric")

    def _shape(self, features: np.ndarray) -> np.ndarray:
        """Give rows the shape the method learns from: vectors, unless it says otherwise."""
        return features.reshape(len(features), -1)

    def _confidence(self, decision: np.ndarray) -> np.ndarray:
        """Confidence of the positive class; one half where the decision is zero."""
        return np.clip(0.5 + decision, 0, 1)

    def decision_function(self, X) -> np.ndarray:
        """Return how positive each row is; above zero it is predicted positive."""
        check_is_fitted(self)
        rows = self.features_.transform(self._check_rows(X, reset=False))
        return self._decide(self._shape(rows))

    def predict(self, X) -> np.ndarray:
        """Class of each row, in the words of ``y``."""
        positive = self.decision_function(X) > 0
        return self.classes_[positive.astype(int)]

    def predict_proba(self, X) -> np.ndarray:
        """Confidence of the negative and of the positive class, shape (rows, 2)."""
        positive = self._confidence(self.decision_function(X))
        return np.column_stack([1 - positive, positive])


def population_rows(labeled: np.ndarray, scenario: str) -> np.ndarray:
    """Mask of the rows that are a sample of the population.

    >>> population_rows(np.array([True, False]), "single-training-set")
    array([ True,  True])
    >>> population_rows(np.array([True, False]), "case-control")
    array([False,  True])
    """
    return np.ones_like(labeled) if scenario == "single-training-set" else ~labeled


def population_prior(
    prior: float | str, features: np.ndarray, labeled: np.ndarray, scenario: str, random_state
) -> float:
    """Share of positives in the population: the one given, or an estimate.

    An estimate stays below one by half a row, so that there are negatives to learn.
    """
    if isinstance(prior, str):
        vectors = features.reshape(len(features), -1)
        found = estimate_prior(vectors, labeled, scenario=scenario, random_state=random_state)
        return min(found, 1 - 0.5 / len(labeled))
    n_rows, n_labeled = len(labeled), int(labeled.sum())
    if scenario == "single-training-set" and prior * n_rows < n_labeled:
        raise ValueError(
            f"prior={prior} says that {prior * n_rows:.0f} of {n_rows} rows are positive, but "
            f"{n_labeled} are labeled. Pass a larger prior, or scenario='case-control' if the "
            "labeled rows are an extra sample."
        )
    return prior


def unlabeled_prior(prior: float, labeled: np.ndarray, scenario: str) -> float:
    """Share of positives among the unlabeled rows, from their share in the population.

    >>> unlabeled_prior(0.6, np.arange(10) < 2, "single-training-set")
    0.5
    """
    if scenario == "case-control":
        return prior
    n_rows, n_labeled = len(labeled), int(labeled.sum())
    return (prior * n_rows - n_labeled) / (n_rows - n_labeled)
