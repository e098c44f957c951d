r"""Canonical form: all sites but one are isometries, and that one holds the whole norm.

Between two neighboring sites any invertible matrix and its inverse may be put without changing the
chain. The canonical form uses that freedom: seen from the center, every site to the left and to
the right keeps lengths, so that :math:`\|P\|_F` is the norm of the core in the center, and an
error made there is an error of the same size in the whole chain.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

# Axes: g chain · s feature · l left bond · k output · r right bond · a, b new bonds.


@torch.no_grad()
def canonicalize(
    cores: Sequence[Tensor], center: int = 0, *, normalize: bool = False
) -> list[Tensor]:
    r"""Bring chains into canonical form around a site.

    Parameters
    ----------
    cores
        One tensor (chains, feature, left, output, right) per site.
    center
        The site that holds the norm; negative numbers count from the end.
    normalize
        Divide every chain by :math:`\|P\|_F`, so that the center has norm one. Norms that a
        floating-point number cannot hold are no obstacle then.

    Returns
    -------
    list of Tensor
        Cores of the same chains. A bond that is wider than what comes to it from one side
        becomes as narrow as that.

    Examples
    --------
    >>> from pulps.network import ChainShape, canonicalize, log_frobenius_norms
    >>> generator = torch.Generator().manual_seed(0)
    >>> cores = ChainShape((3,) * 6, bond_dim=4).random_cores(2, 1.0, generator)
    >>> centered = canonicalize(cores, center=2)
    >>> torch.allclose(centered[2].flatten(1).norm(dim=1).log(), log_frobenius_norms(cores))
    True
    """
    n_sites = len(cores)
    if not -n_sites <= center < n_sites:
        raise ValueError(
            f"center is {center}, but the chains have {n_sites} sites. Name one of them, from 0 "
            f"to {n_sites - 1}."
        )
    center %= n_sites
    left, from_left, log_left = _isometries(cores[:center], cores[0])
    mirrored = [core.permute(0, 1, 4, 3, 2) for core in reversed(cores[center + 1 :])]
    right, from_right, log_right = _isometries(mirrored, cores[0])
    middle = torch.einsum("gal,gslkr->gsakr", from_left, cores[center])
    middle = torch.einsum("gsakr,gbr->gsakb", middle, from_right)
    size = middle.flatten(1).norm(dim=1)
    log_size = size.log() + log_left + log_right
    factor = 1 / size if normalize else (log_left + log_right).exp()
    middle = middle * factor[:, None, None, None, None]
    if not middle.isfinite().all():
        raise ValueError(
            f"A chain has the log-norm {float(log_size.max()):.3g}, more or less than "
            f"{middle.dtype} can hold in one core. Use normalize=True, or double precision."
        )
    return [*left, middle, *[core.permute(0, 1, 4, 3, 2) for core in reversed(right)]]


def _isometries(cores: Sequence[Tensor], like: Tensor) -> tuple[list[Tensor], Tensor, Tensor]:
    """Go along a chain from its end; what is no isometry is carried on, its size apart."""
    carried = like.new_ones(len(like), 1, 1)
    log_size = like.new_zeros(len(like))
    made = []
    for core in cores:
        step = torch.einsum("gal,gslkr->gsakr", carried, core)
        isometry, carried = torch.linalg.qr(step.flatten(1, 3))
        made.append(isometry.unflatten(1, step.shape[1:4]))
        size = carried.flatten(1).norm(dim=1).clamp_min(torch.finfo(carried.dtype).tiny)
        log_size = log_size + size.log()
        carried = carried / size[:, None, None]
    return made, carried, log_size
