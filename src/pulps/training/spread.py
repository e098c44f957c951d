"""Members of one ensemble trained in several places: on the workers that joblib is told of.

Nothing mixes members (:mod:`pulps.training.loop`). So a group of them trains as it would with all:
from starts that were drawn for all, with batches that every group draws alike. With as many
threads, one each, the result is the same to the bit. A worker that dies costs its group, which is
trained again elsewhere (:mod:`pulps.io.workers`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import torch
from torch import Tensor

from pulps.io.workers import Call, in_order, n_workers
from pulps.network.stack import Stack
from pulps.training.batches import Batches
from pulps.training.loop import Loop, LoopSettings


class Attempt(NamedTuple):
    """What some members became.

    Parameters
    ----------
    cores
        Stacked cores, one tensor (chains, ...) per site.
    records
        What every epoch did, (epochs, records, members).
    generator
        State of the source of batches at the end; None if there is none.
    """

    cores: list[Tensor]
    records: Tensor
    generator: Tensor | None

    def without_twin(self, n_states: int) -> Attempt:
        """Return the first of two members.

        Parameters
        ----------
        n_states
            States of every member.

        Returns
        -------
        Attempt
        """
        chains = Stack(n_states, 2).chains_of(torch.tensor([0]))
        cores = [core[chains] for core in self.cores]
        return Attempt(cores, self.records[:, :, :1], self.generator)


def pays(n_members: int, settings: LoopSettings) -> bool:
    """Tell whether members go to several workers.

    Parameters
    ----------
    n_members
        How many there are.
    settings
        How to train. A prior that is learned on the way is learned from all members together, so
        they stay together.

    Returns
    -------
    bool
    """
    apart = isinstance(settings.prior, float | int) and settings.after_epoch is None
    return apart and n_members > 1 and n_workers() > 1


def train_apart(
    cores: list[Tensor], batches: Batches, settings: LoopSettings
) -> list[tuple[Tensor, Attempt]]:
    """Train groups of members on workers.

    Parameters
    ----------
    cores
        Stacked cores of all members, to start from.
    batches
        The rows. Their generator is left where training all members at once would leave it.
    settings
        How to train.

    Returns
    -------
    list
        For each group the numbers of its members, and what they became.
    """
    stack = Stack.of(cores, settings.n_states)
    n_groups = min(stack.n_members, n_workers())
    groups = torch.arange(stack.n_members).tensor_split(n_groups)
    # PyTorch adds up one row of numbers in another order than several: nobody goes alone.
    paired = [group if len(group) > 1 else group.repeat(2) for group in groups]
    source = None if batches.generator is None else batches.generator.get_state()
    sent = replace(batches, generator=None, drawn_from=batches.sources(), _all=None)
    calls = [
        Call(
            train_group,
            (
                [core[stack.chains_of(group)].clone() for core in cores],
                sent.of_members(group),
                replace(settings, n_together=stack.n_chains),
                source,
                torch.get_num_threads(),
            ),
        )
        for group in paired
    ]
    attempts = in_order(calls)
    longest = max(attempts, key=lambda attempt: len(attempt.records))
    if batches.generator is not None:
        batches.generator.set_state(longest.generator)
    return [
        (group, attempt if len(group) > 1 else attempt.without_twin(settings.n_states))
        for group, attempt in zip(groups, attempts, strict=True)
    ]


def train_group(
    cores: list[Tensor],
    batches: Batches,
    settings: LoopSettings,
    source: Tensor | None,
    n_threads: int,
) -> Attempt:
    """Train some members here.

    Parameters
    ----------
    cores
        Their stacked cores.
    batches
        The rows, with the weights of these members.
    settings
        How to train.
    source
        State of the source of batches.
    n_threads
        Threads to use, as many as everywhere.

    Returns
    -------
    Attempt
    """
    if source is not None:
        generator = torch.Generator()
        generator.set_state(source)
        batches = replace(batches, generator=generator)
    before = torch.get_num_threads()
    torch.set_num_threads(n_threads)
    try:
        loop = Loop(cores, settings)
        while loop.goes_on:
            loop.run_epoch(batches)
    finally:
        torch.set_num_threads(before)
    end = None if batches.generator is None else batches.generator.get_state()
    return Attempt(loop.cores, loop.records.detach().clone(), end)
