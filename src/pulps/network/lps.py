r"""The locally purified state: one chain of cores, one sweep, four readings.

A state is a chain of cores, one per site. Every core has a feature leg, which meets the
embedded attribute, and two bonds, which tie it to its neighbors; every ``spacing``-th
core and the last one also have an output leg. Contracting the feature legs with a row's
features leaves a vector :math:`\hat y(x)` that lives on the output legs, and the state
scores the row by the length of that vector.

The length is found without ever forming the vector. An environment, a bond × bond
matrix, moves along the chain from left to right between the state and its mirror image.
At each site the feature leg is

* *observed*: contracted with :math:`\phi(x_i)`,
* *traced*: contracted with its mirror image, or
* *open*: left alone.

======================================  ==========================================
every site observed                     :math:`\log \|P\Phi(x)\|_2`, Eq. 6
every site traced                       :math:`\log \|P\|_F`, Eq. 7
missing attributes traced               marginal of :math:`\|P\Phi(x)\|_2`, Sec. 3.4
left observed, one open, right traced   density of the open attribute, Eq. 16
======================================  ==========================================

Many chains of one shape (both classes, all members of an ensemble) are stacked along a
leading axis and swept together. This module is the clear version and the truth for
tests; :mod:`pulps.network.engine` computes the first three readings faster.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

# Axes: g chain · n row · l, m left bonds · r, t right bonds · s, u feature · k output.
# A core is (g, s, l, k, r), with one output (k = 1) where the paper has tensor A, more
# where it has tensor B. An environment is (g, n, l, m), or (g, n, s, u, l, m) after an
# open site.


def observe(env: Tensor, core: Tensor, phi: Tensor) -> Tensor:
    """Absorb a site whose attribute is known.

    Parameters
    ----------
    env
        Environments to the left of the site.
    core
        The site's core.
    phi
        Features of the site, shape (rows, feature).

    Returns
    -------
    Tensor
        Environments to the right of the site.
    """
    half = torch.einsum("gslkr,ns->gnlkr", core, phi)
    env = torch.einsum("gn...lm,gnlkr->gn...mkr", env, half)
    return torch.einsum("gn...mkr,gnmkt->gn...rt", env, half)


def trace(env: Tensor, core: Tensor) -> Tensor:
    """Absorb a site whose attribute is summed over.

    Parameters
    ----------
    env
        Environments to the left of the site.
    core
        The site's core.

    Returns
    -------
    Tensor
        Environments to the right of the site.
    """
    env = torch.einsum("gn...lm,gslkr->gn...smkr", env, core)
    return torch.einsum("gn...smkr,gsmkt->gn...rt", env, core)


def leave_open(env: Tensor, core: Tensor) -> Tensor:
    """Absorb a site and keep its two feature legs as axes of the environment.

    Parameters
    ----------
    env
        Environments to the left of the site.
    core
        The site's core.

    Returns
    -------
    Tensor
        Environments to the right of the site, shape (chains, rows, feature, feature, right,
        right).
    """
    env = torch.einsum("gnlm,gslkr->gnsmkr", env, core)
    return torch.einsum("gnsmkr,gumkt->gnsurt", env, core)


def rescale(env: Tensor) -> tuple[Tensor, Tensor]:
    """Divide each row's environment by its largest entry; return it and the logarithm.

    Products of thousands of sites leave the range of floating point; their logarithms
    do not. The divisor is constant for the gradient, where it cancels.

    Parameters
    ----------
    env
        Environments, chains and rows first.

    Returns
    -------
    env, log_size
        The environments, and the logarithms of their divisors, shape (chains, rows).
    """
    size = env.detach().abs().flatten(2).amax(dim=2).clamp_min(torch.finfo(env.dtype).tiny)
    return env / size.view(*size.shape, *[1] * (env.ndim - 2)), size.log()


def sweep(
    cores: Sequence[Tensor],
    features: Sequence[Tensor],
    observed: Tensor,
    open_site: int | None = None,
) -> tuple[Tensor, Tensor]:
    r"""Move the environment along the whole chain.

    Parameters
    ----------
    cores
        One tensor (chains, feature, left, output, right) per site; the first left bond and
        the last right bond have dimension one.
    features
        One tensor (rows, feature) per site.
    observed
        Boolean, shape (rows, sites); a site that is not observed is traced.
    open_site
        The site whose feature leg is left open, if any.

    Returns
    -------
    value
        Shape (chains, rows), or (chains, rows, feature, feature) with an open site.
    log_scale
        Shape (chains, rows). The squared norm is ``value * exp(log_scale)``.
    """
    env = cores[0].new_ones(cores[0].shape[0], observed.shape[0], 1, 1)
    log_scale = env.new_zeros(env.shape[:2])
    for site, (core, phi) in enumerate(zip(cores, features, strict=True)):
        seen = observed[:, site]
        if site == open_site:
            env = leave_open(env, core)
        elif seen.all():
            env = observe(env, core, phi)
        elif not seen.any():
            env = trace(env, core)
        else:
            mask = seen.view(-1, *[1] * (env.ndim - 2))
            env = torch.where(mask, observe(env, core, phi), trace(env, core))
        env, log_size = rescale(env)
        log_scale = log_scale + log_size
    return env[..., 0, 0], log_scale


def log_norms(
    cores: Sequence[Tensor], features: Sequence[Tensor], observed: Tensor | None = None
) -> Tensor:
    r"""Log-norms :math:`\log \|P\Phi(x)\|_2`, shape (chains, rows); unseen sites traced.

    Parameters
    ----------
    cores
        One tensor (chains, feature, left, output, right) per site.
    features
        One tensor (rows, feature) per site.
    observed
        Boolean, shape (rows, sites). None means that all sites are observed.

    Returns
    -------
    Tensor
        One log-norm per chain and row.
    """
    if observed is None:
        observed = features[0].new_ones(len(features[0]), len(features), dtype=torch.bool)
    value, log_scale = sweep(cores, features, observed)
    return 0.5 * (value.clamp_min(torch.finfo(value.dtype).tiny).log() + log_scale)


def log_frobenius_norms(cores: Sequence[Tensor]) -> Tensor:
    r"""Log-norms :math:`\log \|P\|_F`, shape (chains,): one row in which nothing is seen.

    Parameters
    ----------
    cores
        One tensor (chains, feature, left, output, right) per site.

    Returns
    -------
    Tensor
        One log-norm per chain.
    """
    nothing = torch.zeros(1, len(cores), dtype=torch.bool, device=cores[0].device)
    blank = [core.new_zeros(1, core.shape[1]) for core in cores]
    return log_norms(cores, blank, nothing)[:, 0]


def density_forms(
    cores: Sequence[Tensor], features: Sequence[Tensor], observed: Tensor, site: int
) -> Tensor:
    r"""Form R of the conditional density :math:`p(u) = \phi(u)^T R \, \phi(u)` of one site.

    The sites that are observed are the condition, the others are summed over. The basis
    is orthonormal, so dividing by the trace makes the density integrate to one. Shape
    (chains, rows, feature, feature), symmetric.

    Parameters
    ----------
    cores
        One tensor (chains, feature, left, output, right) per site.
    features
        One tensor (rows, feature) per site.
    observed
        Boolean, shape (rows, sites).
    site
        Number of the site whose density is asked for.

    Returns
    -------
    Tensor
        One form per chain and row, with trace one.
    """
    form, _ = sweep(cores, features, observed, open_site=site)
    form = 0.5 * (form + form.mT)
    return form / form.diagonal(dim1=-2, dim2=-1).sum(-1)[..., None, None]


@dataclass(frozen=True)
class ChainShape:
    """The shape of a chain; it fixes the shape of every core.

    Parameters
    ----------
    feature_dims
        Feature dimension d of each site.
    bond_dim
        Bond dimension D.
    spacing
        Every ``spacing``-th site has an output leg (the paper's S); the last always has.
    output_dim
        Dimension of an output leg; None means the feature dimension of its site, as in
        the paper.
    """

    feature_dims: tuple[int, ...]
    bond_dim: int = 8
    spacing: int = 4
    output_dim: int | None = None

    @property
    def n_sites(self) -> int:
        """Number of sites."""
        return len(self.feature_dims)

    def core_shapes(self) -> list[tuple[int, int, int, int]]:
        """Shape (feature, left, output, right) of the core of each site.

        Returns
        -------
        list of tuple
            One shape per site.
        """
        shapes = []
        for site, feature in enumerate(self.feature_dims):
            last = site == self.n_sites - 1
            has_output = last or (site + 1) % self.spacing == 0
            left = 1 if site == 0 else self.bond_dim
            right = 1 if last else self.bond_dim
            output = (self.output_dim or feature) if has_output else 1
            shapes.append((feature, left, output, right))
        return shapes

    def random_cores(
        self, n_chains: int, scale: float, generator: torch.Generator
    ) -> list[Tensor]:
        """Independent normal cores in which log-norms stay near zero for ``scale`` one.

        The standard deviation is ``scale / sqrt(D k d)``: a sum over D bonds and k outputs
        of a feature vector of length about ``sqrt(d)`` keeps its size.

        Parameters
        ----------
        n_chains
            Number of chains.
        scale
            Size of the cores.
        generator
            Draws the cores.

        Returns
        -------
        list of Tensor
            One tensor (chains, feature, left, output, right) per site.
        """
        cores = []
        for feature, left, output, right in self.core_shapes():
            noise = torch.randn(n_chains, feature, left, output, right, generator=generator)
            cores.append(noise * (scale / (max(left, right) * output * feature) ** 0.5))
        return cores

    def near_identity_cores(
        self,
        constants: Sequence[Tensor],
        n_chains: int,
        scale: float,
        generator: torch.Generator,
        shares: Sequence[float] | None = None,
    ) -> list[Tensor]:
        """Cores that pass the environment on unchanged, whatever the row, plus noise.

        ``constants`` holds, for each site, the coefficients of the constant function in
        its basis. Without noise every log-norm is zero.

        Parameters
        ----------
        constants
            One tensor (feature,) per site.
        n_chains
            Number of chains.
        scale
            Size of the noise, see :meth:`random_cores`.
        generator
            Draws the noise.
        shares
            Share of the noise that each site gets; None for all of it.

        Returns
        -------
        list of Tensor
            One tensor (chains, feature, left, output, right) per site.
        """
        cores = []
        noise = self.random_cores(n_chains, scale, generator)
        if shares is not None:
            noise = [share * core for share, core in zip(shares, noise, strict=True)]
        for site, (shape, constant) in enumerate(zip(self.core_shapes(), constants, strict=True)):
            _, left, output, right = shape
            passes = torch.eye(max(left, right))[:left, :right] / output**0.5
            start = torch.einsum("s,lr->slr", constant.to(passes.dtype), passes)
            cores.append(start[:, :, None, :].expand(shape) + noise[site])
        return cores
