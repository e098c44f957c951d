r"""A layer of PyTorch: rows in, log-norms under a stack of chains out.

It is the network of this library and nothing else: no classes, no labels, no loss. What becomes of
the log-norms :math:`\log \|P\Phi(x)\|_2` is up to whoever uses it: one chain per class and their
log-norms are logits; one chain, and twice its log-norm less that of Frobenius is a log-density.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from pulps.network import engine, lps
from pulps.network.basis import Basis, embed
from pulps.network.engine import PreparedRows
from pulps.network.lps import ChainShape


class LPSLayer(nn.Module):
    r"""Log-norms of rows under a stack of locally purified states.

    Cores start near the identity, where every row has the log-norm zero, however long the
    chain is. The sweep is done by the engine, with gradients for the cores; where an input
    wants a gradient, too, the clear sweep of :mod:`pulps.network.lps` does it, which is slower.

    Parameters
    ----------
    bases
        One basis per site, such as ``[CosineBasis(4)] * 10``.
    n_chains
        Number of chains.
    bond_dim, spacing, output_dim
        See :class:`pulps.network.lps.ChainShape`.
    noise
        Size of the random part of the first cores.
    generator
        Draws it; None uses PyTorch's own.
    cores
        Cores to begin with, one tensor (chains, feature, left, output, right) per site, instead of
        those described above.

    Attributes
    ----------
    cores : torch.nn.ParameterList
        One tensor (chains, feature, left, output, right) per site: what the functions of
        :mod:`pulps.network` take.

    Examples
    --------
    Three classes over four numbers from 0 to 1, one of which is missing in the second row:

    >>> import torch
    >>> from pulps.network import CosineBasis, LPSLayer
    >>> generator = torch.Generator().manual_seed(0)
    >>> layer = LPSLayer([CosineBasis(3)] * 4, n_chains=3, bond_dim=2, generator=generator)
    >>> rows = torch.tensor([[0.1, 0.2, 0.3, 0.4], [0.1, float("nan"), 0.3, 0.4]])
    >>> logits = layer(rows)
    >>> logits.shape
    torch.Size([2, 3])
    >>> loss = torch.nn.functional.cross_entropy(logits, torch.tensor([0, 2]))
    >>> loss.backward()
    >>> layer.cores[0].grad.shape
    torch.Size([3, 3, 1, 1, 2])
    """

    def __init__(
        self,
        bases: Sequence[Basis],
        n_chains: int = 1,
        *,
        bond_dim: int = 8,
        spacing: int = 4,
        output_dim: int | None = None,
        noise: float = 0.1,
        generator: torch.Generator | None = None,
        cores: Sequence[Tensor] | None = None,
    ):
        super().__init__()
        self.bases = list(bases)
        if cores is None:
            shape = ChainShape(
                tuple(basis.dim for basis in self.bases), bond_dim, spacing, output_dim
            )
            cores = shape.near_identity_cores(
                [basis.constant() for basis in self.bases],
                n_chains,
                noise,
                torch.default_generator if generator is None else generator,
            )
        dims = [core.shape[1] for core in cores]
        if dims != [basis.dim for basis in self.bases]:
            raise ValueError(
                f"The cores take {dims} features at their sites, the bases give "
                f"{[basis.dim for basis in self.bases]}. Give one basis per core, of its size."
            )
        self.cores = nn.ParameterList(core.detach().clone() for core in cores)

    def forward(self, rows: Tensor | PreparedRows) -> Tensor:
        """Sweep rows.

        Parameters
        ----------
        rows
            Shape (rows, sites), or (rows, sites, numbers) where a site holds several; NaN marks a
            missing value, which is summed over. Or what :meth:`prepare` made of them.

        Returns
        -------
        Tensor of shape (rows, chains)
            Log-norms.
        """
        cores = list(self.cores)
        if isinstance(rows, PreparedRows):
            return engine.log_norms(cores, rows).T
        features, observed = self._embedded(rows)
        if any(phi.requires_grad for phi in features):
            return lps.log_norms(cores, features, observed).T
        return engine.log_norms(cores, features, observed).T

    def prepare(self, rows: Tensor) -> PreparedRows:
        """Embed and sort rows once, for any number of calls; it pays when rows come again.

        Parameters
        ----------
        rows
            As in a call.

        Returns
        -------
        PreparedRows
            They give their values no gradient.
        """
        return engine.prepare(*self._embedded(rows))

    def log_frobenius_norms(self) -> Tensor:
        r"""Log-norms :math:`\log \|P\|_F` of the chains: twice it normalizes a density.

        Returns
        -------
        Tensor of shape (chains,)
        """
        return engine.log_frobenius_norms(list(self.cores))

    def extra_repr(self) -> str:
        """Describe the chains.

        Returns
        -------
        str
        """
        bonds = [core.shape[4] for core in list(self.cores)[:-1]]
        n_chains = len(self.cores[0])
        return (
            f"n_sites={len(self.bases)}, n_chains={n_chains}, widest_bond={max(bonds, default=1)}"
        )

    def _embedded(self, rows: Tensor) -> tuple[list[Tensor], Tensor]:
        if rows.ndim not in (2, 3) or rows.shape[1] != len(self.bases):
            raise ValueError(
                f"Rows of shape {tuple(rows.shape)} came; (rows, {len(self.bases)}) is wanted, "
                "one value per site."
            )
        return embed(self.bases, rows.to(self.cores[0].dtype))
