"""The values of one attribute at which its densities are read, summed and drawn."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from pulps.network.cosines import evaluate, from_midpoints, invert, midpoints


@dataclass(frozen=True)
class Axis:
    """Values of one attribute at which its densities are read, and how they are read.

    Parameters
    ----------
    discrete
        Whether the values are codes.
    nodes
        Where densities are read.
    read
        Matrix that turns densities at the nodes into coefficients: those of cosines for a number,
        the probabilities themselves for codes.
    sums, measure
        Nodes whose mean, times ``measure``, is the exact integral.
    """

    discrete: bool
    nodes: Tensor
    read: Tensor
    sums: Tensor
    measure: float

    @classmethod
    def of_codes(cls, n_values: int) -> Axis:
        """Build the axis of a categorical attribute.

        Parameters
        ----------
        n_values
            Number of codes.

        Returns
        -------
        Axis
        """
        codes = torch.arange(n_values, dtype=torch.float64)
        return cls(True, codes, torch.eye(n_values, dtype=torch.float64), codes, n_values)

    @classmethod
    def of_degree(cls, degree: int) -> Axis:
        """Build the axis of a number whose density has cosines up to ``degree``.

        Parameters
        ----------
        degree
            Highest cosine of the density.

        Returns
        -------
        Axis
        """
        n_nodes = degree + 1
        sums = midpoints(degree // 2 + 1)
        return cls(False, midpoints(n_nodes), from_midpoints(n_nodes), sums, 1.0)

    def totals(self, coefficients: Tensor) -> Tensor:
        """Integrals of densities.

        Parameters
        ----------
        coefficients
            Of the densities, along the last axis.

        Returns
        -------
        Tensor
            Without the last axis.
        """
        return coefficients.sum(-1) if self.discrete else coefficients[..., 0]

    def draw(self, coefficients: Tensor, level: Tensor) -> Tensor:
        """Find the value at which the cumulative function reaches a level, for every row.

        Parameters
        ----------
        coefficients
            Of the densities, shape (rows, nodes).
        level
            Numbers between 0 and 1, shape (rows,).

        Returns
        -------
        Tensor of shape (rows,)
        """
        if not self.discrete:
            return invert(coefficients, level)
        heights = coefficients.clamp_min(0).cumsum(-1)
        code = torch.searchsorted(heights, (level * heights[:, -1])[:, None], right=True)[:, 0]
        return code.clamp_max(len(self.nodes) - 1).to(torch.float64)

    def density(self, coefficients: Tensor, values: Tensor) -> Tensor:
        """Density at a value, for every row.

        Parameters
        ----------
        coefficients
            Of the densities, shape (rows, nodes).
        values
            Shape (rows,).

        Returns
        -------
        Tensor of shape (rows,)
        """
        if not self.discrete:
            return evaluate(coefficients, values).clamp_min(0)
        return coefficients.gather(-1, values.long()[:, None])[:, 0]
