r"""What PNB, PTAN and their averaged forms share: negatives by subtraction.

The distribution of the unlabeled rows is a mixture,
:math:`P_U(x) = p\,P(x \mid 1) + (1 - p)\,P(x \mid 0)`. Labeled rows show the first part, so
counting the unlabeled rows and taking the expected number of positives away leaves the
negatives. What is subtracted may exceed what is there; such cells are cut at zero.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from numbers import Integral, Real
from typing import Any, Literal, NamedTuple

import numpy as np
from scipy.special import logsumexp

from pulps.baselines._shared.codes import TableCoder
from pulps.baselines._shared.dependency_tree import ROOT, log_likelihood
from pulps.baselines._shared.naive_bayes_prior import naive_bayes_prior
from pulps.baselines._shared.tabular import PRIOR_CONSTRAINTS, TabularClassifier
from pulps.io._sklearn import Interval, StrOptions
from pulps.labels import share_among_unlabeled, shares_of
from pulps.tables.dependence import block, pair_counts


class Candidates(NamedTuple):
    """Shares of positives among the unlabeled rows to average over.

    For each: the share that is subtracted from the counts, the one that weighs the classes,
    and the weight of the candidate.
    """

    subtracted: np.ndarray
    believed: np.ndarray
    weights: np.ndarray


class PositiveBayes(TabularClassifier):
    """Forests of attributes for both classes; a subclass chooses the edges."""

    prior: float | Literal["estimate"] | None

    _parameter_constraints = {
        **TabularClassifier._parameter_constraints,
        **PRIOR_CONSTRAINTS,
        "smoothing": [Interval(Real, 0, None, closed="neither")],
        "n_bins": [Interval(Integral, 2, None, closed="left")],
        "binning": [StrOptions({"quantile", "uniform"})],
    }

    def __init__(
        self,
        *,
        prior: float | Literal["estimate"] = "estimate",
        scenario: Literal["single-training-set", "case-control"] = "single-training-set",
        smoothing: float = 1.0,
        n_bins: int = 5,
        binning: Literal["quantile", "uniform"] = "quantile",
        categorical_features: Sequence[Any] | Literal["from_dtype"] | None = "from_dtype",
        pos_label: Any = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.prior = prior
        self.scenario = scenario
        self.smoothing = smoothing
        self.n_bins = n_bins
        self.binning = binning
        self.categorical_features = categorical_features
        self.pos_label = pos_label
        self.random_state = random_state

    def _fit_table(self, X: Any, labeled: np.ndarray) -> None:
        self.coder_ = TableCoder(self.categorical_features, self.n_bins, self.binning)
        codes = self.coder_.fit_transform(X)
        n_values = self.coder_.n_values_
        candidates = self._candidates(codes, labeled)
        priors = shares_of(
            candidates.believed,
            n_labeled=int(labeled.sum()),
            n_unlabeled=int((~labeled).sum()),
            scenario=self.scenario,
        ).prior
        priors = np.clip(priors, 1e-9, None)
        self.prior_of_unlabeled_ = float(candidates.weights @ candidates.believed)
        self.prior_ = float(candidates.weights @ priors)
        self.log_weights_ = np.log(np.clip(candidates.weights * (1 - priors), 1e-300, None))

        positive = pair_counts(codes[labeled], n_values)
        unlabeled = pair_counts(codes[~labeled], n_values)
        self.parents_ = self._edges(positive, unlabeled, n_values)
        self.positive_tables_ = self._positive_tables(positive, n_values)
        self.negative_tables_ = [
            self._negative_tables(positive, unlabeled, n_values, share)
            for share in candidates.subtracted
        ]

    def _candidates(self, codes: np.ndarray, labeled: np.ndarray) -> Candidates:
        """Shares of positives to average over: one, unless a subclass says otherwise."""
        share = np.array([self._mean_share(codes, labeled)])
        return Candidates(share, share, np.ones(1))

    @abstractmethod
    def _edges(
        self, positive: np.ndarray, unlabeled: np.ndarray, n_values: np.ndarray
    ) -> np.ndarray:
        """Parent of each attribute."""

    def _mean_share(self, codes: np.ndarray, labeled: np.ndarray) -> float:
        """Share of positives among the unlabeled rows, given or estimated."""
        if self.prior == "estimate":
            return naive_bayes_prior(codes, self.coder_.n_values_, labeled, self.random_state)
        assert self.prior is not None  # those that average over it ask for no mean
        return share_among_unlabeled(self.prior, labeled, self.scenario)

    def _positive_tables(self, positive: np.ndarray, n_values: np.ndarray) -> list[np.ndarray]:
        return [
            np.log(conditional(counts, self.smoothing))
            for counts in family_counts(positive, n_values, self.parents_)
        ]

    def _negative_tables(
        self, positive: np.ndarray, unlabeled: np.ndarray, n_values: np.ndarray, share: float
    ) -> list[np.ndarray]:
        pairs = zip(
            family_counts(positive, n_values, self.parents_),
            family_counts(unlabeled, n_values, self.parents_),
            strict=True,
        )
        return [
            np.log(conditional(negative_counts(*pair, share, self.smoothing), self.smoothing))
            for pair in pairs
        ]

    def _decide_table(self, X: Any) -> np.ndarray:
        """Log-odds of positive against negative; missing attributes are summed over."""
        codes = self.coder_.transform(X)
        positive = np.log(self.prior_) + log_likelihood(
            codes, self.parents_, self.positive_tables_
        )
        negative = [
            weight + log_likelihood(codes, self.parents_, tables)
            for weight, tables in zip(self.log_weights_, self.negative_tables_, strict=True)
        ]
        return positive - logsumexp(negative, axis=0)


def family_counts(
    counts: np.ndarray, n_values: np.ndarray, parents: np.ndarray
) -> Iterator[np.ndarray]:
    """Count every attribute's values: one row for a root, else one per value of its parent."""
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

    The labeled counts are smoothed by ``smoothing`` per value of the attribute, spread evenly
    over the values of its parent.

    >>> negative_counts(np.array([[2.0, 0.0]]), np.array([[5.0, 5.0]]), 0.5, 1.0)
    array([[1.25, 3.75]])
    """
    smoothed = positive + smoothing / len(positive)
    expected = share * unlabeled.sum() * smoothed / smoothed.sum()
    return np.maximum(0, unlabeled - expected)
