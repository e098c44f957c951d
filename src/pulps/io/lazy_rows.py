"""Rows that are read, and changed, only when someone asks for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor


class LazyRows:
    """Rows that are read from where they are and changed on the way.

    Parameters
    ----------
    values
        Rows by row numbers or a slice: an array, or a file of rows.
    change
        What is done to rows that were read, each row by itself.
    at_once
        Rows to read and change at a time, where more are asked for; None for all of them.
    **place
        Type and device of the tensors.
    """

    def __init__(
        self, values: Any, change: Callable[..., Any], *, at_once: int | None = None, **place: Any
    ):
        self.values, self.change = values, change
        self.at_once, self.place = at_once, place

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.values)

    def __getitem__(self, rows: Any) -> Tensor:
        """Read some rows."""
        if isinstance(rows, Tensor):
            rows = rows.cpu().numpy()
        if self.at_once is None:
            return self._read(rows)
        if isinstance(rows, slice):
            rows = range(*rows.indices(len(self)))
        firsts = range(0, max(len(rows), 1), self.at_once)
        parts = [self._read(rows[first : first + self.at_once]) for first in firsts]
        return parts[0] if len(parts) == 1 else torch.cat(parts)

    def _read(self, rows: Any) -> Tensor:
        if isinstance(rows, range):
            # a slice can be read without a copy
            rows = slice(rows.start, rows.stop) if rows.step == 1 else np.array(rows, int)
        return torch.as_tensor(self.change(self.values[rows]), **self.place)
