"""Batches: all rows at once, or random rows; rare labeled ones are repeated."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from pulps.network import engine

RARE = 0.1


@dataclass(frozen=True)
class Batch:
    """Embedded rows and, for each member, their weight as labeled and unlabeled rows.

    Hints are what a member is told of the rows from elsewhere, from -1 to 1.
    """

    rows: engine.Batch
    labeled: Tensor
    unlabeled: Tensor
    hints: Tensor | None = None


class LazyRows:
    """Rows that are read and given to the sites only when a batch asks for them.

    Parameters
    ----------
    values
        Encoded rows, by row numbers or a slice; an array, or a file of rows.
    to_sites
        From encoded rows to a value a site, each row by itself.
    at_once
        Rows to read and give to the sites at a time, where more are asked for; None for all
        of them.
    **place
        Type and device of the tensors.
    """

    def __init__(self, values, to_sites: Callable, *, at_once: int | None = None, **place):
        self.values, self.to_sites = values, to_sites
        self.at_once, self.place = at_once, place

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.values)

    def __getitem__(self, rows) -> Tensor:
        """Read some rows."""
        if isinstance(rows, Tensor):
            rows = rows.cpu().numpy()
        if self.at_once is None:
            return self._read(rows)
        if isinstance(rows, slice):
            rows = range(*rows.indices(len(self)))
        firsts = range(0, max(len(rows), 1), self.at_once)
        parts = [self._read(rows[first : first + self.at_once]) for first in firsts]
        return parts[0] if len(parts) == 1 else torch.cat(parts)

    def _read(self, rows) -> Tensor:
        if isinstance(rows, range):
            # a slice can be read without a copy
            rows = slice(rows.start, rows.stop) if rows.step == 1 else np.array(rows, int)
        return torch.as_tensor(self.to_sites(self.values[rows]), **self.place)


@dataclass(frozen=True)
class SwapNoise:
    """Cells that change places: some hold what another row has in that column.

    It may be the ``augment`` of :class:`Batches`. Holes move like values, and all sites of a
    column are changed at once.

    Parameters
    ----------
    share
        Probability that a cell is replaced.
    n_columns
        Columns of the table; site *i* holds column *i* modulo ``n_columns``.

    Examples
    --------
    >>> values = torch.tensor([[0.0, 1.0], [2.0, 3.0]])
    >>> SwapNoise(1.0, 2)(values, None)
    tensor([[2., 3.],
            [0., 1.]])
    """

    share: float
    n_columns: int

    def __call__(self, values: Tensor, generator: torch.Generator | None) -> Tensor:
        """Return the values of a batch with some cells replaced."""
        n_rows, n_sites = values.shape
        size = (n_rows, self.n_columns)
        swapped = torch.rand(size, generator=generator) < self.share
        steps = torch.randint(1, max(n_rows, 2), size, generator=generator)
        source = (torch.arange(n_rows)[:, None] + swapped * steps) % n_rows
        return values.gather(0, source.repeat(1, n_sites // self.n_columns).to(values.device))


@dataclass(frozen=True)
class DrawnCells:
    """Missing cells that take what a random row of the batch has in that column.

    It may be the ``augment`` of :class:`Batches`. All sites of a column take the same value; a
    column that no row of the batch has stays missing.

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
        """Return the values of a batch with its holes filled."""
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


@dataclass
class Batches:
    """The training rows, an epoch at a time.

    Parameters
    ----------
    values
        Rows along the first axis, values of sites or images; in memory or read when they
        are needed.
    embed
        From some of them to what :func:`pulps.network.engine.prepare` takes: their features, one
        tensor (rows, feature) a site, what is observed, and weights where it is not.
    labeled, unlabeled
        Weight of each row as a labeled and as an unlabeled row, shape (members, rows).
        A row with zero in both is held out from that member.
    batch_size
        Rows in a batch, at most; None takes all rows at once, without repetition, as the
        paper does for tables. Where fewer than one row in ten is labeled, each batch of
        random rows is followed by labeled rows drawn with repetition, as it does for images.
    generator
        Source of the draws.
    augment
        Applied to the values of each batch before they are embedded.
    hints
        What each member is told of each row, shape (members, rows), see :class:`Batch`.
    extra
        How many labeled rows follow the random ones, as a share of these; as many in the
        paper.
    """

    values: Tensor | LazyRows
    embed: Callable[[Tensor], tuple]
    labeled: Tensor
    unlabeled: Tensor
    batch_size: int | None = None
    generator: torch.Generator | None = None
    augment: Callable[[Tensor, torch.Generator | None], Tensor] | None = None
    hints: Tensor | None = None
    extra: float = 1.0
    _all: Batch | None = None

    def __iter__(self) -> Iterator[Batch]:
        """Yield the batches of one epoch."""
        if self.batch_size is None or self.batch_size >= len(self.values):
            if self._all is None or self.augment is not None:
                self._all = self._take(slice(None))
            yield self._all
            return
        used = ((self.labeled + self.unlabeled).amax(dim=0) > 0).nonzero()[:, 0]
        pool = (self.labeled.amax(dim=0) > 0).nonzero()[:, 0]
        order = used[torch.randperm(len(used), generator=self.generator)]
        for rows in order.tensor_split(math.ceil(len(order) / self.batch_size)):
            n_extra = math.ceil(self.extra * len(rows)) if len(pool) < RARE * len(used) else 0
            extra = pool[torch.randint(len(pool), (n_extra,), generator=self.generator)]
            yield self._take(torch.cat([rows, extra]), n_extra)

    def _take(self, rows, n_extra: int = 0) -> Batch:
        """Embed rows, the last of them repeated labeled ones: they count as nothing else."""
        read = values = self.values[rows]
        if self.augment is not None:
            values = self.augment(read, self.generator)
        prepared = engine.prepare(*self.embed(values), once=values is not read)
        unlabeled = self.unlabeled[:, rows]
        if n_extra:
            unlabeled[:, -n_extra:] = 0
        hints = None if self.hints is None else self.hints[:, rows]
        return Batch(prepared, self.labeled[:, rows], unlabeled, hints)
