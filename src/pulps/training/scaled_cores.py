r"""Cores in the units an optimizer moves.

Adam's step is absolute. The optimizer therefore moves :math:`\sqrt d` times each core: its
entries are of one size whatever the feature dimension, and a learning rate means the same
everywhere. Divided by the rate of its site, a core moves by that share of the step only.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property

import torch
from torch import Tensor


class ScaledCores:
    r"""Stacked cores as one vector, site after site, in the units an optimizer moves.

    ``moved`` holds :math:`\sqrt d` times each core, divided by the rate of its site, and is a leaf
    of the gradient. A site's cores of all chains lie side by side in it, as the engine reads them:
    none is copied.

    Parameters
    ----------
    cores
        Stacked cores, one tensor (chains, feature, left, output, right) per site.
    rates
        Share of the step that the cores of each site take; None for all of it.
    """

    def __init__(self, cores: list[Tensor], rates: Sequence[float] | None = None):
        self._shapes = [core.shape for core in cores]
        self._sizes = [core.numel() for core in cores]
        self._roots = torch.cat(
            [
                core.new_full((core.numel(),), math.sqrt(core.shape[1]) / rate)
                for core, rate in zip(cores, rates or [1.0] * len(cores), strict=True)
            ]
        )
        self.moved = (torch.cat([core.flatten() for core in cores]) * self._roots).requires_grad_()

    def cores(self, moved: Tensor | None = None) -> list[Tensor]:
        """Return the cores as they are now.

        Parameters
        ----------
        moved
            Another vector to take them from; None takes ``moved``.

        Returns
        -------
        list of Tensor
            Differentiable in the vector.
        """
        parts = ((self.moved if moved is None else moved) / self._roots).split(self._sizes)
        return [part.view(shape) for part, shape in zip(parts, self._shapes, strict=True)]

    @cached_property
    def chain(self) -> Tensor:
        """The chain of every number of ``moved``."""
        chains = torch.arange(self._shapes[0][0], device=self.moved.device)
        return torch.cat([chains.repeat_interleave(shape[1:].numel()) for shape in self._shapes])
