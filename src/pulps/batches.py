"""Batches: all rows at once, or random rows with labeled ones repeated to an equal share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from pulps import engine
from pulps.basis import Basis, embed


@dataclass(frozen=True)
class Batch:
    """Embedded rows and, for each member, their weight as labeled and unlabeled rows."""

    rows: engine.Batch
    labeled: Tensor
    unlabeled: Tensor


@dataclass
class Batches:
    """The training rows, an epoch at a time.

    Parameters
    ----------
    values
        Shape (rows, sites), NaN where missing.
    bases
        One basis a site.
    labeled, unlabeled
        Weight of each row as a labeled and as an unlabeled row, shape (members, rows).
        A row with zero in both is held out from that member.
    batch_size
        Rows in a batch; None takes all rows at once, without repetition, as the paper
        does for tables. Otherwise each batch of random rows is followed by an equal
        number of labeled rows drawn with repetition, as it does for images.
    generator
        Source of the draws.
    augment
        Applied to the values of each batch before they are embedded.
    """

    values: Tensor
    bases: list[Basis]
    labeled: Tensor
    unlabeled: Tensor
    batch_size: int | None = None
    generator: torch.Generator | None = None
    augment: Callable[[Tensor, torch.Generator | None], Tensor] | None = None
    _all: Batch | None = None

    def __iter__(self) -> Iterator[Batch]:
        """Yield the batches of one epoch."""
        if self.batch_size is None or self.batch_size >= len(self.values):
            if self._all is None or self.augment is not None:
                self._all = self._take(slice(None))
            yield self._all
            return
        pool = (self.labeled.amax(dim=0) > 0).nonzero()[:, 0]
        order = torch.randperm(len(self.values), generator=self.generator)
        for rows in order.split(self.batch_size):
            extra = pool[torch.randint(len(pool), (len(rows),), generator=self.generator)]
            yield self._take(torch.cat([rows, extra]))

    def _take(self, rows) -> Batch:
        values = self.values[rows]
        if self.augment is not None:
            values = self.augment(values, self.generator)
        prepared = engine.prepare(*embed(self.bases, values))
        return Batch(prepared, self.labeled[:, rows], self.unlabeled[:, rows])
