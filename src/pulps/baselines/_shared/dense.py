"""What rivals on dense rows share: a matrix without holes in, a decision value out.

A rival learns from dense rows and the mask of labeled ones, and gives each row a decision
value that is positive for the positive class; everything else follows from that.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from pulps.baselines._shared.images import ImageChannels, check_columns_or_images, is_images
from pulps.baselines._shared.tabular import TabularClassifier
from pulps.labels import share_among_unlabeled
from pulps.metrics.rows import Scenario, population
from pulps.priors import BBE
from pulps.tables.table_matrix import TableMatrix


class DenseClassifier(TabularClassifier):
    """Learns from dense rows; a rival implements ``_learn`` and ``_decide``."""

    def _fit_table(self, X: Any, labeled: np.ndarray) -> None:
        self.matrix_ = ImageChannels() if is_images(X) else TableMatrix(self.categorical_features)
        rows = self._shape(self.matrix_.fit_transform(X))
        self._learn(rows, labeled, check_random_state(self.random_state))

    @abstractmethod
    def _learn(self, rows: np.ndarray, labeled: np.ndarray, rng: np.random.RandomState) -> None:
        """Learn from dense rows and the mask of labeled ones."""

    @abstractmethod
    def _decide(self, rows: np.ndarray) -> np.ndarray:
        """Decision value of each dense row."""

    def _check_columns(self, X: Any, *, reset: bool = False) -> Any:
        return check_columns_or_images(self, X, reset=reset)

    def _shape(self, rows: np.ndarray) -> np.ndarray:
        """Shape rows as the rival wants them: vectors, unless it says otherwise."""
        return rows.reshape(len(rows), -1)

    def _probability(self, decision: np.ndarray) -> np.ndarray:
        return np.clip(0.5 + decision, 0, 1)

    def _decide_table(self, X: Any) -> np.ndarray:
        return self._decide(self._shape(self.matrix_.transform(X)))

    def _population(self, labeled: np.ndarray) -> np.ndarray:
        """Mask of the rows that are a sample of the population."""
        return population(labeled, self.scenario)

    def _prior(self, rows: np.ndarray, labeled: np.ndarray, rng: np.random.RandomState) -> float:
        return population_prior(self.prior, rows, labeled, self.scenario, rng)


def population_prior(
    prior: float | str,
    rows: np.ndarray,
    labeled: np.ndarray,
    scenario: Scenario,
    rng: np.random.RandomState,
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
