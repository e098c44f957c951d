"""Batches: all rows at once, or random rows; rare labeled ones are repeated."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from pulps.io.lazy_rows import LazyRows
from pulps.network import engine

RARE = 0.1

Augment = Callable[[Tensor, torch.Generator | None], Tensor]  # of the values of a batch


@dataclass(frozen=True)
class Batch:
    """Embedded rows, and what each member makes of them.

    Parameters
    ----------
    rows
        Made ready for the sweep.
    labeled, unlabeled
        Weight of each row as a labeled and as an unlabeled row, shape (members, rows).
    hints
        What a member is told of the rows from elsewhere, from -1 to 1, or None: for two states
        (members, rows), for more (states, members, rows).
    own_state
        Number of the state that a labeled row belongs to, shape (rows,); None if all labeled
        rows belong to the first.
    """

    rows: engine.PreparedRows
    labeled: Tensor
    unlabeled: Tensor
    hints: Tensor | None = None
    own_state: Tensor | None = None

    def labeled_by_state(self, n_states: int) -> list[Tensor | None]:
        """Weights of the labeled rows of each state.

        Parameters
        ----------
        n_states
            Number of states.

        Returns
        -------
        list
            Shape (members, rows) each; None for a state without labeled rows.
        """
        if self.own_state is None:
            return [self.labeled, *[None] * (n_states - 1)]
        here = set(self.own_state[self.labeled.amax(0) > 0].tolist())
        return [
            self.labeled * (self.own_state == state) if state in here else None
            for state in range(n_states)
        ]


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
        tensor (rows, feature) per site, what is observed, and weights where it is not.
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
        What each member is told of each row, the last two axes (members, rows), see
        :class:`Batch`.
    extra
        How many labeled rows follow the random ones, as a share of these; as many in the
        paper.
    own_state
        Which state each labeled row belongs to, see :class:`Batch`.
    drawn_from
        Rows and labeled rows that batches are drawn from; None for those of these members. The
        members of one ensemble draw alike wherever they are.
    """

    values: Tensor | LazyRows
    embed: Callable[[Tensor], tuple[Any, ...]]
    labeled: Tensor
    unlabeled: Tensor
    batch_size: int | None = None
    generator: torch.Generator | None = None
    augment: Augment | None = None
    hints: Tensor | None = None
    extra: float = 1.0
    own_state: Tensor | None = None
    drawn_from: tuple[Tensor, Tensor] | None = None
    _all: Batch | None = None

    def __iter__(self) -> Iterator[Batch]:
        """Yield the batches of one epoch."""
        if self.batch_size is None or self.batch_size >= len(self.values):
            if self._all is None or self.augment is not None:
                self._all = self._take(slice(None))
            yield self._all
            return
        used, pool = self.sources()
        order = used[torch.randperm(len(used), generator=self.generator)]
        for rows in order.tensor_split(math.ceil(len(order) / self.batch_size)):
            n_extra = math.ceil(self.extra * len(rows)) if len(pool) < RARE * len(used) else 0
            extra = pool[torch.randint(len(pool), (n_extra,), generator=self.generator)]
            yield self._take(torch.cat([rows, extra]), n_extra)

    def sources(self) -> tuple[Tensor, Tensor]:
        """Rows that batches are drawn from, and labeled ones that are repeated.

        Returns
        -------
        used, pool
            Numbers of rows.
        """
        if self.drawn_from is not None:
            return self.drawn_from
        used = ((self.labeled + self.unlabeled).amax(dim=0) > 0).nonzero()[:, 0]
        return used, (self.labeled.amax(dim=0) > 0).nonzero()[:, 0]

    def of_members(self, members: Tensor) -> Batches:
        """Return the same rows for some of the members.

        Parameters
        ----------
        members
            Numbers of members.

        Returns
        -------
        Batches
        """
        return replace(
            self,
            labeled=self.labeled[members],
            unlabeled=self.unlabeled[members],
            hints=None if self.hints is None else self.hints[..., members, :],
            _all=None,
        )

    def _take(self, rows: Tensor | slice, n_extra: int = 0) -> Batch:
        """Embed rows, the last of them repeated labeled ones: they count as nothing else."""
        read = values = self.values[rows]
        if self.augment is not None:
            values = self.augment(read, self.generator)
        prepared = engine.prepare(*self.embed(values), once=values is not read)
        unlabeled = self.unlabeled[:, rows]
        if n_extra:
            unlabeled[:, -n_extra:] = 0
        hints = None if self.hints is None else self.hints[..., rows]
        own_state = None if self.own_state is None else self.own_state[rows]
        return Batch(prepared, self.labeled[:, rows], unlabeled, hints, own_state)
