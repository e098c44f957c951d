r"""Pseudo-labels: how much each unlabeled row counts for each class.

A rule is given the leanings and the share of the epochs that are done. For two states the
leanings are the log-ratio of each row plus what is known of it from elsewhere, shape (members,
rows); for more, the log-norms plus what is known, shape (states, members, rows). It returns one
weight from 0 to 1 per state, of shape (members, rows). The hard rule is the paper's, the soft one
that of a network that has a first guess; :class:`pulps.training.loop.LoopSettings` takes any
other.
"""

from __future__ import annotations

import torch
from scipy.special import logit
from torch import Tensor

DOUBT = 0.8  # log-odds that the share of a class is often off by
RAREST = 0.001


def hard_pseudo_labels(
    leaning: Tensor, progress: float = 0.0, *, margin: float = 0.0
) -> tuple[Tensor, ...]:
    """Give a row to the class it leans to most; within the margin, to none.

    Parameters
    ----------
    leaning
        Log-ratios plus hints, (members, rows), or log-norms plus hints, (states, members, rows).
    progress
        Not used.
    margin
        A row whose two best states are this close belongs to none.

    Returns
    -------
    tuple of Tensor
        Boolean, (members, rows), one per state: positive and negative, of two.

    Examples
    --------
    >>> import torch
    >>> hard_pseudo_labels(torch.tensor([[-9.0, 0.0, 9.0]]))
    (tensor([[False, False,  True]]), tensor([[ True,  True, False]]))
    """
    if leaning.dim() < 3:
        return leaning > margin, (leaning < -margin if margin else leaning <= 0)
    best, second = leaning.topk(2, dim=0).values
    winner = leaning.argmax(0)
    sure = best - second > margin if margin else torch.ones_like(best, dtype=torch.bool)
    return tuple((winner == state) & sure for state in range(len(leaning)))


def sure_log_odds(share: float) -> float:
    """Tell the part of a share's log-odds that is beyond doubt.

    Shares that are learned from a few labels are often off by a third. So those between 31 and 69
    percent count as one half, and others as somewhat nearer to it.

    Parameters
    ----------
    share
        Share of the rows that belong to the first of two classes.

    Returns
    -------
    float

    Examples
    --------
    >>> sure_log_odds(0.4), round(sure_log_odds(0.1), 2), round(sure_log_odds(0.9), 2)
    (0.0, -1.4, 1.4)
    """
    odds = float(logit(min(max(share, RAREST), 1 - RAREST)))
    return max(odds - DOUBT, 0.0) + min(odds + DOUBT, 0.0)


def soft_pseudo_labels(
    leaning: Tensor, progress: float = 0.0, *, softness: float = 1.0, prior_odds: float = 0.0
) -> tuple[Tensor, ...]:
    """Count each row for all classes, by odds that depend on its leaning.

    The loss weighs both states alike however many rows each has, so their log-ratio tells how
    much likelier a row is in one class than in the other. Odds of the row itself are that times
    those of the classes: without the latter, rare positives would win doubtful rows from a many
    times larger class.

    Parameters
    ----------
    leaning
        Log-ratios plus hints, (members, rows), or log-norms plus hints, (states, members, rows).
    progress
        Not used.
    softness
        How much leaning raises the odds by a factor of e.
    prior_odds
        Added to the leaning towards the first of two states.

    Returns
    -------
    tuple of Tensor
        Weights that sum to one, (members, rows), one per state: positive and negative, of two.

    Examples
    --------
    >>> soft_pseudo_labels(torch.tensor([[0.0, 9.0]]), softness=9.0)
    (tensor([[0.5000, 0.7311]]), tensor([[0.5000, 0.2689]]))
    """
    if leaning.dim() < 3:
        odds = (leaning + prior_odds) / softness
        return torch.sigmoid(odds), torch.sigmoid(-odds)
    return torch.softmax(leaning / softness, 0).unbind()
