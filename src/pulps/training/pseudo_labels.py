r"""Pseudo-labels: how much each unlabeled row counts as positive and as negative.

A rule is given the leanings, shape (members, rows), which are the log-ratio of each row plus what
is known of it from elsewhere, and the share of the epochs that are done. It returns two weights
from 0 to 1 of the shape of the leanings. The hard rule is the paper's, the soft one that of a
network that has a first guess; :class:`pulps.training.loop.LoopSettings` takes any other.
"""

from __future__ import annotations

import torch
from torch import Tensor


def hard_pseudo_labels(
    leaning: Tensor, progress: float = 0.0, *, margin: float = 0.0
) -> tuple[Tensor, Tensor]:
    """Give a row to the class it leans to; within the margin, to neither.

    Parameters
    ----------
    leaning
        Log-ratios plus hints, shape (members, rows).
    progress
        Not used.
    margin
        Width around zero, to either end, in which a row belongs to neither class.

    Returns
    -------
    positive, negative
        Boolean, of the shape of ``leaning``.

    Examples
    --------
    >>> import torch
    >>> hard_pseudo_labels(torch.tensor([[-9.0, 0.0, 9.0]]))
    (tensor([[False, False,  True]]), tensor([[ True,  True, False]]))
    """
    return leaning > margin, (leaning < -margin if margin else leaning <= 0)


def soft_pseudo_labels(
    leaning: Tensor, progress: float = 0.0, *, softness: float = 1.0
) -> tuple[Tensor, Tensor]:
    """Count each row for both classes, by odds that depend on its leaning.

    Parameters
    ----------
    leaning
        Log-ratios plus hints, shape (members, rows).
    progress
        Not used.
    softness
        How much leaning raises the odds by a factor of e.

    Returns
    -------
    positive, negative
        Weights, which sum to one.

    Examples
    --------
    >>> soft_pseudo_labels(torch.tensor([[0.0, 9.0]]), softness=9.0)
    (tensor([[0.5000, 0.7311]]), tensor([[0.5000, 0.2689]]))
    """
    return torch.sigmoid(leaning / softness), torch.sigmoid(-leaning / softness)
