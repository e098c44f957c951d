"""How a table model reads rows, tells their classes, and becomes smaller.

Rows are encoded and swept a chunk at a time, all members and both states in one call, so that
memory grows neither with rows nor with members.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from typing import Any, Self

import numpy as np
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from pulps.decision.moving import MovableCut
from pulps.estimators.base import StateClassifier
from pulps.estimators.questions.table_questions import TableQuestions
from pulps.estimators.questions.training_summary import TrainingSummary
from pulps.estimators.tables.compression import CompressionReport, compressed
from pulps.estimators.tables.states import CHUNK, States
from pulps.estimators.tables.two_precisions import Sides
from pulps.tables.embedding import Embedding
from pulps.tables.encoding import TableEncoder
from pulps.tables.notices import Cells


class TablePrediction(StateClassifier, TableQuestions):
    """Rows of a table in, classes and scores out."""

    bond_dim: int
    feature_dim: int

    encoder_: TableEncoder
    site_bases_: np.ndarray
    site_order_: np.ndarray
    movable_cut_: MovableCut | None
    training_summary_: TrainingSummary

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags

    # Rows.

    def encode(self, X: Any) -> np.ndarray:
        """Encode rows as the fit did.

        Parameters
        ----------
        X : table or array
            Rows of the same kind as in ``fit``.

        Returns
        -------
        array of shape (rows, columns used)
            NaN where a cell is missing or unknown.
        """
        return np.concatenate(list(self._encoded_chunks(X)))

    def _encoded_chunks(self, X: Any) -> Iterator[np.ndarray]:
        check_is_fitted(self)
        cells = Cells()
        yield from self.encoder_.transform_chunks(self.check_columns(X), CHUNK, cells)
        cells.warn()

    @property
    def embedding(self) -> Embedding:
        """From encoded rows to features."""
        return Embedding(
            self.encoder_.columns_, self.site_order_, self.site_bases_, self.feature_dim
        )

    @property
    def states(self) -> States:
        """Both states of every kept member."""
        check_is_fitted(self)
        return States(self.embedding, self.positive_cores_, self.negative_cores_)

    def log_ratios(self, X: Any) -> np.ndarray:
        """Log-ratio of both norms for every kept member.

        Parameters
        ----------
        X : table or array
            Rows of the same kind as in ``fit``.

        Returns
        -------
        array of shape (members, rows)
        """
        states = self.states
        return np.concatenate([states.log_ratios(v) for v in self._encoded_chunks(X)], axis=1)

    def decision_function(self, X: Any) -> np.ndarray:
        """Mean log-ratio of the members above the threshold, in units of each member's scale.

        Rows are read and scored a chunk at a time, so that memory does not grow with members.

        Parameters
        ----------
        X : table or array
            Rows of the same kind as in ``fit``; what is missing is traced out.

        Returns
        -------
        array of shape (rows,)
            Above zero means positive.
        """
        states, rule = self.states, self.decision_rule
        chunks = self._encoded_chunks(X)
        return np.concatenate([rule.decision(states.log_ratios(v)) for v in chunks])

    def predict(self, X: Any) -> np.ndarray:
        """Class of each row: positive where the decision is above zero.

        Faster than ``decision_function``, with the same result
        (:mod:`pulps.estimators.tables.two_precisions`).

        Parameters
        ----------
        X : table or array
            Rows of the same kind as in ``fit``.

        Returns
        -------
        array of shape (rows,)
            Values of ``classes_``.
        """
        sides = Sides(self.states, self.decision_rule)
        positive = np.concatenate([sides.positive(v) for v in self._encoded_chunks(X)])
        return self.classes_[positive.astype(int)]

    def decision_of_encoded(self, values: np.ndarray) -> np.ndarray:
        """Decision of rows that are encoded already, NaN traced out; see :meth:`encode`.

        Parameters
        ----------
        values : array of shape (rows, columns used)
            Encoded rows.

        Returns
        -------
        array of shape (rows,)
        """
        return self.decision_rule.decision(self.states.log_ratios(values))

    # Other models.

    def with_threshold(
        self,
        *,
        value: float | None = None,
        share: float | None = None,
        precision: float | None = None,
        recall: float | None = None,
    ) -> Self:
        """Return the same model with another cut; name one of these.

        Parameters
        ----------
        value : float, default=None
            The cut itself, on the scale of ``threshold_report_.threshold``.
        share : float, default=None
            Share of the unlabeled training rows above the cut.
        precision : float, default=None
            Precision that the first guess expects at least, among unlabeled rows; of all such
            cuts, the one with the best recall.
        recall : float, default=None
            Recall that it expects at least; of all such cuts, the highest.

        Returns
        -------
        LPSClassifier
            A copy; this model stays as it is.
        """
        check_is_fitted(self)
        cut = getattr(self, "movable_cut_", None)  # files of version 0.3 have none
        if cut is None:
            raise ValueError(
                "What another cut would be worth is told by a first guess, and this model had "
                "none. Fit with first_guess='consensus', or cut decision_function(X) yourself."
            )
        moved = copy(self)
        moved.threshold_report_ = cut.at(
            self.threshold_report_, value=value, share=share, precision=precision, recall=recall
        )
        return moved

    def compress(
        self, X: Any, *, tolerance: float = 0.01, return_report: bool = False
    ) -> Self | tuple[Self, CompressionReport]:
        """Return a model with smaller bonds that says the same of these rows.

        Bonds are truncated by what the given rows send over them, as far as no log-norm of any
        state and row of X changes by more than ``tolerance``. The change is measured on these
        rows; how far others can move is bounded by the distance of the states, see
        :mod:`pulps.network.compress` and the report. Threshold and scales stay; ``bond_dim`` is
        the widest bond that is left. The chains of ``density`` are not touched.

        Parameters
        ----------
        X : table or array
            Rows the model must keep its scores of, such as those of the fit.
        tolerance : float, default=0.01
            Largest change of a log-norm. If nothing can be left out within it, the model that
            comes back has the same cores.
        return_report : bool, default=False
            Also return a :class:`~pulps.estimators.tables.compression.CompressionReport`.

        Returns
        -------
        model
            A fitted model of its own; this one is not changed.
        report : CompressionReport
            Only if ``return_report``.
        """
        states, report = compressed(self.states, self.encode(X), tolerance)
        model = copy(self)
        model.bond_dim = max(report.bonds_after, default=self.bond_dim)
        model.positive_cores_ = list(states.positive)
        model.negative_cores_ = list(states.negative)
        return (model, report) if return_report else model
