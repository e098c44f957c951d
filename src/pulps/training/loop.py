r"""Training: one loop, many members at once.

The members of an ensemble share the rows and differ in their start and in the weight of
each row, so they are one tensor program: the cores of all first states, all second states
and so on are stacked along the chain axis, the loss is a vector with one entry per
member, and its sum is what the optimizer sees. Nothing mixes members, so a member trains
in a stack as it would alone.

What the optimizer moves are not the cores themselves, see :mod:`pulps.training.scaled_cores`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import torch
from torch import Tensor

from pulps.network import engine
from pulps.network.adam import Adam
from pulps.network.stack import Stack
from pulps.training.batches import Batch, Batches
from pulps.training.epoch import Epoch, record_of, summary
from pulps.training.loss import N_STATES, LossTerms, LossWeights, Rule, state_loss
from pulps.training.norm_weight import NormWeight
from pulps.training.pace import Pace
from pulps.training.scaled_cores import ScaledCores


class MovingPrior(Protocol):
    """A prior that is learned while training."""

    value: float

    def update(self, n_done: int, cores: list[Tensor]) -> None:
        """Look at the cores, and set ``value`` for the next epoch.

        Parameters
        ----------
        n_done
            Epochs that are done.
        cores
            Stacked cores as they are now.
        """


@dataclass(frozen=True)
class LoopSettings:
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
        Weights of the loss terms, and the two log-norms.
    norm_weight
        Start of the schedule of the norm term.
    margin, squared
        See :func:`pulps.training.loss.state_loss`.
    prior
        Share of the first class among the unlabeled rows: a number, or a :class:`MovingPrior`.
        The other classes share the rest alike, unless ``shares`` is given.
    shares
        Share of every class among the unlabeled rows; None goes by ``prior``.
    n_states
        Number of states, one per class.
    hint_size, hint_until
        Size of a full hint (:class:`pulps.training.batches.Batch`) at the start, in units of the
        log-ratio, and the share of the epochs after which it has faded away; infinity for a
        hint that never fades.
    own
        How much the states' own log-ratio is heard beside the hints.
    pseudo_labels
        How unlabeled rows are given to the classes, from the log-ratios plus hints and the
        share of the epochs that are done (:mod:`pulps.training.pseudo_labels`); None goes by
        their sign and the margin.
    site_rates
        Share of the step that the cores of each site take; None for all of it.
    after_epoch
        Called with the loop after every epoch; may change its cores.
    n_together
        Chains of the whole ensemble where only some of its members train here, so that they train
        as they would with all (:mod:`pulps.training.spread`); None where all do.
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
    prior: float | MovingPrior = 0.5
    hint_size: float = 1000.0
    hint_until: float = 0.8
    own: float = 1.0
    pseudo_labels: Callable[[Tensor, float], tuple[Tensor, ...]] | None = None
    site_rates: tuple[float, ...] | None = None
    shares: tuple[float, ...] | None = None
    n_states: int = N_STATES
    after_epoch: Callable[[Loop], None] | None = None
    n_together: int | None = None

    def hint_at(self, progress: float) -> float:
        """Size of a full hint.

        Parameters
        ----------
        progress
            Share of the epochs that are done.

        Returns
        -------
        float

        Examples
        --------
        >>> settings = LoopSettings(hint_size=10.0, hint_until=0.5)
        >>> settings.hint_at(0.0), settings.hint_at(0.25), settings.hint_at(0.9)
        (10.0, 5.0, 0.0)
        """
        return self.hint_size * max(0.0, 1 - progress / self.hint_until)

    def shares_at(self, prior: float) -> tuple[float, ...]:
        """Share of every class among the unlabeled rows.

        Parameters
        ----------
        prior
            Share of the first one, if the shares are not given.

        Returns
        -------
        tuple of float

        Examples
        --------
        >>> LoopSettings(n_states=3).shares_at(0.5)
        (0.5, 0.25, 0.25)
        """
        if self.shares is not None:
            return self.shares
        others = self.n_states - 1
        return (prior, *[(1 - prior) / others] * others)


def train(cores: list[Tensor], batches: Batches, settings: LoopSettings) -> Iterator[Epoch]:
    """Optimize stacked cores in place; yield a record after every epoch.

    Parameters
    ----------
    cores
        Stacked cores, first states first (:class:`pulps.network.stack.Stack`).
    batches
        The rows.
    settings
        How to train.

    Yields
    ------
    Epoch
        One record per epoch.
    """
    loop = Loop(cores, settings)
    while loop.goes_on:
        yield loop.run_epoch(batches)


class Loop:
    """The optimization of stacked cores, and all that its next epoch depends on.

    :meth:`restore` of what :meth:`arrays` returned goes on as if nothing had happened, if the
    batches draw the same rows.

    Parameters
    ----------
    cores
        Stacked cores, first states first; moved in place.
    settings
        How to train.
    partial
        Whether only some of the members train, those that start again: a moving prior then
        stays where it is, because it was learned from all of them.
    """

    def __init__(self, cores: list[Tensor], settings: LoopSettings, *, partial: bool = False):
        self.cores, self.settings, self.partial = cores, settings, partial
        self.stack = Stack.of(cores, settings.n_states)
        n_members = self.stack.n_members
        self.scaled = ScaledCores(cores, settings.site_rates)
        self.moved = self.scaled.moved
        # Where there is one, one operation for the whole step instead of a dozen.
        fused = self.moved.device.type in ("cpu", "cuda")
        self.optimizer = Adam([self.moved], settings.learning_rate, fused=fused)
        self.norm_weights = [settings.norm_weight] * n_members
        self.pace = Pace(settings, n_members, self.moved)
        # A small tensor per epoch would lie between the large ones that come and go with every
        # step, and memory would grow with the epochs: all records are one tensor.
        self._records = self.moved.new_empty(settings.max_epochs, Epoch.n_records(), n_members)
        self.n_epochs = 0

    @property
    def goes_on(self) -> bool:
        """Whether there is anything left to do."""
        return self.n_epochs < self.settings.max_epochs and not self.pace.all_stopped

    @property
    def records(self) -> Tensor:
        """What :meth:`Epoch.of` reads, of every epoch so far: (epochs, records, members)."""
        return self._records[: self.n_epochs]

    def run_epoch(self, batches: Batches) -> Epoch:
        """Go through all rows once.

        Parameters
        ----------
        batches
            The rows.

        Returns
        -------
        Epoch
        """
        settings, index = self.settings, self.n_epochs
        norm_weight = self.moved.new_tensor([weight.value for weight in self.norm_weights])
        share = self.pace.at(index)
        prior = self._prior(index)
        progress = index / settings.max_epochs
        hint = settings.hint_at(progress)
        rule = settings.pseudo_labels
        at_this_epoch = None if rule is None else lambda leaning: rule(leaning, progress)
        parts = []
        for batch in batches:
            hints = 0.0 if batch.hints is None else hint * batch.hints
            terms, part = _place(
                self.scaled.cores(),
                self.stack,
                batch,
                settings,
                norm_weight,
                prior,
                hints,
                at_this_epoch,
            )
            terms.total.nan_to_num(0.0, 0.0, 0.0).sum().backward()
            self._clip(settings.clip)
            self._move(share)
            parts.append(part)
        epoch = summary(parts, norm_weight, share * settings.learning_rate)
        recalls = epoch.labeled_recall.tolist()
        self.norm_weights = [
            weight.after_epoch(recall)
            for weight, recall in zip(self.norm_weights, recalls, strict=True)
        ]
        self.pace.note(epoch.terms.total)
        self._hand_out()
        if settings.after_epoch is not None:
            settings.after_epoch(self)
        self._records[index] = epoch.stacked()
        self.n_epochs += 1
        return epoch

    def _prior(self, index: int) -> float:
        prior = self.settings.prior
        if isinstance(prior, float | int):
            return prior
        if not self.partial:
            prior.update(index, self.cores)
        return prior.value

    def _clip(self, limit: float | None) -> None:
        """Shorten each member's gradient to ``limit``."""
        if limit is None or self.moved.grad is None:
            return
        squares = self.moved.new_zeros(self.stack.n_chains)
        squares.index_add_(0, self.scaled.chain, self.moved.grad.square())
        norm = self.stack.by_state(squares).sum(0).sqrt()
        self.moved.grad *= self.stack.per_chain(limit / norm.clamp_min(limit))[self.scaled.chain]

    def _move(self, share: Tensor) -> None:
        """Take a step, each member with its own share of the learning rate.

        Adam's step is linear in the learning rate, so a share of the step is the step at a
        share of the rate. If all members that move have the same share, it is a smaller rate; so
        none moves otherwise because another has stopped.
        """
        moving = [one for one in share.tolist() if one] or [0.0]
        if all(one == moving[0] for one in moving):
            before = self.moved.detach().clone() if len(moving) < len(share) else None
            self.optimizer.step(moving[0])
            if before is not None:
                with torch.no_grad():
                    stopped = self.stack.per_chain(share == 0)[self.scaled.chain]
                    self.moved.copy_(torch.where(stopped, before, self.moved))
            return
        before = self.moved.detach().clone()
        self.optimizer.step()
        with torch.no_grad():
            shares = self.stack.per_chain(share)[self.scaled.chain]
            self.moved.copy_(before + shares * (self.moved - before))

    def _hand_out(self) -> None:
        with torch.no_grad():
            for core, new in zip(self.cores, self.scaled.cores(), strict=True):
                core.copy_(new)

    def arrays(self) -> dict[str, np.ndarray]:
        """Everything that changes, after at least one epoch.

        Returns
        -------
        dict of arrays
        """
        adam = self.optimizer
        return {
            "moved": self.moved.detach().cpu().numpy().copy(),
            "first_moment": adam.first_moments[0].cpu().numpy().copy(),
            "second_moment": adam.second_moments[0].cpu().numpy().copy(),
            "n_steps": np.array(float(adam.n_steps[0])),
            "norm_weights": np.array([weight.state for weight in self.norm_weights]),
            "prior": np.array(getattr(self.settings.prior, "value", math.nan)),
            "epochs": self.records.cpu().numpy().copy(),
            **{name: value.cpu().numpy().copy() for name, value in self.pace.tensors().items()},
        }

    def restore(self, arrays: Mapping[str, np.ndarray]) -> None:
        """Go back to what :meth:`arrays` saw.

        Parameters
        ----------
        arrays
            From :meth:`arrays`.
        """
        with torch.no_grad():
            self.moved.copy_(torch.as_tensor(arrays["moved"]))
        self.optimizer.n_steps[0].fill_(float(arrays["n_steps"]))
        self.optimizer.first_moments[0].copy_(torch.as_tensor(arrays["first_moment"]))
        self.optimizer.second_moments[0].copy_(torch.as_tensor(arrays["second_moment"]))
        self.norm_weights = [
            weight.at(state)
            for weight, state in zip(self.norm_weights, arrays["norm_weights"], strict=True)
        ]
        if not isinstance(self.settings.prior, float | int):
            self.settings.prior.value = float(arrays["prior"])
        self.pace.restore(arrays)
        self.n_epochs = len(arrays["epochs"])
        self._records[: self.n_epochs] = torch.as_tensor(arrays["epochs"])
        self._hand_out()


def _place(
    cores: Sequence[Tensor],
    stack: Stack,
    batch: Batch,
    settings: LoopSettings,
    norm_weight: Tensor,
    prior: float,
    hints: Tensor | float,
    pseudo_labels: Rule | None,
) -> tuple[LossTerms, Any]:
    """Loss terms of one batch, and what the epoch's record needs to know of it."""
    chains, frobenius = engine.all_log_norms(cores, batch.rows, settings.n_together)
    logs = stack.by_state(chains)
    labeled = batch.labeled_by_state(stack.n_states)
    terms = state_loss(
        logs,
        labeled,
        batch.unlabeled,
        stack.by_state(frobenius),
        settings.weights,
        norm_weight,
        margin=settings.margin,
        shares=settings.shares_at(prior),
        squared=settings.squared,
        hints=hints,
        own=settings.own,
        pseudo_labels=pseudo_labels,
    )
    return terms, record_of(terms, logs.detach(), labeled, batch.unlabeled)
