r"""Cores in the units an optimizer moves.

Adam's step is absolute. The optimizer therefore moves :math:`\sqrt d` times each core: its
entries are of one size whatever the feature dimension, and a learning rate means the same
everywhere.
"""

from __future__ import annotations

import math

from torch import Tensor, cat


class ScaledCores:
    r"""Stacked cores as one matrix, one row per chain, in the units an optimizer moves.

    ``moved`` holds :math:`\sqrt d` times each core and is a leaf of the gradient.
    """

    def __init__(self, cores: list[Tensor]):
        self._shapes = [core.shape[1:] for core in cores]
        self._roots = cat(
            [
                core.new_full((shape.numel(),), math.sqrt(shape[0]))
                for core, shape in zip(cores, self._shapes, strict=True)
            ]
        )
        flat = cat([core.flatten(1) for core in cores], dim=1)
        self.moved = (flat * self._roots).requires_grad_()

    def cores(self, moved: Tensor | None = None) -> list[Tensor]:
        """Return the cores as they are now, differentiable in ``moved``.

        Parameters
        ----------
        moved
            Another matrix to take apart instead; None takes the present one.

        Returns
        -------
        list of Tensor
            One tensor per site.
        """
        sizes = [shape.numel() for shape in self._shapes]
        parts = ((self.moved if moved is None else moved) / self._roots).split(sizes, dim=1)
        return [part.unflatten(1, shape) for part, shape in zip(parts, self._shapes, strict=True)]
