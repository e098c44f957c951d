"""Chains as densities over attributes.

An attribute is a number in the unit interval or one of finitely many codes. It may sit at
several sites, which then all take the same value. :mod:`pulps.network.sampling` draws from
what is defined here.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import torch
from torch import Tensor

from pulps.network import engine
from pulps.network.axis import Axis
from pulps.network.basis import Basis, OneHotBasis, SphereBasis, embed

# Axes: g chain · c node or category · s feature · l left bond · r right bond · k output.

SWEEPS_AT_ONCE = 2**15
SWEEPS_PER_ROW = 2**15
SWEEPS_ONCE = 2**20


class Chains:
    """Stacked chains as densities over attributes.

    Parameters
    ----------
    cores
        One tensor (chains, feature, left, output, right) per site.
    bases
        One basis per site.
    n_values
        For every attribute the number of its codes, or None for a number in the unit
        interval.
    order
        The attributes as they follow each other along the chain, as they come by default;
        then all of them again if they are repeated.

    Notes
    -----
    A site whose basis does not match a categorical attribute (cosines of the codes spread
    over the unit interval) is rewritten in indicators of the codes, so that tracing it is
    summing over the categories.
    """

    def __init__(
        self,
        cores: Sequence[Tensor],
        bases: Sequence[Basis],
        n_values: Sequence[int | None],
        order: Sequence[int] | None = None,
    ):
        self.n_attributes = len(n_values)
        self.order = list(range(len(n_values))) if order is None else list(order)
        self.n_repeats = len(cores) // len(n_values)
        self.cores: list[Tensor] = []
        self.bases: list[Basis] = []
        degrees = [0] * len(n_values)
        for site, (core, basis) in enumerate(zip(cores, bases, strict=True)):
            attribute = self.order[site % len(n_values)]
            count = n_values[attribute]
            core = core.to(torch.float64)
            if count is not None and not isinstance(basis, OneHotBasis):
                spread = basis(torch.linspace(0, 1, count, dtype=torch.float64))
                core = torch.einsum("cs,gslkr->gclkr", spread, core)
                basis = OneHotBasis(count)
            if isinstance(basis, SphereBasis):
                raise ValueError(
                    "A site holds points of a half sphere, whose densities are no sums of "
                    "cosines. Draw images from chains of codes (LPSImageClassifier's density)."
                )
            if not isinstance(basis, OneHotBasis):
                degrees[attribute] += basis.degree
            self.cores.append(core.contiguous())
            self.bases.append(basis)
        self.axes = [
            Axis.of_degree(degree) if count is None else Axis.of_codes(count)
            for degree, count in zip(degrees, n_values, strict=True)
        ]

    def log_values(self, values: Tensor) -> Tensor:
        r"""Logarithms of :math:`\|P\Phi(x)\|^2`.

        Sites of a missing attribute (NaN) are traced one by one: without repeats this is
        the integral over the attribute, with repeats it is not.

        Parameters
        ----------
        values
            Shape (rows, attributes), NaN where missing.

        Returns
        -------
        Tensor of shape (chains, rows)
        """
        parts = []
        for part in values.split(SWEEPS_AT_ONCE):
            at_sites = part[:, self.order].repeat(1, self.n_repeats)
            features, observed = embed(self.bases, at_sites)
            parts.append(2 * engine.log_norms(self.cores, features, observed))
        return torch.cat(parts, dim=1)

    def grid_sizes(self, missing: Sequence[int]) -> tuple[int, int]:
        """Count the sweeps that a grid needs.

        Parameters
        ----------
        missing
            Attributes to be drawn, in order.

        Returns
        -------
        first, later
            Sweeps for the first of them, and for each next one.
        """
        sums = [len(self.axes[a].sums) for a in missing]
        nodes = [len(self.axes[a].nodes) for a in missing]
        steps = [nodes[i] * prod(sums[i + 1 :]) for i in range(len(missing))]
        return (steps[0] if steps else 1), max(steps[1:], default=1)

    def method(self, missing: Sequence[int], *, per_row: bool) -> str:
        """Choose how to treat missing attributes.

        Parameters
        ----------
        missing
            Attributes to be drawn, in order.
        per_row
            Whether every row has a condition of its own.

        Returns
        -------
        str
            ``"sweep"``, ``"grid"`` or ``"resample"``, see :mod:`pulps.network.sampling`.
        """
        if self.n_repeats == 1:
            return "sweep"
        first, later = self.grid_sizes(missing)
        fits = later <= SWEEPS_PER_ROW and first <= (SWEEPS_PER_ROW if per_row else SWEEPS_ONCE)
        return "grid" if fits else "resample"
