r"""Who takes which side: how much each unlabeled row counts as positive and as negative.

A rule is given the leanings, shape (members, rows), the log-ratio of each row plus what is
known of it from elsewhere, and the share of the epochs that are done. It returns two weights
from 0 to 1 of the shape of the leanings. The hard rule is the paper's; the others are choices
of :class:`pulps.training.loop.Recipe`. Further arguments of a rule are bound with
:func:`functools.partial`.
"""

from __future__ import annotations

import torch
from torch import Tensor


def hard_sides(
    leaning: Tensor, progress: float = 0.0, *, margin: float = 0.0
) -> tuple[Tensor, Tensor]:
    """Take the side a row leans to; within the margin, take none.

    >>> hard_sides(torch.tensor([[-9.0, 0.0, 9.0]]))
    (tensor([[False, False,  True]]), tensor([[ True,  True, False]]))
    """
    return leaning > margin, (leaning < -margin if margin else leaning <= 0)


def soft_sides(leaning: Tensor, progress: float, *, softness: float) -> tuple[Tensor, Tensor]:
    """Take both sides, with odds that grow by a factor e for every ``softness`` of leaning.

    >>> soft_sides(torch.tensor([[0.0, 9.0]]), 0.0, softness=9.0)
    (tensor([[0.5000, 0.7311]]), tensor([[0.5000, 0.2689]]))
    """
    return torch.sigmoid(leaning / softness), torch.sigmoid(-leaning / softness)


def late_sides(leaning: Tensor, progress: float, *, begin: float) -> tuple[Tensor, Tensor]:
    """Take no side before a share of the epochs is done, then the side a row leans to.

    >>> positive, negative = late_sides(torch.tensor([[-9.0, 9.0]]), 0.1, begin=0.2)
    >>> bool((positive | negative).any())
    False
    """
    positive, negative = hard_sides(leaning)
    due = progress >= begin
    return positive & due, negative & due


def sides_of_the_others(leaning: Tensor, progress: float) -> tuple[Tensor, Tensor]:
    """Take the side that the other half of the members leans to in the mean.

    The first half of the members teaches the second and the other way round; a member alone
    teaches itself. Members that diverged teach nobody. Labels that one member is not shown
    are known to most of its teachers, so what it says of these rows is no longer independent
    of their labels.

    >>> sides_of_the_others(torch.tensor([[3.0], [-1.0], [-1.0], [-1.0]]), 0.0)[0].T
    tensor([[False, False,  True,  True]])
    """
    half = len(leaning) // 2
    if not half:
        return hard_sides(leaning)
    known = leaning.where(leaning.isfinite(), torch.nan)
    first, second = (part.nanmean(dim=0) for part in (known[:half], known[half:]))
    heard = [second.expand(half, -1), first.expand(len(leaning) - half, -1)]
    return hard_sides(torch.cat(heard))
