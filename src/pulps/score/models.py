"""What a model file is made into: a decision for encoded rows, and all that follows from it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from copy import copy
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from pulps.decision.rule import DecisionRule, logistic
from pulps.io.naming import listed
from pulps.kernel.sweep import log_norms
from pulps.tables.cells import numbers_of
from pulps.tables.notices import Cells
from pulps.tables.reading import TextTable, is_table, read_columns
from pulps.tables.row_encoding import RowEncoder
from pulps.tables.sites import Sites
from pulps.views.opinions import Consensus

ROWS_OF_NETWORK, ROWS_OF_CONSENSUS = 4096, 65_536  # at once


class Scorer(ABC):
    """A model that scores and cannot be fitted.

    Parameters
    ----------
    encoder
        The columns of the fit.
    classes
        The value of negative rows, then that of positive rows.
    slope
        Steepness of the probability at the threshold.
    """

    rows_at_once: int
    digest: str  # of the file it was read from

    def __init__(self, encoder: RowEncoder, classes: np.ndarray, slope: float) -> None:
        self.encoder = encoder
        self.classes_ = classes
        self.slope = slope

    @abstractmethod
    def decision_of_encoded(self, values: np.ndarray) -> np.ndarray:
        """Score encoded rows; above zero means positive.

        Parameters
        ----------
        values
            Shape (rows, columns used), NaN where missing.

        Returns
        -------
        array of shape (rows,)
        """

    def decision_function(self, X: Any) -> np.ndarray:
        """Score rows; above zero means positive.

        Parameters
        ----------
        X : table or array
            Rows of the same kind as in ``fit``: an array, or a table with the columns of the fit
            in any order, of pandas, polars, pyarrow or :class:`~pulps.tables.reading.TextTable`.

        Returns
        -------
        array of shape (rows,)
        """
        cells = Cells()
        chunks = self.encoder.transform_chunks(self._known(X), self.rows_at_once, cells)
        decision = np.concatenate([self.decision_of_encoded(values) for values in chunks])
        cells.warn()
        return decision

    def predict(self, X: Any) -> np.ndarray:
        """Class of each row: positive where the decision is above zero.

        Parameters
        ----------
        X : table or array
            Rows, as in :meth:`decision_function`.

        Returns
        -------
        array of shape (rows,)
            Values of ``classes_``.
        """
        return self.classes_[(self.decision_function(X) > 0).astype(int)]

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probability of both classes.

        Parameters
        ----------
        X : table or array
            Rows, as in :meth:`decision_function`.

        Returns
        -------
        array of shape (rows, 2)
            Columns in the order of ``classes_``.
        """
        positive = self.probability_of(self.decision_function(X))
        return np.column_stack([1 - positive, positive])

    def probability_of(self, decision: np.ndarray) -> np.ndarray:
        """Probability of the positive class that belongs to a decision.

        Parameters
        ----------
        decision
            From :meth:`decision_function`, of any shape.

        Returns
        -------
        array
            Of the same shape.
        """
        return logistic(self.slope * decision)

    def with_encoder(self, encoder: RowEncoder) -> Self:
        """Return the same model with columns that read cells in another way.

        Parameters
        ----------
        encoder
            The columns.

        Returns
        -------
        Scorer
            A copy.
        """
        twin = copy(self)
        twin.encoder = encoder
        return twin

    def _known(self, X: Any) -> Any:
        """Take the columns of an array out of a table, where they are called x0, x1 and so on."""
        if self.encoder.names_ is not None or not (isinstance(X, TextTable) or is_table(X)):
            return X
        present = {str(name): column for name, column in zip(*read_columns(X), strict=True)}
        names = self.encoder.needed_names
        absent = [name for name in names if name not in present]
        if absent:
            raise ValueError(
                f"The table lacks {len(absent)} of the {len(names)} columns the model was fitted "
                f"on: {listed(absent)}. The model was fitted on an array without column "
                f"names: name the columns {names[0]} to {names[-1]}, in the order of the array."
            )
        return np.column_stack([numbers_of(name, present[name]) for name in names])


class ConsensusScorer(Scorer):
    """What is left of a :class:`~pulps.PUClassifier`.

    Parameters
    ----------
    encoder, classes, slope
        See :class:`Scorer`.
    consensus
        The fitted views, on one scale.
    threshold
        Where their consensus is cut.
    """

    rows_at_once = ROWS_OF_CONSENSUS

    def __init__(
        self,
        encoder: RowEncoder,
        classes: np.ndarray,
        slope: float,
        consensus: Consensus,
        threshold: float,
    ) -> None:
        super().__init__(encoder, classes, slope)
        self.consensus, self.threshold = consensus, threshold

    def decision_of_encoded(self, values: np.ndarray) -> np.ndarray:
        """Consensus of the views above the threshold.

        Parameters
        ----------
        values
            Shape (rows, columns used), NaN where missing.

        Returns
        -------
        array of shape (rows,)
        """
        return self.consensus.score(values) - self.threshold


@dataclass(frozen=True)
class Chains:
    """Both states of every member, and how rows get to them.

    Parameters
    ----------
    sites
        Which site holds which column.
    cores
        One array (chains, feature, left, output, right) per site; all positive states come first.
    """

    sites: Sites
    cores: list[np.ndarray]

    def log_ratios(self, values: np.ndarray) -> np.ndarray:
        """Log-ratio of both norms for every member.

        Parameters
        ----------
        values
            Encoded rows, NaN where missing; what is missing is traced out.

        Returns
        -------
        array of shape (members, rows)
        """
        features, observed = self.sites.features(values)
        logs = log_norms(self.cores, features, observed, self.sites.traced)
        positive, negative = np.split(logs, 2)
        return positive - negative


class NetworkScorer(Scorer):
    """What is left of a :class:`~pulps.LPSClassifier`.

    Parameters
    ----------
    encoder, classes
        See :class:`Scorer`.
    chains
        The states of the members.
    rule
        How their log-ratios become a decision and a probability.
    """

    rows_at_once = ROWS_OF_NETWORK

    def __init__(
        self, encoder: RowEncoder, classes: np.ndarray, chains: Chains, rule: DecisionRule
    ) -> None:
        super().__init__(encoder, classes, rule.slope)
        self.chains, self.rule = chains, rule

    def decision_of_encoded(self, values: np.ndarray) -> np.ndarray:
        """Mean log-ratio of the members above the threshold, in units of each member's scale.

        Parameters
        ----------
        values
            Shape (rows, columns used), NaN where missing.

        Returns
        -------
        array of shape (rows,)
        """
        return self.rule.decision(self.chains.log_ratios(values))
