"""Exact densities of a fitted model: of rows, of single columns, of pairs of them.

These methods of ``LPSClassifier`` translate between the user's table and
:mod:`pulps.network.sampling`, which knows numbers and codes only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import torch
from scipy.special import logsumexp
from sklearn.utils.validation import check_is_fitted

from pulps.io.randomness import new_generator
from pulps.network import sampling
from pulps.network.cosines import integrals
from pulps.tables.decoding import encode_value
from pulps.tables.encoding import CategoricalColumn
from pulps.tables.sites import make_bases

MUTUAL_BINS = 64
DRAWS = 4096


class DensityMixin:
    """Densities of a fitted ``LPSClassifier``."""

    density: Any
    density_bases_: np.ndarray
    encoder_: Any
    form_: Any
    negative_cores_: list[np.ndarray]
    negative_density_cores_: list[np.ndarray]
    positive_cores_: list[np.ndarray]
    positive_density_cores_: list[np.ndarray]
    prior_: float
    site_order_: np.ndarray
    # Of the classifier:
    _bases: Any
    _encoded_chunks: Any
    _is_positive: Any
    _log_norms: Any
    _ordered_columns: Any

    def marginal(self, column, y=1, *, given=None, bins=40) -> pd.Series:
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
        check_is_fitted(self)
        chains, condition = self._chains(self._is_positive(y)), self._condition(given)
        attribute, index, edges = self._cells(column, bins)
        condition[0, attribute] = np.nan
        if _exact(chains, condition):
            cells = _cell_integrals(chains.axes[attribute], edges)
            probability = cells @ sampling.conditionals(chains, condition, attribute)[0]
        else:
            drawn = sampling.draw(chains, condition, DRAWS, new_generator(0)).values[:, attribute]
            counts = np.histogram(drawn.numpy(), edges)[0] / DRAWS
            probability = torch.as_tensor(counts)
        return pd.Series(probability.clamp_min(0).numpy(), index=index, name=column)

    def joint(self, first, second, y=1, *, given=None, bins=20) -> pd.DataFrame:
        """Probability of pairs of values of two columns, all others integrated over.

        The parameters are those of :meth:`marginal`.

        Returns
        -------
        pandas.DataFrame
            Probabilities, which sum to one; rows are values of ``first``.
        """
        check_is_fitted(self)
        chains, condition = self._chains(self._is_positive(y)), self._condition(given)
        sides = [self._cells(column, bins) for column in (first, second)]
        pair = (sides[0][0], sides[1][0])
        if pair[0] == pair[1]:
            raise ValueError(f"joint needs two columns, but {first!r} came twice.")
        condition[0, list(pair)] = np.nan
        table = _pair_table(chains, condition, pair, (sides[0][2], sides[1][2]))
        return pd.DataFrame(table, index=sides[0][1], columns=sides[1][1])

    def mutual_information(self, y=1, *, columns=None) -> pd.DataFrame:
        """Mutual information of all pairs of columns under a class, in nats.

        Numeric columns are cut into 64 cells of equal encoded width, so that the values are
        slightly too small. The diagonal is left empty (NaN).

        Parameters
        ----------
        y : default=1
            As in :meth:`sample`.
        columns : list of str or int, default=None
            Names, or indices for a model fitted on an array; None takes all.
        """
        check_is_fitted(self)
        chains, condition = self._chains(self._is_positive(y)), self._condition(None)
        edges = [
            np.arange(len(axis.nodes) + 1) - 0.5
            if axis.discrete
            else np.linspace(0, 1, MUTUAL_BINS + 1)
            for axis in chains.axes
        ]
        chosen = range(len(edges)) if columns is None else [*map(self._position, columns)]
        names = [self.encoder_.columns_[position].name for position in chosen]
        found = pd.DataFrame(np.nan, index=names, columns=names)
        for cell in combinations(range(len(names)), 2):
            pair = (chosen[cell[0]], chosen[cell[1]])
            table = _pair_table(chains, condition, pair, (edges[pair[0]], edges[pair[1]]))
            product = table.sum(1, keepdims=True) * table.sum(0, keepdims=True)
            seen = table > 0
            found.iloc[cell] = max(0.0, (table[seen] * np.log(table[seen] / product[seen])).sum())
            found.iloc[cell[::-1]] = found.iloc[cell]
        return found

    def score_samples(self, X, y=1) -> np.ndarray:
        r"""Log-density of each row under a class: the average density of the members.

        The density of a member is :math:`\|P\Phi(x)\|^2 / Z`, with respect to the unit
        interval of encoded numeric attributes and to counting of categories, and missing
        attributes are integrated over. It integrates to one, also with repeats, where Z is
        not :math:`\|P\|_F^2`: all copies of an attribute take one value. With many repeated
        attributes Z is estimated from draws (see :mod:`pulps.network.sampling`).

        Parameters
        ----------
        X : table or array
            Rows.
        y : default=1
            1 or ``classes_[1]`` for the positive class, 0 or ``classes_[0]`` for the negative.
        """
        check_is_fitted(self)
        chains = self._chains(self._is_positive(y))
        return np.concatenate([scores(chains, values) for values in self._encoded_chunks(X)])

    def log_evidence(self, X, prior=None) -> np.ndarray:
        """Log-density of each row whatever its class: small for rows unlike all training rows.

        Parameters
        ----------
        X : table or array
            Rows.
        prior : float, default=None
            Share of positives; None takes ``prior_``, given or learned.
        """
        check_is_fitted(self)
        prior = self.prior_ if prior is None else prior
        if not 0 < prior < 1:
            raise ValueError(f"prior is {prior}; it must lie between 0 and 1.")
        return np.logaddexp(
            np.log(prior) + self.score_samples(X, 1), np.log1p(-prior) + self.score_samples(X, 0)
        )

    def log_ratios(self, X) -> np.ndarray:
        """Log-ratio of both norms for every member, shape (members, rows)."""
        check_is_fitted(self)
        return np.concatenate([self._ratios(values) for values in self._encoded_chunks(X)], axis=1)

    def _ratios(self, values: np.ndarray) -> np.ndarray:
        both = [
            np.concatenate(pair)
            for pair in zip(self.positive_cores_, self.negative_cores_, strict=True)
        ]
        log_p, log_n = np.split(self._log_norms(both, values), 2)
        return log_p - log_n

    def _chains(self, positive: bool) -> sampling.Chains:
        """Return the chains that generate a class: those fitted by likelihood, if there are."""
        columns = self.encoder_.columns_
        if self.density is None:
            cores = self.positive_cores_ if positive else self.negative_cores_
            bases = self._bases()
        else:
            cores = self.positive_density_cores_ if positive else self.negative_density_cores_
            ordered = self._ordered_columns()
            bases = make_bases(ordered, self.density_bases_, self.density.feature_dim)
        n_values = [
            len(column.categories) if isinstance(column, CategoricalColumn) else None
            for column in columns
        ]
        return sampling.Chains(
            [torch.as_tensor(core) for core in cores], bases, n_values, self.site_order_.tolist()
        )

    def _position(self, name) -> int:
        """Index of a column that varied at fit among those."""
        for position, column in enumerate(self.encoder_.columns_):
            if name == (column.index if self.form_.library == "numpy" else column.name):
                return position
        known = [form.name for form in self.form_.columns]
        if name in self.encoder_.constant_features_:
            raise ValueError(f"Column {name!r} did not vary at fit, so the model leaves it out.")
        raise ValueError(
            f"There is no column {name!r}. "
            + (
                f"The model was fitted on an array; name a column by its index below {len(known)}."
                if self.form_.library == "numpy"
                else f"The columns are {known[:10]}."
            )
        )

    def _condition(self, given: Mapping | None) -> torch.Tensor:
        values = torch.full((1, len(self.encoder_.columns_)), np.nan, dtype=torch.float64)
        for name, value in (given or {}).items():
            position = self._position(name)
            values[0, position] = encode_value(self.encoder_.columns_[position], value)
        return values

    def _cells(self, name, bins):
        """Position of a column, labels of its cells and their edges in encoded values."""
        position = self._position(name)
        column = self.encoder_.columns_[position]
        if isinstance(column, CategoricalColumn):
            labels = self.form_.columns[column.index].labels
            return position, pd.Index(labels), np.arange(len(labels) + 1) - 0.5
        breaks = np.linspace(column.knots[0], column.knots[-1], bins + 1)
        index = pd.IntervalIndex.from_breaks(breaks)
        return position, index, column.encode(breaks)


def _missing(values) -> list[int]:
    return np.flatnonzero(np.isnan(np.asarray(values)).any(axis=0)).tolist()


def _exact(chains: sampling.Chains, condition) -> bool:
    return chains.method(_missing(condition), per_row=False) != "resample"


def patterns(
    chains: sampling.Chains, values: np.ndarray, rows: np.ndarray
) -> Iterator[tuple[np.ndarray, list[int]]]:
    """Rows that can be treated together; with repeats, those that miss the same attributes."""
    if not len(rows):
        return
    if chains.n_repeats == 1:
        yield rows, _missing(values[rows])
        return
    patterns, which = np.unique(np.isnan(values[rows]), axis=0, return_inverse=True)
    for number, pattern in enumerate(patterns):
        yield rows[which.ravel() == number], np.flatnonzero(pattern).tolist()


def scores(chains: sampling.Chains, values: np.ndarray) -> np.ndarray:
    """Log of the members' average normalized density, NaN integrated over."""
    generator = new_generator(0)
    nothing = torch.full((1, values.shape[1]), np.nan, dtype=torch.float64)
    log_total, _ = sampling.log_masses(chains, nothing, generator)
    scores = np.zeros(len(values))
    for rows, _ in patterns(chains, values, np.arange(len(values))):
        masses, _ = sampling.log_masses(chains, torch.as_tensor(values[rows]), generator)
        scores[rows] = logsumexp((masses - log_total).numpy(), axis=0) - np.log(len(masses))
    return scores


def _cell_integrals(axis: sampling.Axis, edges: np.ndarray) -> torch.Tensor:
    """Matrix that turns coefficients of a density into probabilities of cells."""
    if axis.discrete:
        return torch.eye(len(axis.nodes), dtype=torch.float64)
    return integrals(torch.as_tensor(edges), len(axis.nodes) - 1).diff(dim=0)


def _pair_table(chains, condition, pair, edges) -> np.ndarray:
    """Probabilities of the cells of two attributes."""
    if not _exact(chains, condition):
        drawn = sampling.draw(chains, condition, DRAWS, new_generator(0)).values[:, list(pair)]
        return np.histogramdd(drawn.numpy(), bins=edges)[0] / DRAWS
    density = sampling.pair_density(chains, condition, pair)
    first, second = (_cell_integrals(chains.axes[a], e) for a, e in zip(pair, edges, strict=True))
    return (first @ density @ second.mT).clamp_min(0).numpy()
