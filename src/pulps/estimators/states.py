"""The states of kept members over the rows of a table: log-norms and log-ratios."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from pulps.network import engine
from pulps.network.stack import Stack, join
from pulps.tables.embedding import Embedding
from pulps.training.loss import N_STATES

CHUNK = 8192  # rows swept at once


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

    def log_ratios(self, values: np.ndarray) -> np.ndarray:
        """Log-ratio of both norms.

        Parameters
        ----------
        values
            Encoded rows, NaN where missing; what is missing is traced out.

        Returns
        -------
        array of shape (members, rows)
        """
        both = join(self.positive, self.negative)
        return log_ratios(self.embedding, both, values)


def log_ratios(embedding: Embedding, cores: Sequence[np.ndarray], values) -> np.ndarray:
    """Log-ratios in double precision, a chunk of rows at a time.

    Parameters
    ----------
    embedding
        From encoded rows to features.
    cores
        Stacked cores, positive states first.
    values
        Encoded rows, an array or a file of rows; NaN is traced out.

    Returns
    -------
    array of shape (members, rows)
    """
    stack = Stack.of(cores, N_STATES)
    tensors = [torch.as_tensor(core, dtype=torch.float64) for core in cores]
    chunks = []
    with torch.no_grad():
        for first in range(0, len(values), CHUNK):
            rows = embedding.rows(values[first : first + CHUNK])
            chunks.append(engine.log_norms(tensors, *rows).numpy())
    log_p, log_n = stack.split(np.concatenate(chunks, axis=1))
    return log_p - log_n
