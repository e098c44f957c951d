"""A fitted model with smaller bonds, whose log-norms of given rows stay as they are.

How bonds are truncated is in :mod:`pulps.network.compress`. Here the strongest truncation is
looked for whose largest *measured* change, over all chains and given rows, is allowed. The bound
of that module holds for every row that may ever come, but it grows with the number of sites; it is
told as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from pulps.estimators.tables.states import CHUNK, States
from pulps.network import engine
from pulps.network.compress import (
    change_bounds,
    crossings,
    cut_bonds,
    log_distances,
    log_lengths,
)
from pulps.network.stack import Stack
from pulps.training.loss import N_STATES

ROWS = 2000  # that say what goes over a bond
UNSEEN = 0.1  # weight of a row without values among them: what holds where no data are
CUTOFFS = 10.0 ** -np.arange(0, 6.01, 0.25)  # strongest first; below lies rounding


@dataclass(frozen=True)
class CompressionReport:
    """What a compression did.

    Parameters
    ----------
    bonds_before, bonds_after
        Dimensions of the bonds inside the chain.
    change
        Largest change of a log-norm over all chains and given rows, measured.
    bound
        Largest bound of it, which would also hold for other rows of such norms; infinite if a
        row's norm is so small that nothing can be said.
    distance
        Largest distance of a chain from what it was, in units of its Frobenius norm.
    """

    bonds_before: tuple[int, ...]
    bonds_after: tuple[int, ...]
    change: float
    bound: float
    distance: float


def compressed(
    states: States, values: np.ndarray, tolerance: float
) -> tuple[States, CompressionReport]:
    """Truncate the bonds of all states as far as the log-norms of rows allow.

    Parameters
    ----------
    states
        Both states of every member.
    values
        Encoded rows, NaN where missing.
    tolerance
        Largest change of a log-norm, over all chains and these rows.

    Returns
    -------
    States, CompressionReport
        The same cores if nothing can be left out.
    """
    if not tolerance >= 0:
        raise ValueError(
            f"tolerance is {tolerance}; it must be zero or more: the largest change of a "
            "log-norm, such as 0.01."
        )
    given, before = states.stacked, doubled(states.stacked)
    old = log_norms(states, before, values)
    step = max(1, len(values) // ROWS)
    chosen = np.vstack([values[::step], np.full((1, values.shape[1]), np.nan)])
    weights = torch.ones(len(chosen), dtype=torch.float64)
    weights[-1] = UNSEEN * len(chosen)
    with torch.no_grad():
        sides = crossings(before, engine.prepare(*states.embedding.rows(chosen)), weights)

    def attempt(cutoff: float) -> tuple[list[np.ndarray], float]:
        cores = [core.numpy().astype(given[0].dtype) for core in cut_bonds(before, sides, cutoff)]
        change = (log_norms(states, doubled(cores), values) - old).abs().max()
        return cores, float(change.nan_to_num(torch.inf))

    best, change = given, 0.0
    low, high = 0, len(CUTOFFS)  # cutoffs before low change too much; high is allowed
    while low < high:
        middle = (low + high) // 2
        cores, found = attempt(CUTOFFS[middle])
        if found <= tolerance:
            best, change, high = cores, found, middle
        else:
            low = middle + 1
    if bonds_of(best) == bonds_of(given):
        best, change = given, 0.0
    report = CompressionReport(
        bonds_of(given), bonds_of(best), change, *guarantee(states, before, best, old, values)
    )
    positive, negative = Stack.of(best, N_STATES).split_cores(best)
    return replace(states, positive=positive, negative=negative), report


def doubled(cores: Sequence[np.ndarray]) -> list[Tensor]:
    """Return cores as tensors of double precision.

    Parameters
    ----------
    cores
        One array per site.

    Returns
    -------
    list of Tensor
    """
    return [torch.as_tensor(core, dtype=torch.float64) for core in cores]


def bonds_of(cores: Sequence[np.ndarray]) -> tuple[int, ...]:
    """Return the dimensions of the bonds inside a chain.

    Parameters
    ----------
    cores
        One array (chains, feature, left, output, right) per site.

    Returns
    -------
    tuple of int
    """
    return tuple(core.shape[4] for core in cores[:-1])


def log_norms(states: States, cores: Sequence[Tensor], values: np.ndarray) -> Tensor:
    """Log-norms of encoded rows under any cores over the sites of the states.

    Parameters
    ----------
    states
        They know how rows are embedded.
    cores
        Stacked cores in double precision.
    values
        Encoded rows.

    Returns
    -------
    Tensor of shape (chains, rows)
    """
    chunks = [values[first : first + CHUNK] for first in range(0, len(values), CHUNK)]
    with torch.no_grad():
        return torch.cat(
            [engine.log_norms(cores, *states.embedding.rows(chunk)) for chunk in chunks], dim=1
        )


def guarantee(
    states: States,
    before: Sequence[Tensor],
    after: Sequence[np.ndarray],
    old: Tensor,
    values: np.ndarray,
) -> tuple[float, float]:
    """Return the largest bound of the change of a log-norm, and the largest relative distance.

    Parameters
    ----------
    states
        They know how rows are embedded.
    before, after
        Cores as they were and as they are.
    old
        Log-norms of the rows under the cores as they were.
    values
        Encoded rows.

    Returns
    -------
    bound, distance
    """
    distances = log_distances(before, doubled(after))
    lengths = [
        log_lengths(engine.prepare(*states.embedding.rows(values[first : first + CHUNK])))
        for first in range(0, len(values), CHUNK)
    ]
    bounds = change_bounds(old, torch.cat(lengths), distances)
    relative = (distances - engine.log_frobenius_norms(before)).exp()
    return float(bounds.max()), float(relative.max())
