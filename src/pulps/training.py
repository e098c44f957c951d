r"""Training: one loop, many members at once.

The members of an ensemble share the rows and differ in their start and in the weight of
each row, so they are one tensor program: the cores of all positive states and all
negative states are stacked along the chain axis, the loss is a vector with an entry a
member, and its sum is what the optimizer sees. Nothing mixes members, so a member trains
in a stack as it would alone.

Adam's step is absolute. The optimizer therefore moves :math:`\sqrt d` times each core:
its entries are of one size whatever the feature dimension, and a learning rate means the
same everywhere.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

import numpy as np
import torch
from torch import Tensor

from pulps import engine
from pulps.batches import Batch, Batches
from pulps.loss import LossTerms, LossWeights, group_mean, pu_loss
from pulps.schedule import NormWeight


@dataclass(frozen=True)
class Recipe:
    """How to train.

    Parameters
    ----------
    max_epochs
        Passes over the rows.
    learning_rate
        Adam's step.
    decay
        ``"cosine"`` to zero over all epochs, ``"plateau"`` halves a member's rate after
        ``patience`` epochs without a better loss, ``"constant"``.
    patience
        See ``decay``.
    stop_after
        A member stops after this many epochs without a better loss; None never stops.
    clip
        Largest norm of a member's gradient; None for no limit.
    weights
        Loss weights and places.
    norm_weight
        Start of the schedule of the norm term.
    margin, squared
        See :func:`pulps.loss.pu_loss`.
    prior
        See there as well; or a function that is given the number of epochs done and the
        cores, and returns what to use in the next epoch.
    """

    max_epochs: int = 100
    learning_rate: float = 0.02
    decay: str = "cosine"
    patience: int = 10
    stop_after: int | None = None
    clip: float | None = None
    weights: LossWeights = field(default_factory=LossWeights)
    norm_weight: NormWeight = field(default_factory=NormWeight)
    margin: float = 0.0
    squared: bool = True
    prior: float | Callable[[int, list[Tensor]], float] = 0.5


@dataclass(frozen=True)
class Epoch:
    """What one epoch did; every array has an entry a member."""

    terms: LossTerms
    norm_weight: Tensor
    labeled_recall: Tensor
    positive_share: Tensor
    learning_rate: Tensor

    @property
    def sound(self) -> Tensor:
        """Which members have a finite loss and use both classes."""
        both = (self.positive_share > 0) & (self.positive_share < 1)
        return self.terms.total.isfinite() & both


def log_norms_of_both(cores: list[Tensor], batch: Batch) -> tuple[Tensor, Tensor]:
    """Log-norms under the positive and the negative states, each (members, rows)."""
    log_p, log_n = engine.log_norms(cores, batch.rows).chunk(2)
    return log_p, log_n


class ScaledCores:
    r"""Stacked cores as one matrix, a row a chain, in the units an optimizer moves.

    ``moved`` holds :math:`\sqrt d` times each core and is a leaf of the gradient.
    """

    def __init__(self, cores: list[Tensor]):
        self._shapes = [core.shape[1:] for core in cores]
        self._roots = torch.cat(
            [
                core.new_full((shape.numel(),), math.sqrt(shape[0]))
                for core, shape in zip(cores, self._shapes, strict=True)
            ]
        )
        flat = torch.cat([core.flatten(1) for core in cores], dim=1)
        self.moved = (flat * self._roots).requires_grad_()

    def cores(self) -> list[Tensor]:
        """Return the cores as they are now, differentiable in ``moved``."""
        sizes = [shape.numel() for shape in self._shapes]
        parts = (self.moved / self._roots).split(sizes, dim=1)
        return [part.unflatten(1, shape) for part, shape in zip(parts, self._shapes, strict=True)]


def train(cores: list[Tensor], batches: Batches, recipe: Recipe) -> Iterator[Epoch]:
    """Optimize stacked cores in place; yield a record after every epoch.

    ``cores`` hold the positive states of all members first, then the negative ones.
    """
    n_members = len(cores[0]) // 2
    scaled = ScaledCores(cores)
    moved, cores_now = scaled.moved, scaled.cores
    optimizer = torch.optim.Adam([moved], lr=recipe.learning_rate)
    norm_weights = [recipe.norm_weight] * n_members
    pace = _Pace(recipe, n_members, moved)
    for index in range(recipe.max_epochs):
        norm_weight = moved.new_tensor([weight.value for weight in norm_weights])
        share = pace.at(index)
        prior = recipe.prior(index, cores) if callable(recipe.prior) else recipe.prior
        parts = []
        for batch in batches:
            terms, part = _place(cores_now(), batch, recipe, norm_weight, prior)
            terms.total.nan_to_num(0.0, 0.0, 0.0).sum().backward()
            _clip(moved, recipe.clip)
            _move(optimizer, moved, share)
            parts.append(part)
        epoch = _summary(parts, norm_weight, share * recipe.learning_rate)
        norm_weights = [
            weight.after_epoch(recall)
            for weight, recall in zip(norm_weights, epoch.labeled_recall.tolist(), strict=True)
        ]
        pace.note(epoch.terms.total)
        with torch.no_grad():
            for core, new in zip(cores, cores_now(), strict=True):
                core.copy_(new)
        yield epoch
        if pace.all_stopped:
            return


def _place(cores, batch, recipe, norm_weight, prior):
    """Loss terms of one batch, and what the epoch's record needs to know of it."""
    log_p, log_n = log_norms_of_both(cores, batch)
    frobenius_p, frobenius_n = engine.log_frobenius_norms(cores).chunk(2)
    terms = pu_loss(
        log_p,
        log_n,
        batch.labeled,
        batch.unlabeled,
        frobenius_p,
        frobenius_n,
        recipe.weights,
        norm_weight,
        margin=recipe.margin,
        prior=prior,
        squared=recipe.squared,
    )
    positive = (log_p > log_n).to(log_p.dtype)
    part = (
        torch.stack([term.detach() for term in terms]),
        group_mean(positive, batch.labeled),
        batch.labeled.sum(-1),
        group_mean(positive, batch.unlabeled),
        batch.unlabeled.sum(-1),
    )
    return terms, part


