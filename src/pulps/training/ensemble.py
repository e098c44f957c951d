"""Members from start to end: train all at once, and once more those that failed.

The state of training is that of the present attempt (:class:`pulps.training.loop.Loop`), what
earlier attempts left, and the generator that draws rows and starts. It can be kept after any
epoch, and training can go on from it to the same bits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol

import numpy as np
import torch
from torch import Tensor

from pulps.network.stack import Stack
from pulps.training import spread
from pulps.training.batches import Batches
from pulps.training.epoch import Epoch
from pulps.training.loop import Loop, LoopSettings
from pulps.training.loss import N_STATES, LossTerms


class Epochs:
    """The epochs of one member, read from its records when they are asked for.

    Parameters
    ----------
    records
        Shape (epochs, records), an epoch as :meth:`pulps.training.epoch.Epoch.stacked` has it.
    """

    def __init__(self, records: Tensor):
        self.records = records

    def __len__(self) -> int:
        """Return the number of epochs."""
        return len(self.records)

    def __getitem__(self, index: int) -> Epoch:
        """Return what one epoch did."""
        return Epoch.of(self.records[index])


@dataclass(frozen=True)
class Trained:
    """Members that were trained, and what happened to those that had to start again.

    Parameters
    ----------
    cores
        Stacked cores, one tensor (chains, ...) per site.
    epochs
        For each member, the records of its last attempt.
    sound
        Which members have a finite loss and use more than one class.
    restarts
        One sentence per restart, and per member given up.
    n_states
        States of every member.
    """

    cores: list[Tensor]
    records: list[Tensor]  # of each member, (epochs, records)
    sound: Tensor
    restarts: list[str]
    n_states: int = N_STATES

    @property
    def n_members(self) -> int:
        """Number of members."""
        return len(self.records)

    @property
    def epochs(self) -> list[Epochs]:
        """What every epoch of each member did."""
        return [Epochs(records) for records in self.records]

    @property
    def stack(self) -> Stack:
        """Where in the stack the chains of a member are."""
        return Stack(self.n_states, self.n_members)

    @property
    def finite(self) -> np.ndarray:
        """Members whose loss was finite in the end."""
        return np.flatnonzero([e[-1].terms.total.isfinite().item() for e in self.epochs])

    def with_attempt(self, members: Tensor, loop: Loop | spread.Attempt) -> Trained:
        """Put in what some members became in another attempt.

        Parameters
        ----------
        members
            Numbers of the members that tried again.
        loop
            What they became.

        Returns
        -------
        Trained
        """
        cores = [core.clone() for core in self.cores or self._room_for(loop.cores, members)]
        records, sound = [*self.records], self.sound.clone()
        chains = self.stack.chains_of(members)
        for core, new in zip(cores, loop.cores, strict=True):
            core[chains] = new
        for column, i in enumerate(members.tolist()):
            records[i] = loop.records[:, :, column]
            sound[i] = Epoch.of(records[i][-1]).sound
        return replace(self, cores=cores, records=records, sound=sound)

    def _room_for(self, cores: list[Tensor], members: Tensor) -> list[Tensor]:
        """Cores of all members, of which some have come."""
        if len(members) == self.n_members:
            return cores
        return [core.new_zeros(self.stack.n_chains, *core.shape[1:]) for core in cores]

    def history(self) -> dict[str, np.ndarray]:
        """Curves of everything recorded.

        Returns
        -------
        dict of arrays
            Shape (epochs, members) each, NaN after a stop.
        """
        names = [name for name in Epoch.__dataclass_fields__ if name != "terms"]
        length = max(map(len, self.records))
        curves = np.full((Epoch.n_records(), length, self.n_members), np.nan)
        for member, records in enumerate(self.records):
            curves[:, : len(records), member] = records.T.cpu().numpy()
        return dict(zip((*LossTerms._fields, *names), curves, strict=True))


class Keeper(Protocol):
    """Keeps the state of training; ``pulps.estimators.tables.checkpoint.Checkpoint`` is one."""

    def read(self) -> Mapping[str, np.ndarray] | None:
        """Return the state to go on from.

        Returns
        -------
        dict of arrays or None
            None if there is none.
        """

    def epoch_done(self, arrays: Callable[[], dict[str, np.ndarray]]) -> None:
        """Note that an epoch is over.

        Parameters
        ----------
        arrays
            Collects the state of training; may be called.
        """


def train_members(
    start: Callable[[int], list[Tensor]],
    batches: Batches,
    settings: LoopSettings,
    *,
    max_restarts: int = 2,
    on_epoch: Callable[[Callable[[], Trained]], bool] = lambda now: False,
    keeper: Keeper | None = None,
) -> Trained:
    """Train all members; those that diverge or collapse start again from a new draw.

    Parameters
    ----------
    start
        Draws the cores of a number of members.
    batches
        The rows; the first axis of their weights gives the number of members.
    settings
        How to train.
    max_restarts
        How many times a member may start again.
    on_epoch
        Called after every epoch of the first attempt, with a function that returns the members
        as they stand; True ends training early.
    keeper
        Where to keep the state of training, and to go on from.

    Returns
    -------
    Trained
        Cores of all members, the epochs of each member's last attempt, which members are
        sound in the end, and a sentence for each restart and each member given up.
    """
    n_members = len(batches.labeled)
    nothing = torch.empty(0, Epoch.n_records())
    n_states = settings.n_states
    none_sound = torch.zeros(n_members, dtype=torch.bool)
    trained = Trained([], [nothing] * n_members, none_sound, [], n_states)
    saved = None if keeper is None else keeper.read()
    first = 0
    if saved is not None:
        trained = _restored(saved, start(n_members), n_states)
        first = int(saved["attempt"])
    for attempt in range(first, max_restarts + 1):
        again = (~trained.sound).nonzero()[:, 0]
        if not len(again):
            break
        part = batches.of_members(again) if attempt else batches
        if attempt and saved is None:
            for i in again.tolist():
                lost = trained.epochs[i][-1].terms.total.isfinite()
                why = "collapsed to one class" if lost else "diverged"
                trained.restarts.append(
                    f"member {i} {why}; started again ({attempt} of {max_restarts})"
                )
        cores = start(len(again))
        if not attempt and keeper is None and spread.pays(n_members, settings):
            for members, done in spread.train_apart(cores, batches, settings):
                trained = trained.with_attempt(members, done)
            now = partial(replace, trained)  # as they are in the end: nobody saw them before
            for _ in range(max(map(len, trained.records))):
                on_epoch(now)
            continue
        loop = Loop(cores, settings, partial=len(again) < n_members)
        if saved is not None:
            loop.restore(saved)
            if batches.generator is not None:
                batches.generator.set_state(torch.tensor(saved["generator"]))
            saved = None
        while loop.goes_on:
            loop.run_epoch(part)
            if keeper is not None:
                keeper.epoch_done(partial(_arrays, trained, attempt, loop, batches))
            if not attempt and on_epoch(partial(trained.with_attempt, again, loop)):
                break
        trained = trained.with_attempt(again, loop)
    given_up = (~trained.sound).nonzero()[:, 0].tolist()
    return replace(trained, restarts=trained.restarts + [f"member {i} given up" for i in given_up])


def _arrays(trained: Trained, attempt: int, loop: Loop, batches: Batches) -> dict[str, np.ndarray]:
    """Collect the state of training: attempts that are over, the present one, the generator."""
    arrays = loop.arrays() | {
        "attempt": np.array(attempt),
        "sound": trained.sound.numpy(),
        "restarts": np.array(trained.restarts, dtype=str),
    }
    if batches.generator is not None:
        arrays["generator"] = batches.generator.get_state().numpy()
    for site, core in enumerate(trained.cores):
        arrays[f"core_{site}"] = core.cpu().numpy()
    for i, records in enumerate(trained.records):
        if len(records):
            arrays[f"epochs_{i}"] = records.cpu().numpy()
    return arrays


def _restored(saved: Mapping[str, np.ndarray], like: list[Tensor], n_states: int) -> Trained:
    """Read the attempts that are over."""
    cores = [
        torch.tensor(saved[f"core_{site}"]).to(core)
        for site, core in enumerate(like)
        if f"core_{site}" in saved
    ]
    nothing = np.empty((0, Epoch.n_records()))
    records = [
        torch.tensor(saved.get(f"epochs_{i}", nothing)).to(like[0])
        for i in range(Stack.of(like, n_states).n_members)
    ]
    sound, restarts = torch.tensor(saved["sound"]), saved["restarts"].tolist()
    return Trained(cores, records, sound, restarts, n_states)
