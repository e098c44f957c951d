"""What every classifier here answers the same way: classes, labels, probabilities, files."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Callable
from html import escape
from typing import Any

import numpy as np
from scipy.special import expit, log_expit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from pulps.decision.threshold import ThresholdReport
from pulps.estimators.files.save_and_load import Files
from pulps.io._sklearn import CallbackSupportMixin
from pulps.io.naming import quoted
from pulps.labels import share_among_unlabeled

NEGATIVE, POSITIVE = 0, 1  # positions in classes_, and of the states in a stack
FAR_FEWER = 0.75  # of the positives that a model expects


class PULabelsWarning(UserWarning):
    """What was passed for the truth looks like labeled and unlabeled rows."""


class Answers(Files, ClassifierMixin, CallbackSupportMixin, BaseEstimator):
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

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def _known_prior_of_unlabeled(
        self, labeled: np.ndarray, weights: np.ndarray | None = None
    ) -> float | None:
        """Share of positives among the unlabeled rows, if the prior is given."""
        if self.prior is None or self.prior == "learn":
            return None
        return share_among_unlabeled(self.prior, labeled, self.scenario, weights=weights)

    def class_index(self, y: Any = None) -> int:
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
            f"y={quoted(y)} names no class of this model. Pass "
            f"{quoted(self.classes_[POSITIVE].item())} for "
            f"positive or {quoted(self.classes_[NEGATIVE].item())} for negative."
        )

    @abstractmethod
    def decision_function(self, X: Any) -> np.ndarray:
        """Score rows; above zero means positive.

        Parameters
        ----------
        X : table or array
            Rows of the same kind as in ``fit``.

        Returns
        -------
        array of shape (rows,)
        """

    def predict(self, X: Any) -> np.ndarray:
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

    def predict_proba(self, X: Any) -> np.ndarray:
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

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Logarithm of the probability of both classes, precise also where it is tiny.

        Parameters
        ----------
        X : table or array
            Rows of the same kind as in ``fit``.

        Returns
        -------
        array of shape (rows, 2)
            Columns in the order of ``classes_``.
        """
        decision = self.decision_function(X)
        scaled = self.slope_ * decision
        return np.column_stack([log_expit(-scaled), log_expit(scaled)])

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Accuracy of the predictions, if ``y`` holds the truth.

        Parameters
        ----------
        X : table or array
            Rows of the same kind as in ``fit``.
        y : array of shape (rows,)
            True classes. If it holds far fewer positives than the model expects, a
            :class:`PULabelsWarning` says that these look like labels of a PU problem.
        sample_weight : array of shape (rows,), default=None
            Weight of each row.

        Returns
        -------
        float
        """
        accuracy = super().score(X, y, sample_weight)  # first, as it checks X and y
        share = float(np.mean(np.asarray(y) == self.classes_[POSITIVE]))
        if share < FAR_FEWER * self.prior_:
            warnings.warn(
                f"y holds {share:.1%} positives where the model expects {self.prior_:.1%}. If its "
                "zeros are unlabeled rows, every positive found among them counts as an error, "
                "and this is no accuracy. Score PU labels with pulps.metrics, such as "
                "make_pu_scorer('lee_liu'), or read threshold_report_.",
                PULabelsWarning,
                stacklevel=2,
            )
        return accuracy

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        """Show a fitted model with what it learned."""
        shown = super()._repr_mimebundle_(**kwargs)
        if "text/html" in shown and hasattr(self, "threshold_report_"):
            shown["text/html"] = self._learned_html() + shown["text/html"]
        return shown

    @property
    def _repr_html_(self) -> Callable[[], str]:
        """The same, for those that ask for HTML alone."""
        drawn = super()._repr_html_  # which says whether HTML is wanted
        if not hasattr(self, "threshold_report_"):
            return drawn
        return lambda: self._learned_html() + drawn()

    def _learned_html(self) -> str:
        name = escape(type(self).__name__)
        return f"<p><strong>{name}</strong> learned:</p>{self.threshold_report_._repr_html_()}"

    def probability_of(self, decision: np.ndarray) -> np.ndarray:
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