def _summary(parts, norm_weight, rate) -> Epoch:
    terms, recall, labeled, share, unlabeled = (
        torch.stack(column, dim=-1) for column in zip(*parts, strict=True)
    )
    return Epoch(
        terms=LossTerms(*terms.mean(-1)),
        norm_weight=norm_weight,
        labeled_recall=group_mean(recall, labeled),
        positive_share=group_mean(share, unlabeled),
        learning_rate=rate,
    )


def _clip(moved: Tensor, limit: float | None) -> None:
    """Shorten each member's gradient to ``limit``."""
    if limit is None or moved.grad is None:
        return
    norm = moved.grad.square().sum(1).view(2, -1).sum(0).sqrt()
    moved.grad *= (limit / norm.clamp_min(limit)).repeat(2)[:, None]


def _move(optimizer: torch.optim.Adam, moved: Tensor, share: Tensor) -> None:
    """Take a step, each member with its own share of the learning rate.

    Adam's step is linear in the learning rate, so a share of the step is the step at a
    share of the rate.
    """
    before = moved.detach().clone()
    optimizer.step()
    optimizer.zero_grad()
    with torch.no_grad():
        moved.copy_(before + share.repeat(2)[:, None] * (moved - before))


class _Pace:
    """Each member's share of the learning rate: decay, plateaus and stops."""

    def __init__(self, recipe: Recipe, n_members: int, like: Tensor):
        self.recipe = recipe
        self.best = like.new_full((n_members,), math.inf)
        self.waited = torch.zeros(n_members, dtype=torch.long, device=like.device)
        self.since_halving = torch.zeros_like(self.waited)
        self.share = like.new_ones(n_members)

    def at(self, index: int) -> Tensor:
        share = self.share
        if self.recipe.decay == "cosine":
            share = share * 0.5 * (1 + math.cos(math.pi * index / self.recipe.max_epochs))
        return share

    def note(self, total: Tensor) -> None:
        better = total < self.best
        self.best = torch.where(better, total, self.best)
        self.waited = torch.where(better, 0, self.waited + 1)
        self.since_halving = torch.where(better, 0, self.since_halving + 1)
        if self.recipe.decay == "plateau":
            due = self.since_halving >= self.recipe.patience
            self.share = torch.where(due, self.share / 2, self.share)
            self.since_halving = torch.where(due, 0, self.since_halving)
        stopped = ~total.isfinite()
        if self.recipe.stop_after is not None:
            stopped |= self.waited >= self.recipe.stop_after
        self.share = torch.where(stopped, 0, self.share)

    @property
    def all_stopped(self) -> bool:
        return not bool(self.share.any())


