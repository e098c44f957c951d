r"""The local basis: an attribute's value becomes a short vector.

Every basis is orthonormal for the measure of its domain, the unit interval or a finite
set of categories, so that summing an attribute out is the same as contracting its two
feature legs with each other:

.. math:: \int \phi_a(u) \, \phi_b(u) \, du = \delta_{ab}.

Missing attributes, Frobenius norms, densities and samples all rest on that identity.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class CosineBasis:
    r"""Cosines on the unit interval, :math:`\phi_k(u) = c_k \cos(k \pi u)`.

    Eq. 2 of the paper omits :math:`c_k`, and the author's code has no constant function.
    We keep :math:`c_0 = 1` and :math:`c_k = \sqrt 2`, which makes the basis orthonormal.

    >>> CosineBasis(3)(torch.tensor([0.0, 1.0]))
    tensor([[ 1.0000,  1.4142,  1.4142],
            [ 1.0000, -1.4142,  1.4142]])
    """

    dim: int

    def __call__(self, u: Tensor) -> Tensor:
        """Embed values of any shape; the basis index comes last."""
        k = torch.arange(self.dim, dtype=u.dtype, device=u.device)
        waves = math.sqrt(2) * torch.cos(math.pi * k * u.unsqueeze(-1))
        return torch.where(k == 0, torch.ones_like(waves), waves)

    def constant(self) -> Tensor:
        """Coefficients of the function that is one everywhere."""
        return torch.eye(self.dim, dtype=torch.float64)[0]


@dataclass(frozen=True)
class SineBasis:
    r"""Sines on the unit interval, :math:`\phi_k(u) = \sqrt 2 \sin((k + 1) \pi u)`."""

    dim: int

    def __call__(self, u: Tensor) -> Tensor:
        """Embed values of any shape; the basis index comes last."""
        k = torch.arange(1, self.dim + 1, dtype=u.dtype, device=u.device)
        return math.sqrt(2) * torch.sin(math.pi * k * u.unsqueeze(-1))

    def constant(self) -> Tensor:
        r"""Coefficients of the projection of one, :math:`\sqrt 8 / ((k + 1) \pi)` for even k."""
        k = torch.arange(1, self.dim + 1, dtype=torch.float64)
        return math.sqrt(2) * (1 - torch.cos(math.pi * k)) / (math.pi * k)


@dataclass(frozen=True)
class OneHotBasis:
    """Indicators of a finite set of categories, coded 0 to ``dim - 1``.

    The paper embeds category codes with cosines "for simplicity" and names a discrete
    basis as the better choice.

    >>> OneHotBasis(3)(torch.tensor([2.0, 0.0]))
    tensor([[0., 0., 1.],
            [1., 0., 0.]])
    """

    dim: int

    def __call__(self, u: Tensor) -> Tensor:
        """Embed codes of any shape; the basis index comes last."""
        return (u.unsqueeze(-1) == torch.arange(self.dim, device=u.device)).to(u.dtype)

    def constant(self) -> Tensor:
        """Coefficients of the function that is one everywhere."""
        return torch.ones(self.dim, dtype=torch.float64)


Basis = CosineBasis | SineBasis | OneHotBasis


def embed(bases: list[Basis], values: Tensor) -> tuple[list[Tensor], Tensor]:
    """Embed rows site by site.

    Parameters
    ----------
    bases
        One basis a site.
    values
        Shape (rows, sites); NaN marks a missing value.

    Returns
    -------
    features
        One tensor (rows, dim) a site; zero where the value is missing.
    observed
        Boolean, shape (rows, sites).
    """
    observed = ~values.isnan()
    filled = values.nan_to_num(0.0)
    features = [
        basis(filled[:, site]) * observed[:, site, None] for site, basis in enumerate(bases)
    ]
    return features, observed
