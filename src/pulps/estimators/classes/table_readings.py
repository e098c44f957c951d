"""What a model of several classes answers about tables: probabilities, densities, new rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import logsumexp
from sklearn.utils.validation import check_is_fitted

from pulps.estimators.classes.answers import ClassAnswers
from pulps.estimators.questions.reports import Reports
from pulps.estimators.tables.density import ClassDensity
from pulps.estimators.tables.readings import NotGenerativeError
from pulps.estimators.tables.states import CHUNK, log_norms
from pulps.io.randomness import Seed, new_generator
from pulps.network.likelihood import LikelihoodRecipe
from pulps.network.stack import join
from pulps.tables.checking import check_columns
from pulps.tables.decoding import TableForm, fill
from pulps.tables.embedding import Embedding
from pulps.tables.encoding import TableEncoder
from pulps.tables.notices import Cells
from pulps.views.classes.fitting import CLASS_VIEWS


class ClassTableReadings(Reports, ClassAnswers):
    """The readings of a fitted model of several classes."""

    blend: float
    density: LikelihoodRecipe | None
    feature_dim: int

    density_bases_: np.ndarray
    density_cores_: list[list[np.ndarray]]
    encoder_: TableEncoder
    form_: TableForm
    site_bases_: np.ndarray
    site_order_: np.ndarray
    teacher_: Any

    # Classes.

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probability of every class, by the network and its first guess as ``blend`` says.

        Parameters
        ----------
        X : table or array
            Rows of the same kind as in ``fit``; what is missing is traced out.

        Returns
        -------
        array of shape (rows, classes)
            Columns in the order of ``classes_``.
        """
        parts = [self.probabilities_of_encoded(values) for values in self._encoded_chunks(X)]
        return np.concatenate(parts)

    def probabilities_of_encoded(self, values: np.ndarray) -> np.ndarray:
        """Probability of every class for rows that are encoded already; see :meth:`encode`.

        Parameters
        ----------
        values : array of shape (rows, columns used)
            Encoded rows.

        Returns
        -------
        array of shape (rows, classes)
        """
        check_is_fitted(self)
        if self.teacher_ is None:
            return self.probabilities_of_norms(self.log_norms(values))
        if self.blend == 0:
            return self.teacher_.probabilities(values)
        both = self.blend * self.probabilities_of_norms(self.log_norms(values))
        return both + (1 - self.blend) * self.teacher_.probabilities(values)

    def _transduced(self, values: Any, known: np.ndarray) -> np.ndarray:
        """Class of encoded rows: the known one, or what is predicted."""
        best = [
            self.probabilities_of_encoded(values[first : first + CHUNK]).argmax(axis=1)
            for first in range(0, len(known), CHUNK)
        ]
        return self.classes_[np.where(known >= 0, known, np.concatenate(best))]

    def log_norms(self, values: np.ndarray) -> np.ndarray:
        """Log-norm of encoded rows under every state of every kept member.

        Parameters
        ----------
        values : array of shape (rows, columns used)
            Encoded rows, NaN traced out.

        Returns
        -------
        array of shape (classes, members, rows)
        """
        return log_norms(self.embedding, join(*self.cores_), values, len(self.classes_))

    def member_classes(self, values: np.ndarray) -> np.ndarray:
        """Class that each kept member alone would give encoded rows.

        Parameters
        ----------
        values : array of shape (rows, columns used)
            Encoded rows, NaN traced out.

        Returns
        -------
        array of shape (members, rows)
            Positions in ``classes_``.
        """
        return self.votes_of_norms(self.log_norms(values))

    @property
    def views_(self) -> pd.DataFrame:
        """Weight of each view in the first guess, and the share of held-out labels it finds."""
        check_is_fitted(self)
        told = getattr(self.teacher_, "classes", self.teacher_)
        opinions = [] if told is None else told.opinions
        sentences = {view.name: view.sentence for view in CLASS_VIEWS}
        return pd.DataFrame(
            [(one.weight, one.accuracy, sentences.get(one.name, "")) for one in opinions],
            pd.Index([one.name for one in opinions], name="view", dtype=object),
            ["weight", "accuracy", "what"],
        )

    # Rows.

    def check_columns(self, X: Any, *, reset: Any = False) -> Any:
        """Check names and number of columns.

        Parameters
        ----------
        X : table or array
            Rows.
        reset : bool, default=False
            Whether these are the columns of a fit, to be remembered.

        Returns
        -------
        table or array
            Arrays become numeric, tables stay as they are.
        """
        return check_columns(self, X, reset=reset)

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
        checked = self.check_columns(X)
        yield from self.encoder_.transform_chunks(checked, CHUNK, cells)
        cells.warn()

    @property
    def embedding(self) -> Embedding:
        """From encoded rows to features."""
        return Embedding(
            self.encoder_.columns_, self.site_order_, self.site_bases_, self.feature_dim
        )

    # Densities.

    @property
    def density_embedding(self) -> Embedding:
        """The embedding of the chains that generate."""
        if self.density is None:
            return self.embedding
        return replace(
            self.embedding, basis_names=self.density_bases_, feature_dim=self.density.feature_dim
        )

    def class_density(self, y: Any) -> ClassDensity:
        """Return the density of a class: a value to sample from, to read and to score with.

        Parameters
        ----------
        y
            One of ``classes_``.

        Returns
        -------
        ClassDensity
            By the chains of ``density`` if it was given, by the states otherwise.
        """
        state = self.class_index(y)
        cores = self.cores_ if self.density is None else self.density_cores_

        def leads(values: np.ndarray) -> np.ndarray:
            logs = self.log_norms(values)
            return logs[state] - np.delete(logs, state, axis=0).max(axis=0)

        return ClassDensity.of(
            self.density_embedding, cores[state], self.encoder_, self.form_, leads
        )

    def marginal(self, column: Any, y: Any, *, given: Any = None, bins: int = 40) -> pd.Series:
        """Probability of the values of one column in a class, all others integrated over.

        Parameters
        ----------
        column : str or int
            Name, or index for a model fitted on an array.
        y, given
            As in :meth:`sample`.
        bins : int, default=40
            Equal cells that a numeric column's range is cut into.

        Returns
        -------
        pandas.Series
            Probabilities, which sum to one, indexed by categories or intervals.
        """
        return self.class_density(y).marginal(column, given=given, bins=bins)

    def score_samples(self, X: Any, y: Any = None) -> np.ndarray:
        """Log-density of each row, in a class or whatever its class.

        Parameters
        ----------
        X : table or array
            Rows of the same kind as in ``fit``.
        y : default=None
            One of ``classes_``; None weighs all classes by their shares, which tells how unlike
            all training rows a row is.

        Returns
        -------
        array of shape (rows,)
        """
        values = self.encode(X)
        if y is not None:
            return self.class_density(y).log_density(values)
        shares = np.log(np.maximum(self.class_share_table_[:, 0], 1e-6))
        logs = [
            share + self.class_density(one).log_density(values)
            for one, share in zip(self.classes_.tolist(), shares, strict=True)
        ]
        return logsumexp(logs, axis=0)

    def sample(
        self,
        n_samples: int = 1,
        y: Any = None,
        *,
        given: Any = None,
        accept: Any = None,
        min_score: Any = None,
        states: Any = False,
        random_state: Seed = None,
    ) -> Any:
        """Draw new rows of a class, from densities that were fitted as such.

        Parameters
        ----------
        n_samples : int, default=1
            Rows to return.
        y : default=None
            One of ``classes_``; needed, since no class comes first.
        given : dict[str, Any], default=None
            Values of some columns, by name (or index, for a model fitted on an array). All
            others are drawn given these.
        accept : float, default=None
            Keep a row only if the log-ratio of its class to the next best exceeds this for
            *every* member.
        min_score : float, default=None
            Keep a row only if its :meth:`score_samples` in the class is at least this.
        states : bool, default=False
            Draw from the states even if no ``density`` was fitted. They were trained to tell
            classes apart: such rows need not look like the table.
        random_state : int, RandomState or None, default=None
            Source of the draws.

        Returns
        -------
        table
            Of the kind the model was fitted on: same library, columns, types, categories.
        """
        density = self.class_density(y)
        if self.density is None and not states:
            raise NotGenerativeError(
                "The states of this model tell classes apart and are no densities, so rows drawn "
                "from them would not look like the table. Fit with density=LikelihoodRecipe(); "
                "states=True draws from the states nevertheless."
            )
        table, _ = density.sample(
            n_samples, given=given, accept=accept, min_score=min_score, random_state=random_state
        )
        return table

    def impute(
        self, X: Any, y: Any = None, *, how: Any = "draw", random_state: Seed = None
    ) -> Any:
        """Fill missing cells from their density given the rest of their row.

        Parameters
        ----------
        X : table or array
            Rows with missing cells.
        y : default=None
            The class whose density is used, one of ``classes_``; None takes the class that the
            model predicts for each row.
        how : {"draw", "mode", "mean"}, default="draw"
            As in :meth:`pulps.LPSClassifier.impute`.
        random_state : int, RandomState or None, default=None
            Source of the draws.

        Returns
        -------
        table
            A copy of X. Nothing but missing cells differs.
        """
        check_is_fitted(self)
        if how not in ("draw", "mode", "mean"):
            raise ValueError(f"how is {how!r}; it must be 'draw', 'mode' or 'mean'.")
        X = self.check_columns(X)
        values = self.encoder_.transform(X)
        if y is None:
            classes = self.probabilities_of_encoded(values).argmax(axis=1)
        else:
            classes = np.full(len(values), self.class_index(y))
        generator, filled = new_generator(random_state), values.copy()
        for state, one in enumerate(self.classes_.tolist()):
            rows = np.flatnonzero((classes == state) & np.isnan(values).any(axis=1))
            if len(rows):
                filled[rows] = self.class_density(one).fill(values[rows], how, generator)
        return fill(X, filled, self.encoder_, self.form_)
