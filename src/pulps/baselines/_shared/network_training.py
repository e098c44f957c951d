"""The one training loop of all networks: labeled rows beside other rows, batch by batch."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor, nn

from pulps.network.adam import Adam, cosine_share


class TrainingBatch(NamedTuple):
    """Labeled positives, other rows, and which of the other rows these are."""

    positive: Tensor
    other: Tensor
    which: Tensor


@dataclass(frozen=True)
class TrainingRows:
    """The training rows of a network.

    Parameters
    ----------
    positive
        Labeled positives.
    other
        What they are compared with: the population, or the unlabeled rows.
    """

    positive: Tensor
    other: Tensor

    def split(self, share: float, generator: torch.Generator) -> tuple[TrainingRows, TrainingRows]:
        """Hold a share of both groups out; return the rest, and what is held out."""
        rest, held = [], []
        for group in (self.positive, self.other):
            if len(group) < 2:
                raise ValueError(
                    f"There are {len(self.positive)} labeled rows and {len(self.other)} to "
                    "compare them with; at least one of each must be held out, and at least one "
                    "left to learn from. Label more rows, or choose parameters that hold none out."
                )
            order = torch.randperm(len(group), generator=generator)
            n_held = min(max(1, round(share * len(group))), len(group) - 1)
            held.append(group[order[:n_held]])
            rest.append(group[order[n_held:]])
        return TrainingRows(*rest), TrainingRows(*held)

    def batches(self, size: int, generator: torch.Generator) -> Iterator[TrainingBatch]:
        """Yield the batches of an epoch: all other rows once, each batch with ``size`` positives.

        If there are fewer positives than that, every batch has all of them.
        """
        n_batches = math.ceil(len(self.other) / size)
        n_positive = min(len(self.positive), size)
        for which in torch.randperm(len(self.other), generator=generator).tensor_split(n_batches):
            chosen = torch.randperm(len(self.positive), generator=generator)[:n_positive]
            yield TrainingBatch(self.positive[chosen], self.other[which], which)


@dataclass(frozen=True)
class Schedule:
    """How long and how fast to train.

    Parameters
    ----------
    max_epochs
        Passes over the other rows.
    learning_rate
        Adam's step; it falls to zero along a cosine.
    batch_size
        Rows in a batch.
    weight_decay
        Decoupled weight decay (AdamW).
    n_iter_no_change
        Epochs without a better validation loss after which training stops; None trains all
        epochs.
    """

    max_epochs: int
    learning_rate: float
    batch_size: int
    weight_decay: float = 0.0
    n_iter_no_change: int | None = None


def train_network(
    network: nn.Module,
    rows: TrainingRows,
    objective: Callable[[TrainingBatch, int], Tensor],
    schedule: Schedule,
    generator: torch.Generator,
    *,
    validation: Callable[[], float] | None = None,
    before_epoch: Callable[[int], None] = lambda epoch: None,
) -> list[float]:
    """Train in place; return the mean objective, or the validation loss, of every epoch.

    Parameters
    ----------
    network
        The network.
    rows
        Training rows.
    objective
        What to descend, given a batch and the number of the epoch.
    schedule
        How long and how fast.
    generator
        Draws the batches.
    validation
        Loss on held-out rows. If given, the weights of its best epoch are kept in the end.
    before_epoch
        Called at the start of every epoch, with the network in evaluation mode.
    """
    with torch.random.fork_rng(devices=[]):  # layers such as dropout know no other generator
        torch.manual_seed(generator.initial_seed())
        return _train(network, rows, objective, schedule, generator, validation, before_epoch)


def _train(
    network: nn.Module,
    rows: TrainingRows,
    objective: Callable[[TrainingBatch, int], Tensor],
    schedule: Schedule,
    generator: torch.Generator,
    validation: Callable[[], float] | None,
    before_epoch: Callable[[int], None],
) -> list[float]:
    optimizer = Adam(
        network.parameters(),
        schedule.learning_rate,
        weight_decay=schedule.weight_decay,
        fused=True,
    )
    curve: list[float] = []
    best, best_epoch, kept = math.inf, 0, None
    for epoch in range(schedule.max_epochs):
        network.eval()
        before_epoch(epoch)
        network.train()
        values, share = [], cosine_share(epoch, schedule.max_epochs)
        for batch in rows.batches(schedule.batch_size, generator):
            loss = objective(batch, epoch)
            loss.backward()
            optimizer.step(share)
            values.append(float(loss.detach()))
        if validation is None:
            curve.append(sum(values) / len(values))
            continue
        network.eval()
        with torch.no_grad():
            curve.append(validation())
        if curve[-1] < best:
            best, best_epoch, kept = curve[-1], epoch, copy.deepcopy(network.state_dict())
        elif schedule.n_iter_no_change and epoch - best_epoch >= schedule.n_iter_no_change:
            break
    if kept is not None:
        network.load_state_dict(kept)
    network.eval()
    return curve
