"""Rules that only ablations use: other pseudo-labels, noise, weights of members.

The page "Ablations" of the documentation says what each is worth;
:mod:`pulps.benchmark.variants` makes classifiers of them.

A rule for pseudo-labels is given the leanings, shape (members, rows), the log-ratio of each row
plus what is known about it from elsewhere, and the share of the epochs that are done. It
returns two weights from 0 to 1 of the shape of the leanings: how much each unlabeled row counts
as positive and as negative. The hard and the soft rule are in :mod:`pulps.training.pseudo_labels`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from pulps.training.loop import Loop


def late_labels(leaning: Tensor, progress: float, *, begin: float) -> tuple[Tensor, Tensor]:
    """Count no row at first; later each row for the class it leans to.

    Parameters
    ----------
    leaning
        Leanings, shape (members, rows).
    progress
        Share of the epochs that are done.
    begin
        Share of the epochs from which on rows count.

    Returns
    -------
    positive, negative
        Boolean weights.

    Examples
    --------
    >>> positive, negative = late_labels(torch.tensor([[-9.0, 9.0]]), 0.1, begin=0.2)
    >>> bool((positive | negative).any())
    False
    """
    due = progress >= begin
    return (leaning > 0) & due, (leaning <= 0) & due


def labels_of_the_others(leaning: Tensor, progress: float) -> tuple[Tensor, Tensor]:
    """Count each row for the class that the other half of the members leans to on average.

    The first half of the members teaches the second, and the other way round; a single member
    teaches itself. Members that diverged teach nobody. Labels that are held out from one member
    are known to most of its teachers, so what it says about these rows is no longer independent
    of their labels.

    Parameters
    ----------
    leaning
        Leanings, shape (members, rows).
    progress
        Share of the epochs that are done; not used.

    Returns
    -------
    positive, negative
        Boolean weights.

    Examples
    --------
    >>> labels_of_the_others(torch.tensor([[3.0], [-1.0], [-1.0], [-1.0]]), 0.0)[0].T
    tensor([[False, False,  True,  True]])
    """
    half = len(leaning) // 2
    if half:
        known = leaning.where(leaning.isfinite(), torch.nan)
        first, second = (part.nanmean(dim=0) for part in (known[:half], known[half:]))
        leaning = torch.cat([second.expand(half, -1), first.expand(len(leaning) - half, -1)])
    return leaning > 0, leaning <= 0


@dataclass(frozen=True)
class SwapNoise:
    """Replace some cells by what another row has in that column.

    It may be the ``augment`` of :class:`pulps.training.batches.Batches`. Missing cells move like
    values, and all sites of a column change together.

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
        """Return the values of a batch with some cells replaced.

        Parameters
        ----------
        values
            Cells of the batch.
        generator
            Draws which cells are replaced, and by which.

        Returns
        -------
        Tensor
            Of the same shape.
        """
        n_rows, n_sites = values.shape
        size = (n_rows, self.n_columns)
        swapped = torch.rand(size, generator=generator) < self.share
        steps = torch.randint(1, max(n_rows, 2), size, generator=generator)
        source = (torch.arange(n_rows)[:, None] + swapped * steps) % n_rows
        return values.gather(0, source.repeat(1, n_sites // self.n_columns).to(values.device))


def agreement_weights(agreement: np.ndarray) -> np.ndarray:
    """Weight members by their mean agreement with the others.

    Parameters
    ----------
    agreement
        Matrix of agreement, plain or beyond chance. A member whose agreement with the others is
        negative has no weight; if no member has any, all weigh the same.

    Returns
    -------
    array
        One weight per member; they sum to one.

    Examples
    --------
    >>> agreement_weights(np.array([[1.0, 0.6, 0.2], [0.6, 1.0, 0.0], [0.2, 0.0, 1.0]]))
    array([0.5  , 0.375, 0.125])
    """
    others = np.asarray(agreement, dtype=float) * ~np.eye(len(agreement), dtype=bool)
    weights = np.maximum(others.sum(axis=1), 0.0)
    return weights / weights.sum() if weights.any() else np.full(len(weights), 1 / len(weights))


class AveragedCores:
    """Hands out the mean of the cores over the last epochs instead of the last ones.

    It is the ``after_epoch`` of :class:`pulps.training.loop.LoopSettings`.

    Parameters
    ----------
    share
        Share of the epochs, the last ones, to average over.
    """

    def __init__(self, share: float):
        self.share = share
        self.mean: torch.Tensor | None = None

    def __call__(self, loop: Loop) -> None:
        """Take the present cores into the mean, and hand the mean out.

        Parameters
        ----------
        loop
            The training loop, after an epoch.
        """
        n_epochs = loop.settings.max_epochs
        n_before = loop.n_epochs - n_epochs + round(self.share * n_epochs)
        if n_before < 0:
            return
        now = loop.moved.detach()
        if n_before == 0 or self.mean is None:
            self.mean = now.clone()
        self.mean = self.mean + (now - self.mean) / (n_before + 1)
        with torch.no_grad():
            for core, new in zip(loop.cores, loop.scaled.cores(self.mean), strict=True):
                core.copy_(new)
