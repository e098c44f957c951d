"""Rows of a table become features along the chain; here alone is known which site holds what.

The columns follow each other in a chosen order, then all of them again if they are repeated:
site *i* holds column ``order[i % n_columns]``. A categorical column sits in a basis of its own
size; a numeric one in sines or cosines.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from pulps.network.basis import Basis, embed
from pulps.network.lps import ChainShape
from pulps.tables.columns import Column


def draw_bases(
    columns: Sequence[Column],
    n_repeats: int,
    basis: str,
    category_basis: str,
    generator: torch.Generator,
) -> np.ndarray:
    """Name the basis of every site.

    Parameters
    ----------
    columns
        The columns in the order of the sites.
    n_repeats
        How often each of them occurs.
    basis
        ``"cosine"``, ``"sine"``, or ``"mixed"``, which draws one of the two for each site.
    category_basis
        ``"one-hot"``, or ``"fourier"`` to treat category codes as numbers.
    generator
        Source of the draws.

    Returns
    -------
    array of str
        "one-hot", "cosine" or "sine", one per site.
    """
    names = []
    for column in [*columns] * n_repeats:
        if column.n_values is not None and category_basis == "one-hot":
            names.append("one-hot")
        elif basis == "mixed":
            names.append(("cosine", "sine")[int(torch.randint(2, (), generator=generator))])
        else:
            names.append(basis)
    return np.array(names)


@dataclass(frozen=True)
class Embedding:
    """From encoded rows of a table to what the sweep takes.

    Parameters
    ----------
    columns
        The columns that are used, in the order of the encoded rows.
    order
        Which column each of the first sites holds; repeats follow in the same order.
    basis_names
        Basis of every site, see :func:`draw_bases`.
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
    def bases(self) -> list[Basis]:
        """The basis of every site."""
        return [column.basis(name, self.feature_dim) for column, name in self._sites()]

    @cached_property
    def trace_weights(self) -> list[Tensor]:
        """Weight of every feature where a site is traced: common categories weigh more."""
        return [column.trace_weights(name, self.feature_dim) for column, name in self._sites()]

    @cached_property
    def _spans(self) -> np.ndarray:
        """What the value of every site is divided by: codes that meet a function are spread."""
        return np.array([column.span(name) for column, name in self._sites()])

    def _sites(self) -> Iterator[tuple[Column, str]]:
        """Yield column and basis name of every site."""
        for site, name in enumerate(self.basis_names):
            yield self.column_at(site), name

    def shape(self, bond_dim: int, spacing: int, output_dim: int | None) -> ChainShape:
        """Return the shape of a chain over these sites.

        Parameters
        ----------
        bond_dim, spacing, output_dim
            See :class:`pulps.network.lps.ChainShape`.

        Returns
        -------
        ChainShape
        """
        return ChainShape(tuple(basis.dim for basis in self.bases), bond_dim, spacing, output_dim)

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

    def __call__(self, sites: Tensor) -> tuple[list[Tensor], Tensor, list[Tensor]]:
        """Embed the values of sites.

        Parameters
        ----------
        sites
            Shape (rows, sites), NaN where missing; see :meth:`to_sites`.

        Returns
        -------
        features, observed, weights
            What :func:`pulps.network.engine.prepare` takes.
        """
        return (*embed(self.bases, sites), self.trace_weights)

    def rows(
        self, values: np.ndarray, dtype: torch.dtype = torch.float64
    ) -> tuple[list[Tensor], Tensor, list[Tensor]]:
        """Embed encoded rows.

        Parameters
        ----------
        values
            Shape (rows, columns), NaN where missing.
        dtype
            Precision of the features.

        Returns
        -------
        features, observed, weights
            As from a call.
        """
        return self(torch.as_tensor(self.to_sites(values), dtype=dtype))
