r"""Chains with smaller bonds, and how far they can be from what they were.

A bond is truncated by what crosses it. For a row, the left part of a chain and the right part are
factors F and R, and the row's vector is :math:`\hat y = F^T R`. With

.. math:: L = \sum_x w_x F F^T = A A^T, \qquad N = \sum_x w_x R R^T = B B^T,
          \qquad A^T B = U S V^T

the singular values S say how much goes over the bond, in the best coordinates of both sides. The
largest ones are kept: :math:`T = B V S^{-1/2}` and :math:`T^+ = S^{-1/2} U^T A^T` are put between
the sites, with :math:`T^+ T = 1`. Over a row in which nothing is seen this is the usual truncation
of a tensor train, the best one in the Frobenius norm. Over rows of data it keeps what these need,
which is more often little: most of the Frobenius norm lies where no data are.

Whatever was done to a chain, its distance :math:`\varepsilon = \|P - P'\|_F` is known, and a row's
vector has moved by no more than :math:`\varepsilon \|\Phi(x)\|`. So

.. math:: \bigl| \log \|P'\Phi(x)\| - \log \|P\Phi(x)\| \bigr| \le -\log(1 - \rho), \qquad
          \rho = \varepsilon \, \|\Phi(x)\| \, / \, \|P\Phi(x)\| < 1.

That holds for every row, but says little about rows of small norm; where :math:`\rho \ge 1` it
says nothing. :math:`\|\Phi(x)\|` is a product over sites, and a traced site counts as the root of
its largest weight.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

from pulps.network import lps
from pulps.network.engine import PreparedRows, prepare

# Axes: g chain · s feature · l left bond · k output · r right bond · a, b new bonds.


def crossings(
    cores: Sequence[Tensor], batch: PreparedRows, weights: Tensor
) -> list[tuple[Tensor, Tensor]]:
    """Sum over rows what comes to every bond from the left and from the right.

    Every row counts by the size of both factors over that of their product, so that rows whose
    vector is what large numbers leave over count most.

    Parameters
    ----------
    cores
        One tensor (chains, feature, left, output, right) per site.
    batch
        Rows made by :func:`pulps.network.engine.prepare`.
    weights
        Weight of every row, in the caller's order.

    Returns
    -------
    list of (left, right)
        For every bond inside the chain, two tensors (chains, bond, bond).
    """
    cores = batch.weighted(cores)
    weights = weights if batch.order is None else weights[batch.order]
    backward = [core.permute(0, 1, 4, 3, 2) for core in reversed(cores)]
    rights = list(environments(backward, batch, from_left=False))[::-1]
    found = []
    for left, right in zip(environments(cores, batch), rights, strict=True):
        tiny = torch.finfo(left.dtype).tiny
        sizes = [env.diagonal(dim1=-2, dim2=-1).sum(-1).clamp_min(tiny) for env in (left, right)]
        product = (left * right).sum((-2, -1)).clamp_min(tiny)
        crossing = (sizes[0] * sizes[1] / product).sqrt() * weights
        found.append(
            (
                torch.einsum("gn,gnlm->glm", crossing / sizes[0], left),
                torch.einsum("gn,gnlm->glm", crossing / sizes[1], right),
            )
        )
    return found


def environments(
    cores: Sequence[Tensor], batch: PreparedRows, from_left: bool = True
) -> Iterator[Tensor]:
    """Environments at every bond inside the chain, each row in a scale of its own.

    Parameters
    ----------
    cores
        One tensor (chains, feature, left, output, right) per site, in the order of the walk.
    batch
        Rows.
    from_left
        Whether the walk begins at the first site.

    Yields
    ------
    Tensor of shape (chains, rows, bond, bond)
    """
    sites = range(len(cores)) if from_left else range(len(cores))[::-1]
    env = cores[0].new_ones(len(cores[0]), batch.n_rows, 1, 1)
    for site, core in zip(sites[:-1], cores, strict=False):
        observed = lps.observe(env, core, batch.features[site].to(core.dtype))
        if batch.observed is not None:
            seen = batch.observed[:, site, None, None]
            observed = torch.where(seen, observed, lps.trace(env, core))
        env, _ = lps.rescale(observed)
        yield env


@torch.no_grad()
def truncate(
    cores: Sequence[Tensor],
    cutoff: float = 1e-6,
    *,
    rows: PreparedRows | None = None,
    max_bond: int | None = None,
) -> list[Tensor]:
    r"""Make bonds smaller by leaving out what hardly anything goes over.

    Without rows the distance :math:`\|P - P'\|_F` is at most ``cutoff`` times the norm for every
    bond that is cut, unless ``max_bond`` cuts more; :func:`log_distances` tells it in any case.

    Parameters
    ----------
    cores
        One tensor (chains, feature, left, output, right) per site.
    cutoff
        Size of what is left out at a bond, at most, over the size of all that crosses it.
    rows
        Rows made by :func:`pulps.network.engine.prepare`, whose norms shall stay; None keeps the
        chains themselves, in the Frobenius norm.
    max_bond
        Largest bond that is left; None for any.

    Returns
    -------
    list of Tensor
        Cores with smaller bonds, the same for all chains: the largest that one of them needs.

    Examples
    --------
    >>> from pulps.network import ChainShape, truncate
    >>> cores = ChainShape((3,) * 6, bond_dim=8).random_cores(
    ...     1, 1.0, torch.Generator().manual_seed(0)
    ... )
    >>> [core.shape[4] for core in truncate(cores, max_bond=4)]
    [3, 4, 4, 4, 4, 1]
    """
    if not cutoff >= 0 or (max_bond is not None and max_bond < 1):
        raise ValueError(
            f"cutoff is {cutoff} and max_bond is {max_bond}; a cutoff must be zero or more and a "
            "bond at least one."
        )
    rows = nothing_seen(cores) if rows is None else rows
    exact = [core.double() for core in cores]  # squares of single precision hide small values
    sides = crossings(exact, rows, exact[0].new_ones(rows.n_rows))
    return [core.to(cores[0].dtype) for core in cut_bonds(exact, sides, cutoff, max_bond)]


def nothing_seen(cores: Sequence[Tensor]) -> PreparedRows:
    """Return one row in which no site is observed.

    Parameters
    ----------
    cores
        One tensor (chains, feature, left, output, right) per site.

    Returns
    -------
    PreparedRows
    """
    blank = [core.new_zeros(1, core.shape[1]) for core in cores]
    return prepare(blank, torch.zeros(1, len(cores), dtype=torch.bool, device=cores[0].device))


def cut_bonds(
    cores: Sequence[Tensor],
    sides: Sequence[tuple[Tensor, Tensor]],
    cutoff: float,
    max_bond: int | None = None,
) -> list[Tensor]:
    """Leave out of every bond what hardly anything goes over.

    Parameters
    ----------
    cores
        One tensor (chains, feature, left, output, right) per site.
    sides
        What comes to every bond, see :func:`crossings`.
    cutoff
        Size of what is left out at a bond, at most, over the size of all that crosses it.
    max_bond
        Largest bond that is left; None for any.

    Returns
    -------
    list of Tensor
        Cores with smaller bonds, the same for all chains: the largest that one of them needs.
    """
    end = cores[0].new_ones(len(cores[0]), 1, 1)
    into, out = [end], []
    for left, right in sides:
        (a, b), s, (u, vh) = singular_values(left, right)
        rest = s.square().flip(1).cumsum(1).flip(1).sqrt()  # what is left out from here on
        needed = int((rest > cutoff * rest[:, :1]).sum(1).max().clamp_min(1))
        needed = needed if max_bond is None else min(needed, max_bond)
        kept = s[:, :needed]
        noise = kept <= torch.finfo(s.dtype).eps * s[:, :1]  # a chain that needs less than others
        scale = torch.where(noise, 0.0, kept.clamp_min(torch.finfo(s.dtype).tiny).rsqrt())
        out.append(b @ vh.mT[:, :, :needed] * scale[:, None, :])
        into.append(scale[:, :, None] * (u[:, :, :needed].mT @ a.mT))
    out.append(end)
    return [
        torch.einsum("gal,gslkr,grb->gsakb", before, core, behind)
        for before, core, behind in zip(into, cores, out, strict=True)
    ]


def singular_values(
    left: Tensor, right: Tensor
) -> tuple[tuple[Tensor, Tensor], Tensor, tuple[Tensor, Tensor]]:
    r"""Take apart what comes to a bond from both sides, :math:`A^T B = U S V^T` of the module.

    Parameters
    ----------
    left, right
        What comes to the bond, see :func:`crossings`.

    Returns
    -------
    (a, b), s, (u, vh)
        Roots of both sides, singular values of shape (chains, bond), and their vectors.
    """
    a, b = root(left), root(right)
    u, s, vh = torch.linalg.svd(a.mT @ b)
    return (a, b), s, (u, vh)


def root(gram: Tensor) -> Tensor:
    """Return a matrix whose product with its transposed is the given one.

    Parameters
    ----------
    gram
        Symmetric matrices without negative eigenvalues, shape (chains, bond, bond).

    Returns
    -------
    Tensor of the same shape
    """
    values, vectors = torch.linalg.eigh(gram)
    return vectors * values.clamp_min(0).sqrt()[:, None, :]


def log_distances(cores: Sequence[Tensor], others: Sequence[Tensor]) -> Tensor:
    r"""Logarithm of :math:`\|P - P'\|_F`, one number per chain.

    The chain of the difference is brought into canonical form, so that nothing is squared and
    even distances near rounding are right.

    Parameters
    ----------
    cores, others
        Two stacks of as many chains over the same sites, of any bonds.

    Returns
    -------
    Tensor of shape (chains,)
        Minus infinity where the chains are equal.
    """
    last = len(cores) - 1
    carried = cores[0].new_ones(len(cores[0]), 1, 1)
    log_size = cores[0].new_zeros(len(cores[0]))
    for site, (one, other) in enumerate(zip(cores, others, strict=True)):
        if site == last:
            other = -other
        core = one.new_zeros(
            *one.shape[:2],
            one.shape[2] + other.shape[2] if site else 1,
            one.shape[3],
            one.shape[4] + other.shape[4] if site < last else 1,
        )
        if site == last == 0:
            core += one + other
        else:
            core[:, :, : one.shape[2], :, : one.shape[4]] += one
            core[:, :, -other.shape[2] :, :, -other.shape[4] :] += other
        step = torch.einsum("gal,gslkr->gsakr", carried, core).flatten(1, 3)
        carried = torch.linalg.qr(step, mode="r").R if site < last else step
        size = carried.flatten(1).norm(dim=1)
        log_size += size.log()
        carried = carried / size.clamp_min(torch.finfo(size.dtype).tiny).view(-1, 1, 1)
    return log_size


def log_lengths(batch: PreparedRows) -> Tensor:
    r"""Logarithm of :math:`\|\Phi(x)\|`, one number per row in the caller's order.

    Parameters
    ----------
    batch
        Rows made by :func:`pulps.network.engine.prepare`.

    Returns
    -------
    Tensor of shape (rows,)
        A traced site counts as the root of its largest weight.
    """
    lengths = torch.zeros(batch.n_rows, dtype=batch.features[0].dtype)
    for site, phi in enumerate(batch.features):
        root = None if batch.roots is None else batch.roots[site].to(phi)
        length = (phi if root is None else phi * root).norm(dim=1).log()
        if batch.observed is not None:
            traced = length.new_zeros(()) if root is None else root.max().log()
            length = torch.where(batch.observed[:, site], length, traced)
        lengths += length
    return batch.restored(lengths[None])[0]


def change_bounds(log_norms: Tensor, log_lengths: Tensor, log_distances: Tensor) -> Tensor:
    r"""Bound of the change of every log-norm, :math:`-\log(1 - \rho)` of the module's text.

    Parameters
    ----------
    log_norms
        Log-norms of rows under the first chains, shape (chains, rows).
    log_lengths
        Shape (rows,), see :func:`log_lengths`.
    log_distances
        Shape (chains,), see :func:`log_distances`.

    Returns
    -------
    Tensor of shape (chains, rows)
        Infinite where nothing can be said.
    """
    share = (log_distances[:, None] + log_lengths - log_norms).exp()
    return torch.where(share < 1, -torch.log1p(-share.clamp_max(1)), torch.inf)
