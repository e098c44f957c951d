r"""What PNB, PTAN and their averaged forms share: negatives by subtraction.

The distribution of the unlabeled rows is a mixture,
:math:`P_U(x) = p\,P(x \mid 1) + (1 - p)\,P(x \mid 0)`. Labeled rows show the first part, so
counting the unlabeled rows and taking the expected number of positives away leaves the
negatives. What is subtracted may exceed what is there; such cells are cut at zero.
"""

from __future__ import annotations

from abc import abstractmethod
from numbers import Integral, Real
from typing import NamedTuple

import numpy as np
from scipy.special import logsumexp
from sklearn.utils.validation import check_is_fitted

from pulps.baselines._shared.codes import TableCoder, block, pair_counts
from pulps.baselines._shared.dependency_tree import ROOT, log_likelihood
from pulps.baselines._shared.shares import estimate_share
from pulps.baselines._shared.tabular import TabularClassifier
from pulps.io._sklearn import Interval, StrOptions, fit_context
from pulps.labels import SCENARIOS, prior_of_population, share_among_unlabeled


class Shares(NamedTuple):
    """Shares of positives among the unlabeled rows to average over.

    For each: what is subtracted from the counts, what weighs the classes, and its own weight.
    """

    subtracted: np.ndarray
    believed: np.ndarray
    weights: np.ndarray


class PositiveBayes(TabularClassifier):
    """Forests of attributes for both classes; subclasses choose the edges and the shares."""

    _parameter_constraints = {
        **TabularClassifier._parameter_constraints,
        "prior": [Interval(Real, 0, 1, closed="neither"), StrOptions({"estimate"})],
        "scenario": [StrOptions(set(SCENARIOS))],
        "smoothing": [Interval(Real, 0, None, closed="neither")],
        "n_bins": [Interval(Integral, 2, None, closed="left")],
        "binning": [StrOptions({"quantile", "uniform"})],
    }

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y):
        """Learn from labeled positives and unlabeled rows.

        Parameters
        ----------
        X : table or array of shape (rows, columns)
            pandas, polars or pyarrow table, or a numeric array; NaN and None are missing.
        y : array of shape (rows,)
            Two values: 1 (or ``pos_label``) for a labeled positive, 0 for an unlabeled row.

        Returns
        -------
        self
        """
        X, labeled = self._read(X, y)
        self.coder_ = TableCoder(self.categorical_features, self.n_bins, self.binning)
        codes = self.coder_.fit_transform(X)
        n_values = self.coder_.n_values_
        shares = self._shares(codes, labeled)
        priors = np.clip(prior_of_population(shares.believed, labeled, self.scenario), 1e-9, None)
        self.unlabeled_prior_ = float(shares.weights @ shares.believed)
        self.prior_ = float(shares.weights @ priors)
        self.log_weights_ = np.log(np.clip(shares.weights * (1 - priors), 1e-300, None))

        positive = pair_counts(codes[labeled], n_values)
        unlabeled = pair_counts(codes[~labeled], n_values)
        self.parents_ = self._edges(positive, unlabeled, n_values)
        self.positive_tables_ = self._positive_tables(positive, n_values)
        self.negative_tables_ = [
            self._negative_tables(positive, unlabeled, n_values, share)
            for share in shares.subtracted
        ]
        return self

    @abstractmethod
    def _shares(self, codes, labeled) -> Shares:
        """Say which shares of positives to average over."""

    @abstractmethod
    def _edges(self, positive, unlabeled, n_values) -> np.ndarray:
        """Parent of each attribute."""

    def _mean_share(self, codes, labeled) -> float:
        """Share of positives among the unlabeled rows, given or estimated."""
        if self.prior == "estimate":
            return estimate_share(codes, self.coder_.n_values_, labeled, self.random_state)
        return share_among_unlabeled(self.prior, labeled, self.scenario)

    def _positive_tables(self, positive, n_values) -> list[np.ndarray]:
        return [
            np.log(conditional(counts, self.smoothing))
            for counts in family_counts(positive, n_values, self.parents_)
        ]

    def _negative_tables(self, positive, unlabeled, n_values, share) -> list[np.ndarray]:
        pairs = zip(
            family_counts(positive, n_values, self.parents_),
            family_counts(unlabeled, n_values, self.parents_),
            strict=True,
        )
        return [
            np.log(conditional(negative_counts(*pair, share, self.smoothing), self.smoothing))
            for pair in pairs
        ]

    def decision_function(self, X) -> np.ndarray:
        """Log-odds of positive against negative; missing attributes are summed over."""
        check_is_fitted(self)
        codes = self.coder_.transform(self._check_columns(X))
        positive = np.log(self.prior_) + log_likelihood(
            codes, self.parents_, self.positive_tables_
        )
        negative = [
            weight + log_likelihood(codes, self.parents_, tables)
            for weight, tables in zip(self.log_weights_, self.negative_tables_, strict=True)
        ]
        return positive - logsumexp(negative, axis=0)


def family_counts(counts: np.ndarray, n_values: np.ndarray, parents: np.ndarray):
    """Count every attribute's values: one row for a root, else one a value of its parent."""
    for attribute, parent in enumerate(parents):
        if parent == ROOT:
            yield np.diag(block(counts, n_values, attribute, attribute))[None]
        else:
            yield block(counts, n_values, parent, attribute)


def conditional(counts: np.ndarray, smoothing: float) -> np.ndarray:
    """Probabilities of each row of counts, after adding ``smoothing`` to every cell."""
    smoothed = counts + smoothing
    return smoothed / smoothed.sum(axis=1, keepdims=True)


def negative_counts(
    positive: np.ndarray, unlabeled: np.ndarray, share: float, smoothing: float
) -> np.ndarray:
    """Take the expected positives away from the counts of unlabeled rows; none below zero.

    The labeled counts are smoothed by ``smoothing`` a value of the attribute, spread evenly
    over the values of its parent.

    >>> negative_counts(np.array([[2.0, 0.0]]), np.array([[5.0, 5.0]]), 0.5, 1.0)
    array([[1.25, 3.75]])
    """
    smoothed = positive + smoothing / len(positive)
    expected = share * unlabeled.sum() * smoothed / smoothed.sum()
    return np.maximum(0, unlabeled - expected)
