"""Missing cells in training: drawn anew in every step from the rows that have them."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class DrawnCells:
    """Missing cells that take what a random row of the batch has in that column.

    It may be the ``augment`` of :class:`~pulps.training.batches.Batches`. All sites of a column
    take the same value; a column that no row of the batch has stays missing.

    Parameters
    ----------
    n_columns
        Columns of the table; site *i* holds column *i* modulo ``n_columns``.

    Examples
    --------
    >>> values = torch.tensor([[0.0, torch.nan], [torch.nan, 3.0]])
    >>> DrawnCells(2)(values, None)
    tensor([[0., 3.],
            [0., 3.]])
    """

    n_columns: int

    def __call__(self, values: Tensor, generator: torch.Generator | None) -> Tensor:
        """Return the values of a batch with its holes filled.

        Parameters
        ----------
        values
            Values of sites, shape (rows, sites), NaN where missing.
        generator
            Source of the draws.

        Returns
        -------
        Tensor of the same shape
        """
        missing = values[:, : self.n_columns].isnan().cpu()
        if not missing.any():
            return values
        n_seen = (~missing).sum(dim=0)
        seen_first = missing.to(torch.uint8).argsort(dim=0, stable=True)
        draws = torch.rand(missing.shape, generator=generator)
        source = seen_first.gather(0, (draws * n_seen).long().clamp_max(len(values) - 1))
        source = torch.where(missing, source, torch.arange(len(values))[:, None])
        n_repeats = values.shape[1] // self.n_columns
        return values.gather(0, source.repeat(1, n_repeats).to(values.device))
