r"""The local basis: an attribute's value becomes a short vector.

Every basis is orthonormal for the measure of its domain, the unit interval, a finite set
of categories or a half sphere, so that summing an attribute out is the same as contracting its two
feature legs with each other:

.. math:: \int \phi_a(u) \, \phi_b(u) \, du = \delta_{ab}.

Missing attributes, Frobenius norms, densities and samples all rest on that identity.

A basis of numbers in the unit interval also knows its ``degree``: the density of an attribute
is a sum of cosines up to it, which is how :mod:`pulps.network.sampling` reads densities.
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

    Parameters
    ----------
    dim
        Number of functions.

    Examples
    --------
    >>> CosineBasis(3)(torch.tensor([0.0, 1.0]))
    tensor([[ 1.0000,  1.4142,  1.4142],
            [ 1.0000, -1.4142,  1.4142]])
    """

    dim: int

    def __call__(self, u: Tensor) -> Tensor:
        """Embed values.

        Parameters
        ----------
        u
            Numbers from 0 to 1, of any shape.

        Returns
        -------
        Tensor of shape (..., dim)
        """
        k = torch.arange(self.dim, dtype=u.dtype, device=u.device)
        waves = (math.pi * k * u.unsqueeze(-1)).cos_().mul_(math.sqrt(2))
        waves[..., 0] = 1
        return waves

    @property
    def degree(self) -> int:
        """Highest cosine in a product of two functions."""
        return 2 * (self.dim - 1)

    def constant(self) -> Tensor:
        """Coefficients of the function that is one everywhere.

        Returns
        -------
        Tensor of shape (dim,)
        """
        return torch.eye(self.dim, dtype=torch.float64)[0]


@dataclass(frozen=True)
class SineBasis:
    r"""Sines on the unit interval, :math:`\phi_k(u) = \sqrt 2 \sin((k + 1) \pi u)`.

    Parameters
    ----------
    dim
        Number of functions.
    """

    dim: int

    def __call__(self, u: Tensor) -> Tensor:
        """Embed values.

        Parameters
        ----------
        u
            Numbers from 0 to 1, of any shape.

        Returns
        -------
        Tensor of shape (..., dim)
        """
        k = torch.arange(1, self.dim + 1, dtype=u.dtype, device=u.device)
        return (math.pi * k * u.unsqueeze(-1)).sin_().mul_(math.sqrt(2))

    @property
    def degree(self) -> int:
        """Highest cosine in a product of two functions."""
        return 2 * self.dim

    def constant(self) -> Tensor:
        r"""Coefficients of the projection of one, :math:`\sqrt 8 / ((k + 1) \pi)` for even k.

        Returns
        -------
        Tensor of shape (dim,)
        """
        k = torch.arange(1, self.dim + 1, dtype=torch.float64)
        return math.sqrt(2) * (1 - torch.cos(math.pi * k)) / (math.pi * k)


@dataclass(frozen=True)
class OneHotBasis:
    """Indicators of a finite set of categories, coded 0 to ``dim - 1``.

    The paper embeds category codes with cosines "for simplicity" and names a discrete
    basis as the better choice.

    Parameters
    ----------
    dim
        Number of categories.

    Examples
    --------
    >>> OneHotBasis(3)(torch.tensor([2.0, 0.0]))
    tensor([[0., 0., 1.],
            [1., 0., 0.]])
    """

    dim: int

    def __call__(self, u: Tensor) -> Tensor:
        """Embed codes.

        Parameters
        ----------
        u
            Codes, of any shape.

        Returns
        -------
        Tensor of shape (..., dim)
        """
        return (u.unsqueeze(-1) == torch.arange(self.dim, device=u.device)).to(u.dtype)

    def constant(self) -> Tensor:
        """Coefficients of the function that is one everywhere.

        Returns
        -------
        Tensor of shape (dim,)
        """
        return torch.ones(self.dim, dtype=torch.float64)


