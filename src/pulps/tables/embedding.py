"""Rows of a table become features along the chain, as tensors that the engine takes.

Which site holds what is known to :mod:`pulps.tables.sites`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from pulps.network.basis import Basis, CosineBasis, OneHotBasis, SineBasis, embed
from pulps.network.lps import ChainShape
from pulps.tables.columns import Column
from pulps.tables.sites import Sites

FUNCTIONS: dict[str, type[CosineBasis] | type[SineBasis] | type[OneHotBasis]] = {
    "cosine": CosineBasis,
    "one-hot": OneHotBasis,
    "sine": SineBasis,
}


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
class Embedding(Sites):
    """From encoded rows of a table to what the sweep takes; parameters are those of `Sites`."""

    @cached_property
    def bases(self) -> list[Basis]:
        """The basis of every site."""
        named = zip(self.basis_names, self.dims, strict=True)
        return [FUNCTIONS[name](dim) for name, dim in named]

    @cached_property
    def trace_weights(self) -> list[Tensor]:
        """Weight of every feature where a site is traced: common categories weigh more."""
        return [torch.as_tensor(weights) for weights in self.traced]

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
