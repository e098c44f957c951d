r"""Chains as densities: maximum likelihood, for generating rows.

The loss of :mod:`pulps.training.loss` puts all rows of a class at one norm. That separates
classes but says nothing of how often a row occurs, nor of regions without rows; with repeats, not
even the norm it keeps small is that of the density. A state that is to *generate* is trained on
the density itself, one site per attribute,

.. math:: \max_P \; \frac1n \sum_i \log \frac{\|P\Phi(x_i)\|^2}{\|P\|_F^2},

where missing attributes are traced in the numerator: their exact marginal likelihood.

To stop in time, every chain has a twin that starts alike and does not see some of the rows;
the chain is kept as it was when its twin's likelihood of these rows was best.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from pulps.network import engine
from pulps.network.adam import Adam, cosine_share
from pulps.network.basis import Basis, embed
from pulps.network.lps import ChainShape


@dataclass(frozen=True)
class LikelihoodRecipe:
    """Size and training of the chains that generate.

    Parameters
    ----------
    feature_dim
        Basis functions of a numeric attribute.
    bond_dim, spacing, output_dim
        See :class:`pulps.network.lps.ChainShape`.
    n_members
        Chains per class, which differ in their start.
    max_epochs, learning_rate
        Adam with a rate that falls to zero along a cosine.
    held_out
        Share of the rows that the twins do not see; zero trains to the end.
    """

    feature_dim: int = 12
    bond_dim: int = 6
    spacing: int = 1
    output_dim: int = 2
    n_members: int = 4
    max_epochs: int = 150
    learning_rate: float = 0.05
    held_out: float = 0.2


def fit_densities(
    bases: list[Basis],
    values: Tensor,
    weights: Tensor,
    recipe: LikelihoodRecipe,
    generator: torch.Generator,
    on_epoch: Callable[[int], object] = lambda n_done: None,
) -> list[Tensor]:
    """Train chains on the likelihood of rows.

    Parameters
    ----------
    bases
        One basis per site.
    values
        Rows, shape (rows, sites), double precision; NaN where missing.
    weights
        Weight of every row in every class, shape (classes, rows).
    recipe
        Size and training.
    generator
        Source of starts and of the rows held out.
    on_epoch
        Called after every epoch with the number of those done.

    Returns
    -------
    list of Tensor
        Stacked cores: the members of the first class, then those of the next.
    """
    shape = ChainShape(
        tuple(basis.dim for basis in bases), recipe.bond_dim, recipe.spacing, recipe.output_dim
    )
    n_chains = recipe.n_members * len(weights)
    constants = [basis.constant() for basis in bases]
    start = shape.near_identity_cores(constants, n_chains, 0.3, generator)
    held_out = torch.rand(values.shape[0], generator=generator) < recipe.held_out
    rows = weights.repeat_interleave(recipe.n_members, dim=0)
    shown = torch.cat([rows, rows * ~held_out])
    hidden = rows * held_out
    nothing_hidden = hidden.sum(1) == 0
    cores = [torch.cat([core, core]).double().requires_grad_() for core in start]
    batch = engine.prepare(*embed(bases, values))
    optimizer = Adam(cores, recipe.learning_rate)
    best = torch.full((n_chains,), math.inf, dtype=torch.float64)
    kept = [core.detach()[:n_chains].clone() for core in cores]
    for epoch in range(recipe.max_epochs):
        log_size = engine.log_frobenius_norms(cores)
        surprise = -2 * (engine.log_norms(cores, batch) - log_size[:, None])
        unseen = _mean(surprise.detach()[n_chains:], hidden)
        better = (unseen < best) | nothing_hidden
        best = torch.where(better, unseen, best)
        for keep, core in zip(kept, cores, strict=True):
            keep[better] = core.detach()[:n_chains][better]
        # The likelihood does not change when a core is scaled; the square holds the scale.
        (_mean(surprise, shown) + log_size.square()).sum().backward()
        optimizer.step(cosine_share(epoch, recipe.max_epochs))
        on_epoch(epoch + 1)
    return kept


def _mean(surprise: Tensor, weights: Tensor) -> Tensor:
    return (weights * surprise).sum(1) / weights.sum(1).clamp_min(torch.finfo(weights.dtype).tiny)
