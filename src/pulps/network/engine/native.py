"""The compiled engine: log-norms of stacked chains by the kernel, and where it pays."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from pulps.kernel.library import load
from pulps.network.engine.call import BITS, Call
from pulps.network.engine.rows import PreparedRows, free_bytes

__all__ = ["all_log_norms", "load", "log_frobenius_norms", "log_norms", "pays", "takes"]

LARGEST_BOND = 32  # beyond it PyTorch's matrix products win


def takes(cores: Sequence[Tensor]) -> bool:
    """Whether the kernel can sweep these chains.

    Parameters
    ----------
    cores
        One tensor (chains, feature, left, output, right) per site.

    Returns
    -------
    bool
    """
    return cores[0].device.type == "cpu" and cores[0].dtype in BITS


def pays(cores: Sequence[Tensor]) -> bool:
    """Whether the kernel is the fastest way to sweep these chains.

    Parameters
    ----------
    cores
        One tensor (chains, feature, left, output, right) per site.

    Returns
    -------
    bool
    """
    return all(core.shape[4] <= LARGEST_BOND for core in cores)


def memory_for(call: Call, memory_budget: int | None) -> Tensor | None:
    """Memory to keep what the backward pass needs; None if that is too much.

    Parameters
    ----------
    call
        The call whose backward pass is prepared.
    memory_budget
        Bytes that may be kept; None means a quarter of the free memory.

    Returns
    -------
    Tensor or None
    """
    size, itemsize, first = call.saved_size(), call.bits // 8, call.cores[0]
    # Fresh memory costs as much as filling it: take that of the batch's last sweep.
    kept = call.batch.kept.pop("saved", None)
    if kept is not None and (kept.dtype != first.dtype or len(kept) < size):
        kept = None
    if memory_budget is None and kept is None:
        # Asking the system takes longer than a small sweep; 16 MB are always there.
        small = size * itemsize < 2**24
        memory_budget = 2**24 if small else free_bytes(first.device) // 4
    if memory_budget is not None and size * itemsize > memory_budget:
        return None
    return first.new_empty(size) if kept is None else kept


class LogNorms(torch.autograd.Function):
    """Log-norms of stacked chains by the kernel, of one batch or of several."""

    @staticmethod
    def forward(
        ctx: Any, batches: Sequence[PreparedRows], memory_budget: int | None, *cores: Tensor
    ) -> tuple[Tensor, ...]:
        """Sweep; keep what the steps meet unless memory forbids.

        Parameters
        ----------
        ctx
            Where PyTorch keeps what the backward pass needs.
        batches, memory_budget, *cores
            See :func:`sweep`.

        Returns
        -------
        tuple of Tensor
        """
        ctx.calls = [Call(cores, batch) for batch in batches]
        ctx.saved = [memory_for(call, memory_budget) for call in ctx.calls]
        ctx.save_for_backward(*cores)
        ctx.set_materialize_grads(False)
        swept = zip(ctx.calls, ctx.saved, strict=True)
        return tuple([call.batch.restored(call.forward(saved)) for call, saved in swept])

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *incoming: Tensor | None) -> tuple[Tensor | None, ...]:
        """Gradients by the cores, summed over the batches; swept again if nothing was kept.

        Parameters
        ----------
        ctx
            What the forward pass kept.
        *incoming
            Gradient by the log-norms of each batch, (chains, rows), or None.

        Returns
        -------
        tuple
            None twice, then one gradient per core.
        """
        _ = ctx.saved_tensors  # raises if a core was changed in place since the forward pass
        grads = ctx.calls[0].zero_gradients()
        for call, saved, grad in zip(ctx.calls, ctx.saved, incoming, strict=True):
            if grad is not None:
                call.add_gradients(saved, call.batch.sorted(grad), grads)
            if saved is not None:
                call.batch.kept["saved"] = saved
        ctx.saved = [None] * len(ctx.saved)
        return None, None, *grads


def sweep(
    cores: Sequence[Tensor], batches: Sequence[PreparedRows], memory_budget: int | None = None
) -> tuple[Tensor, ...]:
    """Log-norms of stacked chains, one tensor (chains, rows) per batch.

    Parameters
    ----------
    cores
        One tensor (chains, feature, left, output, right) per site.
    batches
        Prepared rows.
    memory_budget
        Bytes that may be kept per batch for the backward pass, see :func:`memory_for`.

    Returns
    -------
    tuple of Tensor
    """
    if torch.is_grad_enabled() and any(core.requires_grad for core in cores):
        return LogNorms.apply(batches, memory_budget, *cores)
    return tuple(batch.restored(Call(cores, batch).forward(None)) for batch in batches)


def log_norms(
    cores: Sequence[Tensor], batch: PreparedRows, *, memory_budget: int | None = None
) -> Tensor:
    """Log-norms of stacked chains, shape (chains, rows); see ``engine.log_norms``.

    Parameters
    ----------
    cores, batch, memory_budget
        See :func:`sweep`; there is one batch.

    Returns
    -------
    Tensor
    """
    return sweep(cores, [batch], memory_budget)[0]


def log_frobenius_norms(cores: Sequence[Tensor]) -> Tensor:
    """Log-Frobenius norms of stacked chains, shape (chains,): one row that misses everything.

    Parameters
    ----------
    cores
        One tensor (chains, feature, left, output, right) per site.

    Returns
    -------
    Tensor
    """
    return log_norms(cores, blank_row_for(cores)).squeeze(1)


def all_log_norms(cores: Sequence[Tensor], batch: PreparedRows) -> tuple[Tensor, Tensor]:
    """Both at once; see ``engine.all_log_norms``.

    Parameters
    ----------
    cores, batch
        See :func:`sweep`; there is one batch.

    Returns
    -------
    log_norms, log_frobenius_norms
    """
    logs, frobenius = sweep(cores, [batch, blank_row_for(cores)])
    return logs, frobenius.squeeze(1)


def blank_row_for(cores: Sequence[Tensor]) -> PreparedRows:
    """One row that misses everything, for these cores.

    Parameters
    ----------
    cores
        One tensor (chains, feature, left, output, right) per site.

    Returns
    -------
    PreparedRows
    """
    return blank_row(tuple([core.shape[1] for core in cores]), cores[0].dtype)


@lru_cache(maxsize=8)
def blank_row(feature_dims: tuple[int, ...], dtype: torch.dtype) -> PreparedRows:
    """One row that misses everything; its features are never read.

    Parameters
    ----------
    feature_dims
        Number of features of each site.
    dtype
        Type of the features.

    Returns
    -------
    PreparedRows
    """
    features = [torch.zeros(1, dim, dtype=dtype) for dim in feature_dims]
    return PreparedRows(features, torch.zeros(1, len(feature_dims), dtype=torch.bool), None)
