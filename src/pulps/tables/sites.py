"""Which site holds which column, and the features of rows along the chain, as arrays.

The columns follow each other in a chosen order, then all of them again if they are repeated:
site *i* holds column ``order[i % n_columns]``. A categorical column sits in a basis of its own
size; a numeric one in sines or cosines. This is known here alone; :mod:`pulps.tables.embedding`
adds what PyTorch needs.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pulps.tables.columns import Column


@dataclass(frozen=True)
class Sites:
    """From encoded rows of a table to features of sites.

    Parameters
    ----------
    columns
        The columns that are used, in the order of the encoded rows.
    order
        Which column each of the first sites holds; repeats follow in the same order.
    basis_names
        Basis of every site: "one-hot", "cosine" or "sine".
    feature_dim
        Number of basis functions of a number.
    """

    columns: Sequence[Column]
    order: np.ndarray
    basis_names: np.ndarray
    feature_dim: int

    @property
    def n_columns(self) -> int:
        """Number of columns."""
        return len(self.columns)

    @property
    def n_repeats(self) -> int:
        """How often every column occurs."""
        return len(self.basis_names) // self.n_columns

    def column_at(self, site: int) -> Column:
        """Return the column that a site holds.

        Parameters
        ----------
        site
            Position along the chain.

        Returns
        -------
        Column
        """
        return self.columns[self.order[site % self.n_columns]]

    @cached_property
    def dims(self) -> list[int]:
        """Number of features of every site."""
        return [column.n_features(name, self.feature_dim) for column, name in self.sites()]

    @cached_property
    def traced(self) -> list[np.ndarray]:
        """Weight of every feature where a site is traced: common categories weigh more."""
        return [column.trace_weights(name, self.feature_dim) for column, name in self.sites()]

    @cached_property
    def _spans(self) -> np.ndarray:
        """What the value of every site is divided by: codes that meet a function are spread."""
        return np.array([column.span(name) for column, name in self.sites()])

    def sites(self) -> Iterator[tuple[Column, str]]:
        """Yield column and basis name of every site.

        Yields
        ------
        column, name
        """
        for site, name in enumerate(self.basis_names):
            yield self.column_at(site), name

    def to_sites(self, values: np.ndarray) -> np.ndarray:
        """Give every site its value.

        Parameters
        ----------
        values
            Encoded rows, shape (rows, columns).

        Returns
        -------
        array of shape (rows, sites)
        """
        return np.tile(values[:, self.order], (1, self.n_repeats)) / self._spans

    def features(self, values: np.ndarray) -> tuple[list[np.ndarray], np.ndarray]:
        """Embed encoded rows, in double precision.

        Parameters
        ----------
        values
            Shape (rows, columns), NaN where missing.

        Returns
        -------
        features, observed
            One array (rows, features) per site, zero where a value is missing; and which sites
            have one, shape (rows, sites). What :func:`pulps.kernel.sweep.log_norms` takes.
        """
        sites = self.to_sites(values)
        observed = ~np.isnan(sites)
        filled = np.where(observed, sites, 0.0)
        found = []
        for site, (name, dim) in enumerate(zip(self.basis_names, self.dims, strict=True)):
            phi = BASES[name](filled[:, [site]], np.arange(dim))
            found.append(np.where(observed[:, [site]], phi, 0.0))
        return found, observed


def _cosine(u: np.ndarray, k: np.ndarray) -> np.ndarray:
    return np.where(k == 0, 1.0, math.sqrt(2) * np.cos(math.pi * k * u))


def _sine(u: np.ndarray, k: np.ndarray) -> np.ndarray:
    return math.sqrt(2) * np.sin(math.pi * (k + 1) * u)


def _one_hot(u: np.ndarray, k: np.ndarray) -> np.ndarray:
    return (u == k).astype(float)


# The bases of :mod:`pulps.network.basis` for arrays: values (rows, 1) and numbers of functions.
BASES = {"cosine": _cosine, "sine": _sine, "one-hot": _one_hot}
