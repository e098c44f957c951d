"""What a fitted table model can tell and make: scores, densities, new rows, a report.

Everything here reads what :class:`pulps.LPSClassifier` learned; the densities themselves are
:class:`pulps.estimators.tables.density.ClassDensity`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, overload

import numpy as np
import pandas as pd
from sklearn.utils.validation import check_is_fitted
from torch import Generator

from pulps.estimators.answers import NEGATIVE, POSITIVE
from pulps.estimators.progress import line_of
from pulps.estimators.tables.density import ClassDensity
from pulps.estimators.tables.encoded_table import EncodedTable
from pulps.estimators.tables.fit import density_bases, fit_class_densities
from pulps.estimators.tables.prediction import TablePrediction
from pulps.estimators.tables.sample_report import SampleReport
from pulps.io.randomness import Seed, new_generator
from pulps.network.likelihood import LikelihoodRecipe
from pulps.tables.decoding import TableForm, fill
from pulps.tables.embedding import Embedding


class NotGenerativeError(AttributeError, ValueError):
    """A model is asked for rows, but fitted no densities to draw them from."""


class TableReadings(TablePrediction):
    """The readings of a fitted table model."""

    density: LikelihoodRecipe | None

    density_bases_: np.ndarray
    form_: TableForm
    negative_density_cores_: list[np.ndarray]
    positive_density_cores_: list[np.ndarray]

    @property
    def density_embedding(self) -> Embedding:
        """The embedding of the chains that generate."""
        if self.density is None:
            return self.embedding
        return replace(
            self.embedding, basis_names=self.density_bases_, feature_dim=self.density.feature_dim
        )

    def _fit_densities(
        self,
        table: EncodedTable,
        recipe: LikelihoodRecipe,
        called: np.ndarray,
        generator: Generator,
    ) -> None:
        """Learn the chains that generate, from labeled and called rows, and from the others."""
        positive = table.labeled | called
        self.density_bases_ = density_bases(self.encoder_, self.site_order_, generator)
        with line_of(self, recipe.max_epochs, "epoch of the densities") as tell:
            both = fit_class_densities(
                self.density_embedding,
                table.values,
                (positive, ~positive),
                table.weights,
                recipe,
                generator,
                tell,
            )
        self.positive_density_cores_, self.negative_density_cores_ = both

    def class_density(self, y: Any = None) -> ClassDensity:
        """Return the density of a class: a value to sample from, to read and to score with.

        Parameters
        ----------
        y : default=None
            One of ``classes_``; None takes the positive class.

        Returns
        -------
        ClassDensity
            By the chains of ``density`` if it was given, by the states otherwise.
        """
        return self._class_density(self.class_index(y) == POSITIVE)

    def _class_density(self, positive: bool) -> ClassDensity:
        if self.density is None:
            cores = self.positive_cores_ if positive else self.negative_cores_
        else:
            cores = self.positive_density_cores_ if positive else self.negative_density_cores_
        states, sign = self.states, 1 if positive else -1
        return ClassDensity.of(
            self.density_embedding,
            cores,
            self.encoder_,
            self.form_,
            lambda values: sign * states.log_ratios(values),
        )

    # Densities.

    def marginal(
        self,
        column: Any,
        y: Any = None,
        *,
        given: Mapping[Any, Any] | None = None,
        bins: int = 40,
    ) -> pd.Series:
        """Probability of the values of one column, all others integrated over.

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

    def joint(
        self,
        first: Any,
        second: Any,
        y: Any = None,
        *,
        given: Mapping[Any, Any] | None = None,
        bins: int = 20,
    ) -> pd.DataFrame:
        """Probability of pairs of values of two columns, all others integrated over.

        Parameters
        ----------
        first, second
            Two different columns, as in :meth:`marginal`.
        y, given, bins
            As in :meth:`marginal`.

        Returns
        -------
        pandas.DataFrame
            Probabilities, which sum to one; rows are values of ``first``.
        """
        return self.class_density(y).joint(first, second, given=given, bins=bins)

    def mutual_information(
        self, y: Any = None, *, columns: Sequence[Any] | None = None
    ) -> pd.DataFrame:
        """Mutual information of all pairs of columns under a class, in nats.

        Numeric columns are cut into 64 cells of equal encoded width, so that the values are
        slightly too small. The diagonal is left empty (NaN).

        Parameters
        ----------
        y : default=None
            One of ``classes_``; None takes the positive class.
        columns : list of str or int, default=None
            Names, or indices for a model fitted on an array; None takes all.

        Returns
        -------
        pandas.DataFrame
            Rows and columns are the columns asked for.
        """
        return self.class_density(y).mutual_information(columns=columns)

    def score_samples(self, X: Any, y: Any = None) -> np.ndarray:
        r"""Log-density of each row under a class: the average density of the members.

        The density of a member is :math:`\|P\Phi(x)\|^2 / Z`, with respect to the unit
        interval of encoded numeric attributes and to counting of categories, and missing
        attributes are integrated over. It integrates to one, also with repeats, where Z is
        not :math:`\|P\|_F^2`: all copies of an attribute take one value. With many repeated
        attributes Z is estimated from draws (see :mod:`pulps.network.sampling`).

        Parameters
        ----------
        X : table or array
            Rows of the same kind as in ``fit``.
        y : default=None
            One of ``classes_``; None takes the positive class.

        Returns
        -------
        array of shape (rows,)
        """
        density = self.class_density(y)
        return np.concatenate([density.log_density(v) for v in self._encoded_chunks(X)])

    def log_evidence(self, X: Any, prior: float | None = None) -> np.ndarray:
        """Log-density of each row whatever its class: small for rows unlike all training rows.

        Parameters
        ----------
        X : table or array
            Rows.
        prior : float, default=None
            Share of positives; None takes ``prior_``, given or learned.

        Returns
        -------
        array of shape (rows,)
        """
        check_is_fitted(self)
        prior = self.prior_ if prior is None else prior
        if not 0 < prior < 1:
            raise ValueError(f"prior is {prior}; it must lie between 0 and 1.")
        negative, positive = (
            self.score_samples(X, self.classes_[index]) for index in (NEGATIVE, POSITIVE)
        )
        return np.logaddexp(np.log(prior) + positive, np.log1p(-prior) + negative)

    # New rows.

    @overload
    def sample(
        self,
        n_samples: int = 1,
        y: Any = None,
        *,
        given: dict[Any, Any] | None = None,
        accept: float | None = None,
        min_score: float | None = None,
        even: bool = False,
        states: bool = False,
        random_state: Seed = None,
        return_report: Literal[False] = False,
    ) -> Any: ...

    @overload
    def sample(
        self,
        n_samples: int = 1,
        y: Any = None,
        *,
        given: dict[Any, Any] | None = None,
        accept: float | None = None,
        min_score: float | None = None,
        even: bool = False,
        states: bool = False,
        random_state: Seed = None,
        return_report: Literal[True],
    ) -> tuple[Any, SampleReport]: ...

    def sample(
        self,
        n_samples: int = 1,
        y: Any = None,
        *,
        given: Mapping[Any, Any] | None = None,
        accept: float | None = None,
        min_score: float | None = None,
        even: bool = False,
        states: bool = False,
        random_state: Seed = None,
        return_report: bool = False,
    ) -> Any:
        """Draw new rows of a class, from densities that were fitted as such.

        The attributes are drawn one after the other from their conditional densities,
        averaged over members.

        Parameters
        ----------
        n_samples : int, default=1
            Rows to return.
        y : default=None
            One of ``classes_``; None takes the positive class.
        given : dict, default=None
            Values of some columns, by name (or index, for a model fitted on an array). All
            others are drawn given these. A number beyond the range of the fit counts as
            the end of the range.
        accept : float, default=None
            Keep a row only if the log-ratio of *every* member, in favor of the class,
            exceeds this number; the paper takes 20. None keeps all rows.
        min_score : float, default=None
            Keep a row only if its :meth:`score_samples` is at least this: removes outliers.
        even : bool, default=False
            Spread the rows evenly over the density instead of drawing each independently:
            their frequencies are then closer to the probabilities, but as a whole they are
            no independent sample.
        states : bool, default=False
            Draw from the states even if no ``density`` was fitted, as the paper does. They were
            trained to tell classes apart: such rows need not look like the table.
        random_state : int, RandomState or None, default=None
            Source of the draws.
        return_report : bool, default=False
            Also return a :class:`~pulps.estimators.tables.density.SampleReport`, which has the
            acceptance rate.

        Returns
        -------
        table
            Of the kind the model was fitted on: same library, columns, types, categories.
        report : SampleReport
            Only if ``return_report``.

        Examples
        --------
        >>> from pulps import LPSClassifier
        >>> from pulps.datasets import make_toy
        >>> X, y, _ = make_toy("blobs", n_rows=100, n_labeled=20, random_state=0)
        >>> model = LPSClassifier.generative(n_members=2, max_epochs=50, random_state=0)
        >>> model.fit(X, y).sample(3, given={"x1": 3.0}, random_state=0).x1.tolist()
        [3.0, 3.0, 3.0]
        """
        density = self.class_density(y)
        if self.density is None and not states:
            raise NotGenerativeError(
                "The states of this model tell classes apart and are no densities, so rows drawn "
                "from them would not look like the table. Fit LPSClassifier.generative(), or "
                "PUClassifier(generative=True), or 'pulps fit --generative'; states=True draws "
                "from them nevertheless, as the paper does."
            )
        table, report = density.sample(
            n_samples,
            given=given,
            accept=accept,
            min_score=min_score,
            even=even,
            random_state=random_state,
        )
        return (table, report) if return_report else table

    def impute(
        self,
        X: Any,
        y: Any = None,
        *,
        how: Literal["draw", "mode", "mean"] = "draw",
        random_state: Seed = None,
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
            ``"draw"`` draws all missing cells of a row jointly. ``"mode"`` and ``"mean"``
            fill every cell on its own, the others being integrated over, with the most
            probable encoded value or with the mean; a category always with the most
            probable one.
        random_state : int, RandomState or None, default=None
            Source of the draws.

        Returns
        -------
        table
            A copy of X. Nothing but missing cells differs; a category that was not seen at
            fit is no missing cell.
        """
        check_is_fitted(self)
        if how not in ("draw", "mode", "mean"):
            raise ValueError(f"how is {how!r}; it must be 'draw', 'mode' or 'mean'.")
        X = self.check_columns(X)
        values = self.encoder_.transform(X)
        if y is None:
            positive = self.decision_of_encoded(values) > 0
        else:
            positive = np.full(len(values), self.class_index(y) == POSITIVE)
        generator = new_generator(random_state)
        filled = values.copy()
        for is_positive in (False, True):
            rows = np.flatnonzero((positive == is_positive) & np.isnan(values).any(axis=1))
            density = self._class_density(is_positive)
            filled[rows] = density.fill(values[rows], how, generator)
        return fill(X, filled, self.encoder_, self.form_)
