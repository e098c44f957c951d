"""What every classifier here answers the same way: classes, labels, probabilities, files."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Self

import numpy as np
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.callback import CallbackSupportMixin
from sklearn.utils.validation import check_is_fitted

from pulps.decision.threshold import ThresholdReport
from pulps.labels import share_among_unlabeled

NEGATIVE, POSITIVE = 0, 1  # positions in classes_, and of the states in a stack


class Answers(ClassifierMixin, CallbackSupportMixin, BaseEstimator):
    """A classifier of labeled positives and unlabeled rows, by a decision that is cut at zero."""

    # Parameters every child has:
    pos_label: Any
    prior: Any
    random_state: Any
    scenario: str
    verbose: bool | int | str

    # What a fit leaves:
    classes_: np.ndarray
    prior_: float
    slope_: float
    threshold_report_: ThresholdReport

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def _known_prior_of_unlabeled(self, labeled, weights=None) -> float | None:
        """Share of positives among the unlabeled rows, if the prior is given."""
        if self.prior is None or self.prior == "learn":
            return None
        return share_among_unlabeled(self.prior, labeled, self.scenario, weights=weights)

    def class_index(self, y=None) -> int:
        """Tell which class a value of y names: 1 for the positive one, 0 for the negative.

        Parameters
        ----------
        y : default=None
            One of ``classes_``; None names the positive class.

        Returns
        -------
        int
            Position in ``classes_``.
        """
        check_is_fitted(self)
        if y is None:
            return POSITIVE
        for index, value in enumerate(self.classes_.tolist()):
            if y == value:
                return index
        raise ValueError(
            f"y={y!r} names no class of this model. Pass {self.classes_[POSITIVE].item()!r} for "
            f"positive or {self.classes_[NEGATIVE].item()!r} for negative."
        )

    @abstractmethod
    def decision_function(self, X) -> np.ndarray:
        """Score rows; above zero means positive.

        Parameters
        ----------
        X : table or array
            Rows of the same kind as in ``fit``.

        Returns
        -------
        array of shape (rows,)
        """

    def predict(self, X) -> np.ndarray:
        """Class of each row: positive where the decision is above zero.

        Parameters
        ----------
        X : table or array
            Rows of the same kind as in ``fit``.

        Returns
        -------
        array of shape (rows,)
            Values of ``classes_``.
        """
        positive = self.decision_function(X) > 0
        return self.classes_[positive.astype(int)]

    def predict_proba(self, X) -> np.ndarray:
        """Probability of both classes.

        A logistic function of the decision, one half at the threshold, with the slope under
        which the held-out labels are most likely (:mod:`pulps.decision.calibration`). Without
        held-out labels the slope is a convention.

        Parameters
        ----------
        X : table or array
            Rows of the same kind as in ``fit``.

        Returns
        -------
        array of shape (rows, 2)
            Columns in the order of ``classes_``.
        """
        positive = self.probability_of(self.decision_function(X))
        return np.column_stack([1 - positive, positive])

    def probability_of(self, decision) -> np.ndarray:
        """Probability of the positive class that belongs to a decision.

        Parameters
        ----------
        decision : array
            From :meth:`decision_function`, of any shape.

        Returns
        -------
        array
            Of the same shape.
        """
        return expit(self.slope_ * decision)

    def save(self, path) -> None:
        """Write the fitted model to a file, without pickle; see :meth:`load`.

        Parameters
        ----------
        path : path
            The file; it is replaced whole or not at all.
        """
        from pulps.estimators.persistence import save

        save(self, path)

    @classmethod
    def load(cls, path) -> Self:
        """Read a model written by :meth:`save`; nothing in the file is executed.

        Parameters
        ----------
        path : path
            The file.

        Returns
        -------
        the fitted model
        """
        from pulps.estimators.persistence import load

        return load(path, cls)
