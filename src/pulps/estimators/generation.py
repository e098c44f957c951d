"""What a fitted model can make: rows and filled cells.

These methods of ``LPSClassifier`` translate between the user's table and
:mod:`pulps.network.sampling`, which knows numbers and codes only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
import torch
from sklearn.utils.validation import check_is_fitted

from pulps.estimators.density import patterns, scores
from pulps.io.randomness import new_generator
from pulps.network import sampling
from pulps.network.cosines import cosines, midpoints
from pulps.tables.decoding import fill, to_table
from pulps.tables.encoding import CategoricalColumn, NumericColumn

MAX_ROUNDS = 20
FINE = 512
DRAWS_PER_ROW = 64


@dataclass(frozen=True)
class SampleReport:
    """How a sample came about.

    Parameters
    ----------
    n_drawn, n_accepted
        Rows drawn, and those of them that passed.
    method
        ``"sweep"`` and ``"grid"`` are exact; see :mod:`pulps.network.sampling` for ``"resample"``.
    efficiency
        Effective share of the proposals; one for the exact methods.
    """

    n_drawn: int
    n_accepted: int
    method: str
    efficiency: float

    @property
    def acceptance(self) -> float:
        """Share of the drawn rows that passed."""
        return self.n_accepted / self.n_drawn


class GenerationMixin:
    """Sampling and imputation of a fitted ``LPSClassifier``."""

    encoder_: Any
    form_: Any
    # Of the classifier and of its densities:
    _chains: Any
    _check_columns: Any
    _condition: Any
    _is_positive: Any
    _position: Any
    _ratios: Any
    decision_function: Any

    def sample(
        self,
        n_samples=1,
        y=1,
        *,
        given=None,
        accept=None,
        min_score=None,
        even=False,
        random_state=None,
        return_report=False,
    ):
        """Draw new rows of a class.

        The attributes are drawn one after the other from their conditional densities,
        averaged over members.

        Parameters
        ----------
        n_samples : int, default=1
            Rows to return.
        y : default=1
            1 or ``classes_[1]`` for the positive class, 0 or ``classes_[0]`` for the negative.
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
        random_state : int, RandomState or None, default=None
            Source of the draws.
        return_report : bool, default=False
            Also return a :class:`SampleReport`, which has the acceptance rate.

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
        check_is_fitted(self)
        if n_samples < 1:
            raise ValueError(f"n_samples is {n_samples}; at least one row must be drawn.")
        positive = self._is_positive(y)
        condition = self._condition(given)
        generator = new_generator(random_state)
        chains = self._chains(positive)
        kept: list[np.ndarray] = []
        n_drawn = n_kept = 0
        for _ in range(MAX_ROUNDS):
            rate = (n_kept + 1) / (n_drawn + 1)
            n_rows = int(min((n_samples - n_kept) / rate * 1.1 + 1, 10 * n_samples))
            if n_drawn == 0 or (accept is None and min_score is None):
                n_rows = n_samples - n_kept
            draws = sampling.draw(chains, condition, n_rows, generator, even=even)
            values = self._snapped(draws.values.numpy())
            passed = self._passes(values, positive, accept, min_score)
            kept.append(values[passed])
            n_drawn, n_kept = n_drawn + n_rows, n_kept + int(passed.sum())
            if n_kept >= n_samples:
                break
        else:
            raise ValueError(
                f"Only {n_kept} of {n_drawn} rows drawn passed accept={accept} and "
                f"min_score={min_score}, fewer than n_samples={n_samples}. Lower the bar, or "
                "fit LPSClassifier.generative()."
            )
        rows = np.concatenate(kept)[:n_samples]
        table = self._write(rows, given)
        report = SampleReport(n_drawn, n_kept, draws.method, draws.efficiency)
        return (table, report) if return_report else table

    def impute(self, X, y=None, *, how="draw", random_state=None):
        """Fill missing cells from their density given the rest of their row.

        Parameters
        ----------
        X : table or array
            Rows with missing cells.
        y : default=None
            The class whose density is used, as in :meth:`sample`; None takes the class
            that the model predicts for each row.
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
        X = self._check_columns(X, reset=False)
        values = self.encoder_.transform(X)
        if y is None:
            positive = self.decision_function(X) > 0
        else:
            positive = np.full(len(values), self._is_positive(y))
        generator = new_generator(random_state)
        filled = values.copy()
        for side in (False, True):
            chains = self._chains(side)
            rows = np.flatnonzero((positive == side) & np.isnan(values).any(axis=1))
            for part, missing in patterns(chains, values, rows):
                given = torch.as_tensor(values[part])
                if how == "draw":
                    filled[part] = _draw(chains, given, generator)
                else:
                    filled[part] = self._typical(chains, given, missing, how, generator)
        return fill(X, filled, self.encoder_, self.form_)

    def _write(self, rows: np.ndarray, given: Mapping | None):
        """Write encoded rows as a table; what was given is there as it was given."""
        exact = self.form_
        table = to_table(rows, self.encoder_, exact)
        for name, value in (given or {}).items():
            column = self.encoder_.columns_[self._position(name)]
            if isinstance(column, CategoricalColumn):
                continue
            if exact.library == "numpy":
                table[:, name] = value
            elif exact.library == "pandas":
                table[name] = pd.Series(value, index=table.index).astype(table[name].dtype)
            else:
                table = _with_value(table, name, value)
        return table

    def _snapped(self, values: np.ndarray) -> np.ndarray:
        """Move columns of whole numbers to the whole numbers that will be written."""
        values = values.copy()
        for position, column in enumerate(self.encoder_.columns_):
            if isinstance(column, NumericColumn) and column.whole:
                values[:, position] = column.encode(column.decode(values[:, position]))
        return values

    def _passes(self, values, positive, accept, min_score) -> np.ndarray:
        passed = np.ones(len(values), dtype=bool)
        if accept is not None:
            ratios = self._ratios(values)
            passed &= (ratios if positive else -ratios).min(axis=0) > accept
        if min_score is not None:
            passed &= scores(self._chains(positive), values) >= min_score
        return passed

    def _typical(self, chains, given, missing, how, generator) -> np.ndarray:
        """Fill every missing cell with its mode or mean."""
        filled = given.clone()
        if chains.method(missing, per_row=True) == "resample":
            return self._typical_of_draws(chains, given, how, generator)
        for attribute, column in enumerate(self.encoder_.columns_):
            rows = given[:, attribute].isnan()
            if not rows.any():
                continue
            axis = chains.axes[attribute]
            coefficients = sampling.conditionals(chains, given[rows], attribute)
            if axis.discrete:
                filled[rows, attribute] = coefficients.argmax(1).to(torch.float64)
                continue
            u = midpoints(FINE)
            density = coefficients @ cosines(u, coefficients.shape[1] - 1).mT
            if how == "mode":
                filled[rows, attribute] = u[density.argmax(1)]
            else:
                at = np.interp(u.numpy(), column.positions, column.knots)
                mean = (density @ torch.as_tensor(at)) / density.sum(1)
                filled[rows, attribute] = torch.as_tensor(column.encode(mean.numpy()))
        return filled.numpy()

    def _typical_of_draws(self, chains, given, how, generator) -> np.ndarray:
        """Mean or most probable one of several joint draws of each row."""
        filled = given.clone()
        for row in range(len(given)):
            draws = sampling.draw(chains, given[row : row + 1], DRAWS_PER_ROW, generator)
            filled[row] = draws.values[draws.log_density.argmax()]
            if how == "mode":
                continue
            for attribute in given[row].isnan().nonzero()[:, 0].tolist():
                column = self.encoder_.columns_[attribute]
                if not isinstance(column, CategoricalColumn):
                    u = draws.values[:, attribute].numpy()
                    mean = np.interp(u, column.positions, column.knots).mean(keepdims=True)
                    filled[row, attribute] = float(column.encode(mean)[0])
        return filled.numpy()


def _with_value(table, name, value):
    frame = nw.from_native(table, eager_only=True)
    kind = frame[name].dtype
    return frame.with_columns(nw.lit(value).cast(kind).alias(name)).to_native()


def _draw(chains: sampling.Chains, given: torch.Tensor, generator) -> np.ndarray:
    condition = given[:1] if bool(given.isnan().all()) else given
    return sampling.draw(chains, condition, len(given), generator).values.numpy()
