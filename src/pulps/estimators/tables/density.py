"""The density of one class, as a value: draws, marginals, scores, filled cells.

:class:`ClassDensity` translates between the user's table and :mod:`pulps.network.sampling`,
which knows numbers and codes only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import torch
from scipy.special import logsumexp
from torch import Tensor

from pulps.estimators.tables.sample_report import SampleReport
from pulps.io.naming import quoted
from pulps.io.randomness import Seed, new_generator
from pulps.network import sampling
from pulps.network.axis import Axis
from pulps.network.chains import Chains
from pulps.network.cosines import cosines, integrals, midpoints
from pulps.tables.columns import CategoricalColumn, Column, NumericColumn
from pulps.tables.decoding import TableForm, to_table, with_values
from pulps.tables.dependence import mutual_information
from pulps.tables.embedding import Embedding
from pulps.tables.encoding import TableEncoder
from pulps.tables.interpolation import breaks_between, interpolate_back

MUTUAL_BINS = 64
Given = Mapping[Any, Any] | None  # values of some columns, by name or index
DRAWS, DRAWS_PER_ROW = 4096, 64
MAX_ROUNDS = 20
FINE = 512


@dataclass(frozen=True)
class ClassDensity:
    """The density of one class of a fitted model.

    Parameters
    ----------
    chains
        The chains that are the density.
    encoder, form
        How the table of the fit is encoded, and how it looks.
    leads
        From encoded rows to the log-ratio of every member in favor of the class, shape (members,
        rows): members have a veto on rows that are drawn.

    Examples
    --------
    >>> from pulps import LPSClassifier
    >>> from pulps.datasets import make_toy
    >>> X, y, _ = make_toy("blobs", n_rows=100, n_labeled=20, random_state=0)
    >>> model = LPSClassifier.generative(n_members=2, max_epochs=50, random_state=0).fit(X, y)
    >>> rows, report = model.class_density(1).sample(3, given={"x1": 3.0}, random_state=0)
    >>> rows.x1.tolist(), report.method
    ([3.0, 3.0, 3.0], 'sweep')
    """

    chains: Chains
    encoder: TableEncoder
    form: TableForm
    leads: Callable[[np.ndarray], np.ndarray]

    @classmethod
    def of(
        cls,
        embedding: Embedding,
        cores: Sequence[np.ndarray],
        encoder: TableEncoder,
        form: TableForm,
        leads: Callable[[np.ndarray], np.ndarray],
    ) -> ClassDensity:
        """Build the density of a class.

        Parameters
        ----------
        embedding, cores
            From rows to features, and the cores that belong to it.
        encoder, form, leads
            As in the class.

        Returns
        -------
        ClassDensity
        """
        n_values = [column.n_values for column in embedding.columns]
        tensors = [torch.as_tensor(core) for core in cores]
        chains = Chains(tensors, embedding.bases, n_values, embedding.order.tolist())
        return cls(chains, encoder, form, leads)

    # Probabilities.

    def marginal(self, column: Any, *, given: Given = None, bins: int = 40) -> pd.Series:
        """Probability of the values of one column.

        Parameters
        ----------
        column, given, bins
            As in ``LPSClassifier.marginal``.

        Returns
        -------
        pandas.Series
        """
        condition = self._condition(given)
        attribute, index, edges = self._cells(column, bins)
        condition[0, attribute] = np.nan
        if self._exact(condition):
            cells = _cell_integrals(self.chains.axes[attribute], edges)
            probability = cells @ sampling.conditionals(self.chains, condition, attribute)[0]
        else:
            drawn = self._typical_draws(condition)[:, attribute]
            probability = torch.as_tensor(np.histogram(drawn, edges)[0] / DRAWS)
        return pd.Series(probability.clamp_min(0).numpy(), index=index, name=column)

    def joint(
        self, first: Any, second: Any, *, given: Given = None, bins: int = 20
    ) -> pd.DataFrame:
        """Probability of pairs of values of two columns.

        Parameters
        ----------
        first, second, given, bins
            As in ``LPSClassifier.joint``.

        Returns
        -------
        pandas.DataFrame
            Rows are values of ``first``.
        """
        condition = self._condition(given)
        axes = [self._cells(column, bins) for column in (first, second)]
        pair = (axes[0][0], axes[1][0])
        if pair[0] == pair[1]:
            raise ValueError(f"joint needs two columns, but {quoted(first)} came twice.")
        condition[0, list(pair)] = np.nan
        table = self._pair_table(condition, pair, (axes[0][2], axes[1][2]))
        return pd.DataFrame(table, index=axes[0][1], columns=axes[1][1])

    def mutual_information(self, *, columns: Sequence[Any] | None = None) -> pd.DataFrame:
        """Mutual information of pairs of columns, in nats.

        Parameters
        ----------
        columns
            As in ``LPSClassifier.mutual_information``.

        Returns
        -------
        pandas.DataFrame
            NaN on the diagonal.
        """
        condition = self._condition(None)
        edges = [
            np.arange(len(axis.nodes) + 1) - 0.5
            if axis.discrete
            else np.linspace(0, 1, MUTUAL_BINS + 1)
            for axis in self.chains.axes
        ]
        chosen = range(len(edges)) if columns is None else [*map(self._position, columns)]
        names = [self.encoder.columns_[position].name for position in chosen]
        found = pd.DataFrame(np.nan, index=names, columns=names)
        for cell in combinations(range(len(names)), 2):
            pair = (chosen[cell[0]], chosen[cell[1]])
            table = self._pair_table(condition, pair, (edges[pair[0]], edges[pair[1]]))
            found.iloc[cell] = found.iloc[cell[::-1]] = max(0.0, mutual_information(table))
        return found

    def log_density(self, values: np.ndarray) -> np.ndarray:
        """Log of the members' average normalized density of encoded rows, NaN integrated over.

        Parameters
        ----------
        values
            Encoded rows, shape (rows, columns used).

        Returns
        -------
        array of shape (rows,)
        """
        generator = new_generator(0)
        nothing = torch.full((1, values.shape[1]), np.nan, dtype=torch.float64)
        log_total, _ = sampling.log_masses(self.chains, nothing, generator)
        scores = np.zeros(len(values))
        for rows, _ in self._patterns(values):
            masses, _ = sampling.log_masses(self.chains, torch.as_tensor(values[rows]), generator)
            scores[rows] = logsumexp((masses - log_total).numpy(), axis=0) - np.log(len(masses))
        return scores

    # Draws.

    def sample(
        self,
        n_samples: int = 1,
        *,
        given: Given = None,
        accept: float | None = None,
        min_score: float | None = None,
        even: bool = False,
        random_state: Seed = None,
    ) -> tuple[Any, SampleReport]:
        """Draw new rows.

        Parameters
        ----------
        n_samples, given, accept, min_score, even, random_state
            As in ``LPSClassifier.sample``.

        Returns
        -------
        table, SampleReport
            The rows, and how they came about.
        """
        if n_samples < 1:
            raise ValueError(f"n_samples is {n_samples}; at least one row must be drawn.")
        condition = self._condition(given)
        generator = new_generator(random_state)
        kept: list[np.ndarray] = []
        n_drawn = n_kept = 0
        for _ in range(MAX_ROUNDS):
            rate = (n_kept + 1) / (n_drawn + 1)
            n_rows = int(min((n_samples - n_kept) / rate * 1.1 + 1, 10 * n_samples))
            if n_drawn == 0 or (accept is None and min_score is None):
                n_rows = n_samples - n_kept
            draws = sampling.draw(self.chains, condition, n_rows, generator, even=even)
            values = self._snapped(draws.values.numpy())
            passed = self._passes(values, accept, min_score)
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
        report = SampleReport(n_drawn, n_kept, draws.method, draws.efficiency)
        return self._write(rows, given), report

    def quick_draws(self, n_rows: int, random_state: Seed) -> tuple[np.ndarray, bool]:
        """Draw encoded rows the quick way.

        Parameters
        ----------
        n_rows
            How many.
        random_state
            Source of the draws.

        Returns
        -------
        array, bool
            The rows, and whether they are exact draws.
        """
        exact = self.chains.n_repeats == 1
        draws = sampling.draw(
            self.chains,
            self._condition(None),
            n_rows,
            new_generator(random_state),
            method="sweep" if exact else "resample",
        )
        return self._snapped(draws.values.numpy()), exact

    def fill(self, values: np.ndarray, how: str, generator: torch.Generator) -> np.ndarray:
        """Fill the missing cells of encoded rows; see ``LPSClassifier.impute``.

        Parameters
        ----------
        values
            Encoded rows, NaN where missing.
        how
            ``"draw"``, ``"mode"`` or ``"mean"``.
        generator
            Source of the draws.

        Returns
        -------
        array of the shape of values
            Without NaN.
        """
        filled = values.copy()
        for rows, missing in self._patterns(values):
            given = torch.as_tensor(values[rows])
            if how != "draw":
                filled[rows] = self._typical(given, missing, how, generator)
                continue
            condition = given[:1] if bool(given.isnan().all()) else given
            drawn = sampling.draw(self.chains, condition, len(given), generator)
            filled[rows] = drawn.values.numpy()
        return filled

    def _typical(
        self, given: Tensor, missing: list[int], how: str, generator: torch.Generator
    ) -> np.ndarray:
        """Fill every missing cell with its mode or mean."""
        filled = given.clone()
        if self.chains.method(missing, per_row=True) == "resample":
            return self._typical_of_draws(given, how, generator)
        for attribute, column in enumerate(self.encoder.columns_):
            rows = given[:, attribute].isnan()
            if not rows.any():
                continue
            coefficients = sampling.conditionals(self.chains, given[rows], attribute)
            if not isinstance(column, NumericColumn):
                filled[rows, attribute] = coefficients.argmax(1).to(torch.float64)
                continue
            u = midpoints(FINE)
            density = coefficients @ cosines(u, coefficients.shape[1] - 1).mT
            if how == "mode":
                filled[rows, attribute] = u[density.argmax(1)]
            else:
                at = interpolate_back(u.numpy(), column.positions, column.knots)
                mean = (density / density.sum(1, keepdim=True)) @ torch.as_tensor(at)
                filled[rows, attribute] = torch.as_tensor(column.encode(mean.numpy()))
        return filled.numpy()

    def _typical_of_draws(self, given: Tensor, how: str, generator: torch.Generator) -> np.ndarray:
        """Mean or most probable one of several joint draws of each row."""
        filled = given.clone()
        for row in range(len(given)):
            draws = sampling.draw(self.chains, given[row : row + 1], DRAWS_PER_ROW, generator)
            filled[row] = draws.values[draws.log_density.argmax()]
            if how == "mode":
                continue
            for attribute in given[row].isnan().nonzero()[:, 0].tolist():
                column = self.encoder.columns_[attribute]
                if not isinstance(column, CategoricalColumn):
                    u = draws.values[:, attribute].numpy()
                    at = interpolate_back(u, column.positions, column.knots)
                    mean = (at / len(at)).sum(keepdims=True)
                    filled[row, attribute] = float(column.encode(mean)[0])
        return filled.numpy()

    # Between the table and the chains.

    def _patterns(self, values: np.ndarray) -> Iterator[tuple[np.ndarray, list[int]]]:
        """Rows that can be treated together; with repeats, those that miss the same cells."""
        if not len(values):
            return
        missing = np.isnan(values)
        if self.chains.n_repeats == 1:
            yield np.arange(len(values)), np.flatnonzero(missing.any(axis=0)).tolist()
            return
        patterns, which = np.unique(missing, axis=0, return_inverse=True)
        for number, pattern in enumerate(patterns):
            yield np.flatnonzero(which.ravel() == number), np.flatnonzero(pattern).tolist()

    def _exact(self, condition: torch.Tensor) -> bool:
        missing = condition.isnan().any(dim=0).nonzero()[:, 0].tolist()
        return self.chains.method(missing, per_row=False) != "resample"

    def _typical_draws(self, condition: torch.Tensor) -> np.ndarray:
        return sampling.draw(self.chains, condition, DRAWS, new_generator(0)).values.numpy()

    def _pair_table(
        self, condition: Tensor, pair: tuple[int, int], edges: tuple[np.ndarray, np.ndarray]
    ) -> np.ndarray:
        """Probabilities of the cells of two attributes."""
        if not self._exact(condition):
            drawn = self._typical_draws(condition)[:, list(pair)]
            return np.histogramdd(drawn, bins=edges)[0] / DRAWS
        density = sampling.pair_density(self.chains, condition, pair)
        first, second = (
            _cell_integrals(self.chains.axes[attribute], cells)
            for attribute, cells in zip(pair, edges, strict=True)
        )
        return (first @ density @ second.mT).clamp_min(0).numpy()

    def _position(self, name: Any) -> int:
        """Index of a column that varied at fit among those."""
        for position, column in enumerate(self.encoder.columns_):
            if name == (column.index if self.form.library == "numpy" else column.name):
                return position
        known = [column.name for column in self.encoder.columns_]
        if name in self.encoder.constant_features_:
            raise ValueError(f"Column {quoted(name)} did not vary at fit, so it is left out.")
        advice = f"The columns are {quoted(known)}."
        if self.form.library == "numpy":
            advice = f"The model was fitted on an array; name an index below {len(known)}."
        raise ValueError(f"There is no column {quoted(name)}. {advice}")

    def _condition(self, given: Given) -> torch.Tensor:
        """One encoded row that holds what is given and misses all else."""
        values = torch.full((1, len(self.encoder.columns_)), np.nan, dtype=torch.float64)
        for name, value in (given or {}).items():
            position = self._position(name)
            values[0, position] = self.encoder.columns_[position].encode_value(value)
        return values

    def _cells(self, name: Any, bins: int) -> tuple[int, pd.Index, np.ndarray]:
        """Position of a column, labels of its cells and their edges in encoded values."""
        position = self._position(name)
        column = self.encoder.columns_[position]
        if isinstance(column, CategoricalColumn):
            labels = column.shown(self.form.columns[column.index].labels)
            return position, pd.Index(labels), np.arange(len(column.categories) + 1) - 0.5
        breaks = breaks_between(column.knots[0], column.knots[-1], bins)
        return position, pd.IntervalIndex.from_breaks(breaks), column.encode(breaks)

    def _write(self, rows: np.ndarray, given: Given) -> Any:
        """Write encoded rows as a table; numbers that were given are there as they were given."""
        table = to_table(rows, self.encoder, self.form)
        numbers = {
            name: value
            for name, value in (given or {}).items()
            if _is_plain(self.encoder.columns_[self._position(name)])
        }
        return with_values(table, numbers, self.form)

    def _snapped(self, values: np.ndarray) -> np.ndarray:
        """Move columns of whole numbers to the whole numbers that will be written."""
        values = values.copy()
        for position, column in enumerate(self.encoder.columns_):
            values[:, position] = column.snapped(values[:, position])
        return values

    def _passes(
        self, values: np.ndarray, accept: float | None, min_score: float | None
    ) -> np.ndarray:
        passed = np.ones(len(values), dtype=bool)
        if accept is not None:
            passed &= self.leads(values).min(axis=0) > accept
        if min_score is not None:
            passed &= self.log_density(values) >= min_score
        return passed


def _is_plain(column: Column) -> bool:
    """Whether a column holds numbers as such: no part of a date, and no text."""
    return isinstance(column, NumericColumn) and not column.part and not column.decimal


def _cell_integrals(axis: Axis, edges: np.ndarray) -> torch.Tensor:
    """Matrix that turns coefficients of a density into probabilities of cells."""
    if axis.discrete:
        return torch.eye(len(axis.nodes), dtype=torch.float64)
    return integrals(torch.as_tensor(edges), len(axis.nodes) - 1).diff(dim=0)
