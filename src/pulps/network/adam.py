"""Adam's steps, by PyTorch's functions.

The optimizers of ``torch.optim`` load PyTorch's compiler when they are made, which takes every
process some seconds. Their functions do not.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import torch
from torch import Tensor
from torch.optim.adam import adam
from torch.optim.adamw import adamw


class Adam:
    """Moves tensors against their gradients.

    Parameters
    ----------
    moved
        The tensors; those without a gradient stay where they are.
    rate
        Learning rate.
    betas
        How slowly the moments forget.
    weight_decay
        Share of itself by which a tensor shrinks in a step at rate one, apart from its gradient.
    fused
        Whether one operation does the whole step.
    """

    def __init__(
        self,
        moved: Iterable[Tensor],
        rate: float,
        *,
        betas: tuple[float, float] = (0.9, 0.999),
        weight_decay: float = 0.0,
        fused: bool = False,
    ):
        self.moved, self.rate = list(moved), rate
        self._betas, self._weight_decay, self._fused = betas, weight_decay, fused
        self.first_moments = [torch.zeros_like(tensor) for tensor in self.moved]
        self.second_moments = [torch.zeros_like(tensor) for tensor in self.moved]
        self.n_steps = [
            torch.zeros((), device=tensor.device if fused else None) for tensor in self.moved
        ]

    def step(self, share: float = 1.0) -> None:
        """Move, and forget the gradients.

        Parameters
        ----------
        share
            Share of the learning rate.
        """
        here = [place for place, tensor in enumerate(self.moved) if tensor.grad is not None]
        gradients = [gradient for tensor in self.moved if (gradient := tensor.grad) is not None]
        take_step = adamw if self._weight_decay else adam  # the former decays apart
        with torch.no_grad():
            take_step(
                [self.moved[place] for place in here],
                gradients,
                [self.first_moments[place] for place in here],
                [self.second_moments[place] for place in here],
                [],
                [self.n_steps[place] for place in here],
                foreach=False,
                fused=self._fused,
                amsgrad=False,
                beta1=self._betas[0],
                beta2=self._betas[1],
                lr=share * self.rate,
                weight_decay=self._weight_decay,
                eps=1e-8,
                maximize=False,
            )
        for place in here:
            self.moved[place].grad = None


def cosine_share(epoch: int, n_epochs: int) -> float:
    """Share of the learning rate that falls from one to zero along half a cosine.

    Parameters
    ----------
    epoch
        Number of the epoch, from zero.
    n_epochs
        Number of epochs.

    Returns
    -------
    float

    Examples
    --------
    >>> [round(cosine_share(epoch, 4), 3) for epoch in range(4)]
    [1.0, 0.854, 0.5, 0.146]
    """
    return 0.5 * (1 + math.cos(math.pi * epoch / n_epochs))
