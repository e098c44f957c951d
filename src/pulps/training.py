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
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

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
        cores, and returns what to use in the next epoch. What it remembers between calls is
        its ``value``.
    hint_size, hint_until
        Size of a full hint (:class:`pulps.batches.Batch`) at the start, in units of the
        log-ratio, and the share of the epochs after which it has faded away.
    sides
        How unlabeled rows take sides, given the log-ratios plus hints and the share of the
        epochs that are done (:mod:`pulps.sides`); None by their sign and the margin.
    average_last
        Cores are averaged over this share of the epochs, the last ones; 0 takes them as they
        are in the end.
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
    prior: Any = 0.5  # a number, or Callable[[int, list[Tensor]], float]
    hint_size: float = 1000.0
    hint_until: float = 0.8
    sides: Callable[[Tensor, float], tuple[Tensor, Tensor]] | None = None
    average_last: float = 0.0

    def hint_at(self, progress: float) -> float:
        """Size of a full hint after a share of all epochs.

        >>> recipe = Recipe(hint_size=10.0, hint_until=0.5)
        >>> recipe.hint_at(0.0), recipe.hint_at(0.25), recipe.hint_at(0.9)
        (10.0, 5.0, 0.0)
        """
        return self.hint_size * max(0.0, 1 - progress / self.hint_until)


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

    @classmethod
    def n_records(cls) -> int:
        """Count the records of a member."""
        return len(LossTerms._fields) + len(fields(cls)) - 1

    def stacked(self) -> Tensor:
        """All records in one tensor, an axis for the records, then that of the members."""
        rest = [getattr(self, field.name) for field in fields(self) if field.name != "terms"]
        return torch.stack([*self.terms, *rest])

    @classmethod
    def of(cls, stacked: Tensor) -> Epoch:
        """Read what :meth:`stacked` wrote, of all members or of one."""
        n_terms = len(LossTerms._fields)
        return cls(LossTerms(*stacked[:n_terms]), *stacked[n_terms:])


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

    def cores(self, moved: Tensor | None = None) -> list[Tensor]:
        """Return the cores as they are now, differentiable in ``moved``; or those of a matrix."""
        sizes = [shape.numel() for shape in self._shapes]
        parts = ((self.moved if moved is None else moved) / self._roots).split(sizes, dim=1)
        return [part.unflatten(1, shape) for part, shape in zip(parts, self._shapes, strict=True)]


def train(cores: list[Tensor], batches: Batches, recipe: Recipe) -> Iterator[Epoch]:
    """Optimize stacked cores in place; yield a record after every epoch.

    ``cores`` hold the positive states of all members first, then the negative ones.
    """
    loop = Loop(cores, recipe)
    while loop.goes_on:
        yield loop.run_epoch(batches)


