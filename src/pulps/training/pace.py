"""How fast each member learns: decay, plateaus and stops."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor

if TYPE_CHECKING:
    from pulps.training.loop import LoopSettings


class Pace:
    """Each member's share of the learning rate.

    Parameters
    ----------
    settings
        How to train: ``decay``, ``patience``, ``stop_after`` and ``max_epochs``.
    n_members
        Number of members.
    like
        A tensor whose type and device to use.
    """

    def __init__(self, settings: LoopSettings, n_members: int, like: Tensor):
        self.settings = settings
        self.best = like.new_full((n_members,), math.inf)
        self.waited = torch.zeros(n_members, dtype=torch.long, device=like.device)
        self.since_halving = torch.zeros_like(self.waited)
        self.share = like.new_ones(n_members)

    def at(self, index: int) -> Tensor:
        """Share of the learning rate in an epoch.

        Parameters
        ----------
        index
            Number of the epoch, from zero.

        Returns
        -------
        Tensor of shape (members,)
        """
        share = self.share
        if self.settings.decay == "cosine":
            share = share * 0.5 * (1 + math.cos(math.pi * index / self.settings.max_epochs))
        return share

    def note(self, total: Tensor) -> None:
        """Note how an epoch went: halve shares on a plateau, stop members.

        Parameters
        ----------
        total
            The loss, shape (members,).
        """
        better = total < self.best
        self.best = torch.where(better, total, self.best)
        self.waited = torch.where(better, 0, self.waited + 1)
        self.since_halving = torch.where(better, 0, self.since_halving + 1)
        if self.settings.decay == "plateau":
            due = self.since_halving >= self.settings.patience
            self.share = torch.where(due, self.share / 2, self.share)
            self.since_halving = torch.where(due, 0, self.since_halving)
        stopped = ~total.isfinite()
        if self.settings.stop_after is not None:
            stopped |= self.waited >= self.settings.stop_after
        self.share = torch.where(stopped, 0, self.share)

    def tensors(self) -> dict[str, Tensor]:
        """Everything that changes.

        Returns
        -------
        dict of Tensor
        """
        return {name: getattr(self, name) for name in ("best", "waited", "since_halving", "share")}

    def restore(self, arrays: Mapping[str, np.ndarray]) -> None:
        """Go back to a state.

        Parameters
        ----------
        arrays
            What :meth:`tensors` returned, as arrays.
        """
        for name, value in self.tensors().items():
            setattr(self, name, torch.as_tensor(arrays[name].copy()).to(value))

    @property
    def all_stopped(self) -> bool:
        """Whether no member learns any more."""
        return not bool(self.share.any())
