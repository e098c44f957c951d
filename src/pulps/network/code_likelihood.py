r"""Chains as densities of codes: maximum likelihood for many rows, a batch at a time.

:mod:`pulps.network.likelihood` sweeps all rows in every step, which suits tables. An image is a
row of some fifty codes, and there are thousands of images, so here a step sees a batch of them.
There are enough rows to hold some out, too: the chain is kept as it was after the pass whose
likelihood of these was best.

Every chain starts as independent sites with the codes' own frequencies, :math:`\sqrt{f_s}` times
nearly the identity, and Adam moves what stands beside :math:`\sqrt{f_s}`: a rare code would
otherwise take steps far larger than itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import Tensor

from pulps.network import engine
from pulps.network.adam import Adam, cosine_share
from pulps.network.basis import Basis, OneHotBasis, embed
from pulps.network.likelihood import LikelihoodRecipe
from pulps.network.lps import ChainShape

ROWS_AT_ONCE = 256
FEWEST_STEPS = 8  # of a pass
ROWS_SCORED = 1024
NOISE = 0.1  # of the start, as a share of what it stands beside


def fit_code_chains(
    codes: Tensor,
    n_codes: int,
    recipe: LikelihoodRecipe,
    generator: torch.Generator,
    on_epoch: Callable[[], object] = lambda: None,
) -> list[Tensor]:
    """Train chains on the likelihood of rows of codes.

    Parameters
    ----------
    codes
        Shape (rows, sites), whole numbers from 0 to ``n_codes - 1``.
    n_codes
        Number of codes.
    recipe
        Size and training; ``max_epochs`` are passes over the rows, and the feature dimension
        of every site is the number of codes.
    generator
        Source of starts, batches and of the rows held out.
    on_epoch
        Called after every pass.

    Returns
    -------
    list of Tensor
        One tensor (members, code, left, output, right) per site.
    """
    held, shown = _split(codes, recipe.held_out, generator)
    bases: list[Basis] = [OneHotBasis(n_codes)] * codes.shape[1]
    roots = _frequencies(shown, n_codes).sqrt()
    shape = ChainShape((n_codes,) * len(bases), recipe.bond_dim, recipe.spacing, recipe.output_dim)
    constants = [basis.constant() for basis in bases]
    noise = NOISE * math.sqrt(n_codes)  # the same at every code, however many there are
    moved = shape.near_identity_cores(constants, recipe.n_members, noise, generator)
    for tensor in moved:
        tensor.requires_grad_()

    def cores() -> list[Tensor]:
        return [core * root[:, None, None, None] for core, root in zip(moved, roots, strict=True)]

    def surprise(rows: Tensor) -> tuple[Tensor, Tensor]:
        now = cores()
        batch = engine.prepare(*embed(bases, rows.float()), once=True)
        norms, sizes = engine.all_log_norms(now, batch)
        return -2 * (norms.mean(1) - sizes), sizes

    optimizer = Adam(moved, recipe.learning_rate, fused=True)
    best = torch.full((recipe.n_members,), math.inf)
    kept = [core.detach() for core in cores()]
    at_once = max(1, min(ROWS_AT_ONCE, len(shown) // FEWEST_STEPS))
    n_steps = math.ceil(len(shown) / at_once)
    for epoch in range(recipe.max_epochs):
        order = torch.randperm(len(shown), generator=generator)
        for step, rows in enumerate(order.split(at_once)):
            told, sizes = surprise(shown[rows])
            # The likelihood does not change when a core is scaled; the square holds the scale.
            (told + sizes.square()).sum().backward()
            optimizer.step(cosine_share(epoch * n_steps + step, recipe.max_epochs * n_steps))
        with torch.no_grad():
            parts = held.split(ROWS_SCORED) if len(held) else ()
            unseen = sum((len(rows) * surprise(rows)[0] for rows in parts), torch.zeros_like(best))
            better = (unseen < best) | (len(held) == 0)
            best = torch.where(better, unseen, best)
            for keep, core in zip(kept, cores(), strict=True):
                keep[better] = core[better]
        on_epoch()
    return kept


def _split(codes: Tensor, share: float, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    order = torch.randperm(len(codes), generator=generator)
    n_held = min(round(share * len(codes)), len(codes) - 1)
    return codes[order[:n_held]], codes[order[n_held:]]


def _frequencies(codes: Tensor, n_codes: int) -> Tensor:
    """Share of every code at every site, shape (sites, codes).

    A row that has every code as often as all sites together is added: no share is zero.
    """
    counts = torch.stack([torch.bincount(site, minlength=n_codes) for site in codes.T]).double()
    everywhere = counts.sum(0) + 1
    counts += everywhere / everywhere.sum()
    return (counts / counts.sum(1, keepdim=True)).float()
