r"""What goes over each bond: how strongly the left and the right of a chain are tied.

Cut a chain at a bond. With the Schmidt values :math:`S_i` of the two halves,
:math:`p_i = S_i^2 / \sum_j S_j^2` is how what goes over the bond is shared among its directions,
and

.. math:: -\sum_i p_i \log p_i

is its entropy. It is zero if the two halves know nothing of each other, and the logarithm of the
bond dimension, at most, if the bond is used to the full. Over rows of data, :math:`S_i` are the
values by which :mod:`pulps.network.compress` truncates: how much these rows send over the bond.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from pulps.network.compress import crossings, nothing_seen, singular_values
from pulps.network.engine import PreparedRows


@torch.no_grad()
def bond_spectra(
    cores: Sequence[Tensor], rows: PreparedRows | None = None, weights: Tensor | None = None
) -> list[Tensor]:
    """Shares of what goes over each bond, the largest first.

    Parameters
    ----------
    cores
        One tensor (chains, feature, left, output, right) per site.
    rows
        Rows made by :func:`pulps.network.engine.prepare`; None counts what the chains can hold,
        by their Frobenius norm, wherever data are.
    weights
        Weight of every row; None for ones.

    Returns
    -------
    list of Tensor
        For every bond inside the chain, shape (chains, bond), in double precision; every line
        adds up to one.
    """
    rows = nothing_seen(cores) if rows is None else rows
    exact = [core.double() for core in cores]
    weights = exact[0].new_ones(rows.n_rows) if weights is None else weights.double()
    shares = []
    for left, right in crossings(exact, rows, weights):
        squares = singular_values(left, right)[1].square()
        tiny = torch.finfo(squares.dtype).tiny
        shares.append(squares / squares.sum(1, keepdim=True).clamp_min(tiny))
    return shares


def bond_entropies(
    cores: Sequence[Tensor], rows: PreparedRows | None = None, weights: Tensor | None = None
) -> Tensor:
    """Entropy of every bond, in nats.

    Parameters
    ----------
    cores, rows, weights
        See :func:`bond_spectra`.

    Returns
    -------
    Tensor of shape (chains, bonds)
        In double precision.

    Examples
    --------
    Two sites that know nothing of each other, and two that are equal:

    >>> from pulps.network import bond_entropies, from_arrays
    >>> apart = from_arrays([[[1.0], [1.0]], [[1.0], [1.0]]], layout=["sr", "sl"])
    >>> equal = from_arrays([[[1.0, 0.0], [0.0, 1.0]]] * 2, layout=["sr", "sl"])
    >>> float(bond_entropies(apart).round(decimals=6).abs()), float(bond_entropies(equal).exp())
    (0.0, 2.0)
    """
    spectra = bond_spectra(cores, rows, weights)
    if not spectra:
        return cores[0].new_zeros(len(cores[0]), 0, dtype=torch.float64)
    return torch.stack([torch.special.entr(shares).sum(1) for shares in spectra], dim=1)