class Loop:
    """The optimization of stacked cores, and all that its next epoch depends on.

    :meth:`restore` of what :meth:`arrays` returned goes on as if nothing had happened, if the
    batches draw the same rows.

    Parameters
    ----------
    cores
        Stacked cores, positive states first; moved in place.
    recipe
        How to train.
    """

    def __init__(self, cores: list[Tensor], recipe: Recipe):
        self.cores, self.recipe = cores, recipe
        n_members = len(cores[0]) // 2
        self.scaled = ScaledCores(cores)
        self.moved = self.scaled.moved
        # Where there is one, one operation for the whole step instead of a dozen.
        fused = self.moved.device.type in ("cpu", "cuda")
        self.optimizer = torch.optim.Adam([self.moved], lr=recipe.learning_rate, fused=fused)
        self.norm_weights = [recipe.norm_weight] * n_members
        self.pace = _Pace(recipe, n_members, self.moved)
        # A small tensor an epoch would lie between the large ones that come and go with every
        # step, and memory would grow with the epochs: all records are one tensor.
        self._records = self.moved.new_empty(recipe.max_epochs, Epoch.n_records(), n_members)
        self.n_epochs = 0
        self.mean: Tensor | None = None

    @property
    def goes_on(self) -> bool:
        """Whether there is anything left to do."""
        return self.n_epochs < self.recipe.max_epochs and not self.pace.all_stopped

    @property
    def records(self) -> Tensor:
        """What :meth:`Epoch.of` reads, of every epoch so far: (epochs, records, members)."""
        return self._records[: self.n_epochs]

    def run_epoch(self, batches: Batches) -> Epoch:
        """Go through all rows once."""
        recipe, index = self.recipe, self.n_epochs
        norm_weight = self.moved.new_tensor([weight.value for weight in self.norm_weights])
        share = self.pace.at(index)
        prior = recipe.prior(index, self.cores) if callable(recipe.prior) else recipe.prior
        progress = index / recipe.max_epochs
        hint = recipe.hint_at(progress)
        rule = recipe.sides
        sides = None if rule is None else lambda leaning: rule(leaning, progress)
        parts = []
        for batch in batches:
            hints = 0.0 if batch.hints is None else hint * batch.hints
            terms, part = _place(
                self.scaled.cores(), batch, recipe, norm_weight, prior, hints, sides
            )
            terms.total.nan_to_num(0.0, 0.0, 0.0).sum().backward()
            _clip(self.moved, recipe.clip)
            _move(self.optimizer, self.moved, share)
            parts.append(part)
        epoch = _summary(parts, norm_weight, share * recipe.learning_rate)
        recalls = epoch.labeled_recall.tolist()
        self.norm_weights = [
            weight.after_epoch(recall)
            for weight, recall in zip(self.norm_weights, recalls, strict=True)
        ]
        self.pace.note(epoch.terms.total)
        self._average(index)
        self._hand_out()
        self._records[index] = epoch.stacked()
        self.n_epochs += 1
        return epoch

    def _average(self, index: int) -> None:
        """Take the present cores into the mean over the last epochs."""
        recipe, now = self.recipe, self.moved.detach()
        n_before = index - recipe.max_epochs + round(recipe.average_last * recipe.max_epochs)
        if n_before >= 0:
            mean = now if self.mean is None else self.mean
            self.mean = mean + (now - mean) / (n_before + 1)

    def _hand_out(self) -> None:
        with torch.no_grad():
            for core, new in zip(self.cores, self.scaled.cores(self.mean), strict=True):
                core.copy_(new)

    def arrays(self) -> dict[str, np.ndarray]:
        """Everything that changes, after at least one epoch."""
        adam = self.optimizer.state[self.moved]
        return {
            "moved": self.moved.detach().cpu().numpy().copy(),
            "first_moment": adam["exp_avg"].cpu().numpy().copy(),
            "second_moment": adam["exp_avg_sq"].cpu().numpy().copy(),
            "n_steps": np.array(float(adam["step"])),
            "norm_weights": np.array([weight.state for weight in self.norm_weights]),
            "prior": np.array(getattr(self.recipe.prior, "value", math.nan)),
            "epochs": self.records.cpu().numpy().copy(),
            **{name: value.cpu().numpy().copy() for name, value in self.pace.tensors().items()},
            **({} if self.mean is None else {"mean": self.mean.cpu().numpy().copy()}),
        }

    def restore(self, arrays: Mapping[str, np.ndarray]) -> None:
        """Go back to what :meth:`arrays` saw."""
        with torch.no_grad():
            self.moved.copy_(torch.as_tensor(arrays["moved"]))
        self.optimizer.state[self.moved] = {
            "step": torch.tensor(float(arrays["n_steps"])),
            "exp_avg": torch.tensor(arrays["first_moment"]).to(self.moved),
            "exp_avg_sq": torch.tensor(arrays["second_moment"]).to(self.moved),
        }
        self.norm_weights = [
            weight.at(state)
            for weight, state in zip(self.norm_weights, arrays["norm_weights"], strict=True)
        ]
        if hasattr(self.recipe.prior, "value"):
            self.recipe.prior.value = float(arrays["prior"])
        self.pace.restore(arrays)
        self.n_epochs = len(arrays["epochs"])
        self._records[: self.n_epochs] = torch.as_tensor(arrays["epochs"])
        self.mean = torch.tensor(arrays["mean"]).to(self.moved) if "mean" in arrays else None
        self._hand_out()


def _place(cores, batch, recipe, norm_weight, prior, hints, sides):
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
        hints=hints,
        sides=sides,
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
    share of the rate. If all members have the same share, it is a smaller rate.
    """
    first = float(share[0])
    if bool((share == first).all()):
        rate = optimizer.param_groups[0]["lr"]
        optimizer.param_groups[0]["lr"] = first * rate
        optimizer.step()
        optimizer.param_groups[0]["lr"] = rate
        optimizer.zero_grad()
        return
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

    def tensors(self) -> dict[str, Tensor]:
        return {name: getattr(self, name) for name in ("best", "waited", "since_halving", "share")}

    def restore(self, arrays: Mapping[str, np.ndarray]) -> None:
        for name, value in self.tensors().items():
            setattr(self, name, torch.as_tensor(arrays[name].copy()).to(value))

    @property
    def all_stopped(self) -> bool:
        return not bool(self.share.any())
