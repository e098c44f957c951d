"""What the kernel is given: it reads memory as it is told to, so it must be told the truth.

PyTorch raises where shapes do not fit. The kernel would read past the end of an array and return
numbers. Everything that it takes for granted is checked here: where cores lie and what they hold
at every call, how their shapes fit each other and the rows once per shape and batch.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from pulps.kernel.library import MOST_NUMBERS
from pulps.network.engine.rows import PreparedRows


def check_numbers(cores: Sequence[Tensor]) -> None:
    """Refuse cores of several types or that are not in main memory.

    Parameters
    ----------
    cores
        One tensor per site.
    """
    dtype = cores[0].dtype
    for site, core in enumerate(cores):
        if core.dtype is not dtype or not core.is_cpu:
            raise ValueError(
                f"The core of site {site} holds {core.dtype} on {core.device}, that of site 0 "
                f"{dtype} on {cores[0].device}; the kernel wants one type, in main memory."
            )


def check_batch(batch: PreparedRows, shapes: Sequence[torch.Size], dtype: torch.dtype) -> None:
    """Refuse rows that do not fit the chains; those that did are not looked at again.

    Parameters
    ----------
    batch
        The rows.
    shapes
        Shapes of the cores.
    dtype
        Type of the cores.
    """
    dims = tuple([shape[1] for shape in shapes])
    if batch.kept.get("fits") == (dims, dtype):
        return
    n_rows = batch.n_rows
    if len(batch.features) != len(dims):
        raise ValueError(
            f"The chains have {len(dims)} sites, but features of {len(batch.features)} came."
        )
    for site, (phi, dim) in enumerate(zip(batch.features, dims, strict=True)):
        if phi.shape != (n_rows, dim) or phi.dtype != dtype or phi.device.type != "cpu":
            raise ValueError(
                f"The features of site {site} have shape {tuple(phi.shape)} and hold {phi.dtype} "
                f"on {phi.device}; the chains want {(n_rows, dim)} and {dtype} in main memory."
            )
    observed = batch.observed
    if observed is not None and (
        observed.shape != (n_rows, len(dims))
        or observed.dtype != torch.bool
        or observed.device.type != "cpu"
    ):
        raise ValueError(
            f"What is observed has shape {tuple(observed.shape)} and holds {observed.dtype}; it "
            f"must be {(n_rows, len(dims))} and hold booleans."
        )
    if n_rows * max(dims) > MOST_NUMBERS:
        raise ValueError(
            f"{n_rows} rows of {max(dims)} features at a site are more than the kernel counts "
            f"({MOST_NUMBERS}). Sweep fewer rows at once."
        )
    batch.kept["fits"] = (dims, dtype)
