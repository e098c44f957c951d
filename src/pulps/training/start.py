"""Where training starts: the first cores of every chain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from pulps.network import engine
from pulps.network.lps import ChainShape
from pulps.training.loss import N_STATES


@dataclass(frozen=True)
class Start:
    """Draws the stacked cores of a number of members.

    Parameters
    ----------
    shape
        Shape of every chain.
    scale
        Size of the random part.
    generator
        Source of the draws.
    constants
        For each site the coefficients of the constant function: chains then start near the
        identity, which passes on every row alike. None starts from noise alone.
    rows
        Rows whose mean log-norm every chain starts at zero with; None leaves it as it is.
    site_rates
        Share of the random part that each site of chains near the identity gets; None for all.
    dtype, device
        Precision of the cores, and where they live.
    n_states
        States of every member, one per class.
    """

    shape: ChainShape
    scale: float
    generator: torch.Generator
    constants: Sequence[Tensor] | None = None
    rows: engine.PreparedRows | None = None
    dtype: torch.dtype = torch.float32
    device: str = "cpu"
    site_rates: Sequence[float] | None = None
    n_states: int = N_STATES

    def __call__(self, n_members: int) -> list[Tensor]:
        """Draw the cores of all states of every member.

        Parameters
        ----------
        n_members
            How many.

        Returns
        -------
        list of Tensor
            Stacked cores, one tensor (chains, ...) per site.
        """
        n_chains = self.n_states * n_members
        if self.constants is None:
            cores = self.shape.random_cores(n_chains, self.scale, self.generator)
        else:
            cores = self.shape.near_identity_cores(
                self.constants, n_chains, self.scale, self.generator, self.site_rates
            )
        cores = [core.to(dtype=self.dtype, device=self.device) for core in cores]
        if self.rows is None:
            return cores
        per_site = engine.log_norms(cores, self.rows).mean(1) / len(cores)
        return [core * torch.exp(-per_site)[:, None, None, None, None] for core in cores]
