"""The states of kept members over the rows of a table: log-norms and log-ratios."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch

from pulps.network import engine
from pulps.network.stack import Stack, join
from pulps.tables.embedding import Embedding
from pulps.training.loss import N_STATES

CHUNK = 4096  # rows swept at once: what they need stays in the cache


@dataclass(frozen=True)
class States:
    """Both states of every kept member, and how rows get to them.

    Parameters
    ----------
    embedding
        From encoded rows to features.
    positive, negative
        Cores, one array (members, feature, left, output, right) per site.
    """

    embedding: Embedding
    positive: Sequence[np.ndarray]
    negative: Sequence[np.ndarray]

    @cached_property
    def stacked(self) -> list[np.ndarray]:
        """Cores of all chains, positive states first."""
        return join(self.positive, self.negative)

    def log_ratios(self, values: np.ndarray, dtype: torch.dtype = torch.float64) -> np.ndarray:
        """Log-ratio of both norms.

        Parameters
        ----------
        values
            Encoded rows, NaN where missing; what is missing is traced out.
        dtype
            Precision of the sweep.

        Returns
        -------
        array of shape (members, rows)
        """
        return log_ratios(self.embedding, self.stacked, values, dtype)


def log_norms(
    embedding: Embedding, cores: Sequence[np.ndarray], values: np.ndarray, n_states: int
) -> np.ndarray:
    """Log-norms under every state, a chunk of rows at a time, in double precision.

    Parameters
    ----------
    embedding
        From encoded rows to features.
    cores
        Stacked cores, one state after the other.
    values
        Encoded rows, an array or a file of rows; NaN is traced out.
    n_states
        Number of states.

    Returns
    -------
    array of shape (states, members, rows)
    """
    stack = Stack.of(cores, n_states)
    tensors = [torch.as_tensor(core, dtype=torch.float64) for core in cores]
    found = np.empty((stack.n_states, stack.n_members, len(values)))
    with torch.no_grad():
        for first in range(0, len(values), CHUNK):
            rows = embedding.rows(values[first : first + CHUNK], torch.float64)
            logs = stack.by_state(engine.log_norms(tensors, *rows).numpy())
            found[..., first : first + CHUNK] = logs
    return found


def log_ratios(
    embedding: Embedding,
    cores: Sequence[np.ndarray],
    values: np.ndarray,
    dtype: torch.dtype = torch.float64,
) -> np.ndarray:
    """Log-ratios, a chunk of rows at a time.

    Parameters
    ----------
    embedding
        From encoded rows to features.
    cores
        Stacked cores, positive states first.
    values
        Encoded rows, an array or a file of rows; NaN is traced out.
    dtype
        Precision of features and sweep. Scores that must not depend on how rows are grouped
        need double.

    Returns
    -------
    array of shape (members, rows)
    """
    stack = Stack.of(cores, N_STATES)
    tensors = [torch.as_tensor(core, dtype=dtype) for core in cores]
    found = np.empty((stack.n_members, len(values)), tensors[0].numpy().dtype)
    with torch.no_grad():
        for first in range(0, len(values), CHUNK):
            rows = embedding.rows(values[first : first + CHUNK], dtype)
            log_p, log_n = stack.split(engine.log_norms(tensors, *rows).numpy())
            np.subtract(log_p, log_n, out=found[:, first : first + CHUNK])
    return found