@dataclass(frozen=True)
class SphereBasis:
    r"""Points of a half sphere: several numbers become one feature vector.

    .. math:: \phi(z) = \sqrt d \, \frac{(1, c z)}{\|(1, c z)\|}

    takes :math:`z \in R^{d - 1}` to the half sphere :math:`\phi_0 > 0` of radius
    :math:`\sqrt d`. The measure is the uniform one, of total mass one. No direction is
    preferred on the whole sphere, so the mean of :math:`\phi \phi^T` is a multiple of the
    identity, and its trace is d; :math:`\phi \phi^T` is even, so half of the sphere has the
    same mean: the basis is orthonormal.

    Parameters
    ----------
    dim
        Dimension d of the feature vector.
    scale
        Factor c of the numbers. Numbers around ``1 / scale`` are at 45 degrees from the
        pole, which is where zeros go.

    Examples
    --------
    >>> basis = SphereBasis(3, scale=2.0)
    >>> phi = basis(torch.tensor([[0.0, 0.0], [0.5, 0.0]]))
    >>> phi
    tensor([[1.7321, 0.0000, 0.0000],
            [1.2247, 1.2247, 0.0000]])
    >>> basis.inverse(-phi).abs()
    tensor([[0.0000, 0.0000],
            [0.5000, 0.0000]])
    """

    dim: int
    scale: float = 1.0

    def __call__(self, z: Tensor) -> Tensor:
        """Embed vectors.

        Parameters
        ----------
        z
            Shape (..., dim - 1).

        Returns
        -------
        Tensor of shape (..., dim)
        """
        points = torch.cat([torch.ones_like(z[..., :1]), self.scale * z], dim=-1)
        return math.sqrt(self.dim) * torch.nn.functional.normalize(points, dim=-1)

    def inverse(self, phi: Tensor) -> Tensor:
        """Give the numbers back; a point and its opposite have the same ones.

        The equator belongs to infinitely large numbers. Nearer to it than rounding a point
        counts as being just that near, so that numbers stay finite.

        Parameters
        ----------
        phi
            Points, shape (..., dim).

        Returns
        -------
        Tensor of shape (..., dim - 1)
        """
        least = torch.finfo(phi.dtype).eps * math.sqrt(self.dim)
        first = phi[..., :1]
        first = torch.copysign(first.abs().clamp_min(least), first)
        return phi[..., 1:] / (self.scale * first)

    def constant(self) -> Tensor:
        r"""Coefficients of the projection of one, the mean of :math:`\phi`.

        Only :math:`\phi_0` has a mean that is not zero on the half sphere. There
        :math:`\phi_0^2 / d` follows the law Beta(1/2, (d - 1)/2), whose moment of order 1/2
        makes the mean :math:`\sqrt d \, \Gamma(d/2) / (\sqrt \pi \, \Gamma((d + 1)/2))`.

        Returns
        -------
        Tensor of shape (dim,)
        """
        log_ratio = math.lgamma(self.dim / 2) - math.lgamma((self.dim + 1) / 2)
        mean = math.sqrt(self.dim / math.pi) * math.exp(log_ratio)
        return mean * torch.eye(self.dim, dtype=torch.float64)[0]


Basis = CosineBasis | SineBasis | OneHotBasis | SphereBasis


def embed(bases: list[Basis], values: Tensor) -> tuple[list[Tensor], Tensor]:
    """Embed rows site by site.

    Parameters
    ----------
    bases
        One basis per site.
    values
        Shape (rows, sites), or (rows, sites, numbers) where a site holds several; NaN marks
        a missing value. A site is missing as a whole if any of its numbers is.

    Returns
    -------
    features
        One tensor (rows, dim) per site; zero where the value is missing.
    observed
        Boolean, shape (rows, sites).
    """
    missing = values.isnan()
    observed = ~(missing.any(-1) if values.ndim == 3 else missing)
    holes = not bool(observed.all())
    filled = values.nan_to_num(0.0) if holes else values
    alike: dict[Basis, list[int]] = {}  # sites of one basis are embedded together
    for site, basis in enumerate(bases):
        alike.setdefault(basis, []).append(site)
    features = [values] * len(bases)
    for basis, sites in alike.items():
        embedded = basis(filled[:, sites].transpose(0, 1).contiguous())
        if holes:
            embedded *= observed[:, sites].transpose(0, 1).unsqueeze(-1)
        for site, phi in zip(sites, embedded, strict=True):
            features[site] = phi
    return features, observed
