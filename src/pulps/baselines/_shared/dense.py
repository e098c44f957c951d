"""What rivals on dense rows share: a matrix without holes in, a decision value out.

A method learns from dense rows and the mask of labeled ones and gives each row a decision
value, positive for the positive class; all else follows from that.
"""

from __future__ import annotations

from abc import abstractmethod
from numbers import Real

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from pulps.baselines._shared.images import ImageChannels, is_images
from pulps.baselines._shared.tabular import TabularClassifier
from pulps.io._sklearn import Interval, StrOptions, fit_context
from pulps.labels import SCENARIOS, share_among_unlabeled
from pulps.priors import BBE
from pulps.priors.matrix import TableMatrix

PRIOR_CONSTRAINTS: dict = {
    "prior": [Interval(Real, 0, 1, closed="neither"), StrOptions({"estimate"})],
    "scenario": [StrOptions(set(SCENARIOS))],
}


class DenseClassifier(TabularClassifier):
    """Learns from dense rows; a method implements ``_learn`` and ``_decide``."""

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y):
        """Learn from labeled positives and unlabeled rows.

        Parameters
        ----------
        X : table or array of shape (rows, columns)
            pandas, polars or pyarrow table, or a numeric array; NaN and None are missing.
            Methods with a network also read images, an array of shape (rows, height, width)
            or (rows, height, width, channels).
        y : array of shape (rows,)
            Two values: 1 (or ``pos_label``) for a labeled positive, 0 for an unlabeled row.

        Returns
        -------
        self
        """
        X, labeled = self._read(X, y)
        self.matrix_ = ImageChannels() if is_images(X) else TableMatrix(self.categorical_features)
        rows = self._shape(self.matrix_.fit_transform(X))
        self._learn(rows, labeled, check_random_state(self.random_state))
        return self

    @abstractmethod
    def _learn(self, rows: np.ndarray, labeled: np.ndarray, rng: np.random.RandomState) -> None:
        """Learn from dense rows and the mask of labeled ones."""

    @abstractmethod
    def _decide(self, rows: np.ndarray) -> np.ndarray:
        """Decision value of each dense row."""

    def _check_columns(self, X, *, reset=False):
        if is_images(X):
            return validate_data(self, X, reset=reset, skip_check_array=True)
        return super()._check_columns(X, reset=reset)

    def _shape(self, rows: np.ndarray) -> np.ndarray:
        """Shape rows as the method wants them: vectors, unless it says otherwise."""
        return rows.reshape(len(rows), -1)

    def _probability(self, decision):
        return np.clip(0.5 + decision, 0, 1)

    def decision_function(self, X) -> np.ndarray:
        """Return how positive each row is; above zero it is predicted positive."""
        check_is_fitted(self)
        rows = self.matrix_.transform(self._check_columns(X))
        return self._decide(self._shape(rows))

    def _population(self, labeled: np.ndarray) -> np.ndarray:
        """Mask of the rows that are a sample of the population."""
        return np.ones_like(labeled) if self.scenario == "single-training-set" else ~labeled

    def _prior(self, rows: np.ndarray, labeled: np.ndarray, rng) -> float:
        return population_prior(self.prior, rows, labeled, self.scenario, rng)


def population_prior(
    prior: float | str, rows: np.ndarray, labeled: np.ndarray, scenario: str, rng
) -> float:
    """Share of positives in the population: the one given, or an estimate (BBE).

    An estimate leaves at least half a row to either class.
    """
    if not isinstance(prior, str):
        share_among_unlabeled(prior, labeled, scenario)  # raises if impossible
        return prior
    if labeled.sum() < 2:
        raise ValueError(
            "y has 1 labeled row, but the prior is estimated from labeled rows that are held "
            "out. Pass the share of positives in the population as prior, or label more rows."
        )
    vectors = rows.reshape(len(rows), -1)
    found = BBE(scenario=scenario, random_state=rng).fit(vectors, labeled).prior_
    return float(np.clip(found, 0.5 / len(labeled), 1 - 0.5 / len(labeled)))