@dataclass(frozen=True)
class Trained:
    """Members that were trained, and what happened to those that had to start again."""

    cores: list[Tensor]
    epochs: list[list[Epoch]]
    sound: Tensor
    restarts: list[str]

    @property
    def n_members(self) -> int:
        """Number of members."""
        return len(self.cores[0]) // 2

    def history(self) -> dict[str, np.ndarray]:
        """Curves of everything recorded, shape (epochs, members), NaN after a stop."""
        names = [name for name in Epoch.__dataclass_fields__ if name != "terms"]
        length = max(map(len, self.epochs))
        curves = {}
        for name in (*LossTerms._fields, *names):
            curves[name] = np.full((length, self.n_members), np.nan)
            for member, epochs in enumerate(self.epochs):
                parts = [epoch.terms if name in LossTerms._fields else epoch for epoch in epochs]
                curves[name][: len(epochs), member] = [
                    float(getattr(part, name)) for part in parts
                ]
        return curves


def train_members(
    start: Callable[[int], list[Tensor]],
    batches: Batches,
    recipe: Recipe,
    *,
    max_restarts: int = 2,
    on_epoch: Callable[[], bool] = lambda: False,
) -> Trained:
    """Train all members; those that diverge or collapse start again from a new draw.

    Parameters
    ----------
    start
        Draws the cores of a number of members.
    batches
        The rows; the first axis of their weights gives the number of members.
    recipe
        How to train.
    max_restarts
        How many times a member may start again.
    on_epoch
        Called after every epoch of the first attempt; True ends training early.

    Returns
    -------
    Trained
        Cores of all members, the epochs of each member's last attempt, which members are
        sound in the end, and a sentence for each restart and each member given up.
    """
    n_members = len(batches.labeled)
    cores = start(n_members)
    epochs = []
    for epoch in train(cores, batches, recipe):
        epochs.append(epoch)
        if on_epoch():
            break
    history = [[_member(epoch, i) for epoch in epochs] for i in range(n_members)]
    sound = epochs[-1].sound.clone()
    restarts = []
    for attempt in range(1, max_restarts + 1):
        again = (~sound).nonzero()[:, 0]
        if not len(again):
            break
        for i in again.tolist():
            why = "collapsed to one class" if history[i][-1].terms.total.isfinite() else "diverged"
            restarts.append(f"member {i} {why}; started again ({attempt} of {max_restarts})")
        chains = torch.cat([again, again + n_members])
        retry = start(len(again))
        part = replace(
            batches, labeled=batches.labeled[again], unlabeled=batches.unlabeled[again], _all=None
        )
        records = list(train(retry, part, recipe))
        for core, new in zip(cores, retry, strict=True):
            core[chains] = new
        for column, i in enumerate(again.tolist()):
            history[i] = [_member(epoch, column) for epoch in records]
            sound[i] = records[-1].sound[column]
    restarts += [f"member {i} given up" for i in (~sound).nonzero()[:, 0].tolist()]
    return Trained(cores, history, sound, restarts)


def _member(epoch: Epoch, i: int) -> Epoch:
    return Epoch(
        LossTerms(*(term[i] for term in epoch.terms)),
        epoch.norm_weight[i],
        epoch.labeled_recall[i],
        epoch.positive_share[i],
        epoch.learning_rate[i],
    )
