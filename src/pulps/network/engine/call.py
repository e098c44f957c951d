"""One call of the kernel: what it reads, checked, and where it writes.

A small sweep takes less time than a look at every tensor. So what follows from the shapes of
cores and rows is found once (:class:`Form`), and a call adds where its cores lie.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

import torch
from torch import Tensor

from pulps.kernel.library import ALONE, CACHE_BYTES, Sweep, kernel, level
from pulps.kernel.shapes import describe
from pulps.network.engine.door import check_batch, check_numbers
from pulps.network.engine.rows import PreparedRows

BITS = {torch.float32: 32, torch.float64: 64}


def pointers(tensors: Sequence[Tensor]) -> ctypes.Array[ctypes.c_void_p]:
    """Addresses of tensors as a C array.

    Parameters
    ----------
    tensors
        They must outlive the array.

    Returns
    -------
    array
    """
    return (ctypes.c_void_p * len(tensors))(*[tensor.data_ptr() for tensor in tensors])


class Form:
    """What calls share that sweep the same rows through chains of the same shapes.

    Parameters
    ----------
    shapes
        Shape (chains, feature, left, output, right) of the core of each site.
    dtype
        Type of the cores.
    batch
        The rows.
    n_threads
        Most threads that may sweep.
    """

    def __init__(
        self,
        shapes: tuple[torch.Size, ...],
        dtype: torch.dtype,
        batch: PreparedRows,
        n_threads: int,
    ) -> None:
        dims, work = describe(shapes)
        check_batch(batch, shapes, dtype)
        observed = batch.observed_bytes()
        self.kept = (dims, batch.addresses(pointers), observed)  # the sweep points into it
        self.sweep = Sweep(
            n_sites=len(shapes),
            n_chains=shapes[0][0],
            n_rows=batch.n_rows,
            n_threads=1 if work * batch.n_rows < ALONE else n_threads,
            cache_bytes=CACHE_BYTES,
            dims=ctypes.addressof(dims),
            features=ctypes.addressof(self.kept[1]),
            observed=None if observed is None else observed.data_ptr(),
        )
        self.bits = BITS[dtype]
        self.saved_sizes: dict[int, int] = {}  # by level

    def with_cores(self, addresses: ctypes.Array[ctypes.c_void_p]) -> Sweep:
        """Return what the kernel reads, with cores at these addresses.

        Parameters
        ----------
        addresses
            From :func:`pointers`; must outlive the result.

        Returns
        -------
        Sweep
        """
        sweep = Sweep.from_buffer_copy(self.sweep)
        sweep.cores = ctypes.addressof(addresses)
        return sweep


def form_of(cores: Sequence[Tensor], batch: PreparedRows) -> Form:
    """Check cores and rows; what depends on their shapes alone is made once.

    Parameters
    ----------
    cores
        One tensor (chains, feature, left, output, right) per site.
    batch
        The rows.

    Returns
    -------
    Form
    """
    check_numbers(cores)
    forms = batch.kept.setdefault("forms", {})
    shapes, dtype = tuple([core.shape for core in cores]), cores[0].dtype
    key = (shapes, dtype, torch.get_num_threads())
    form = forms.get(key)
    if form is None:
        form = forms[key] = Form(shapes, dtype, batch, key[2])
    return form


class Call:
    """One call's arguments, and the tensors that must outlive it."""

    def __init__(self, cores: Sequence[Tensor], batch: PreparedRows) -> None:
        self.form = form_of(cores, batch)
        self.cores = [core if core.is_contiguous() else core.contiguous() for core in cores]
        self.batch = batch
        self.library = kernel()
        self.level = level()
        self.bits = self.form.bits
        self.addresses = pointers(self.cores)  # the sweep points to them
        self.sweep = self.form.with_cores(self.addresses)

    def saved_size(self) -> int:
        """How many numbers to keep for the backward pass: planned once for all sweeps of a batch.

        Returns
        -------
        int
        """
        sizes = self.form.saved_sizes
        if self.level not in sizes:
            sweep = ctypes.byref(self.sweep)
            sizes[self.level] = int(self.library.pulps_saved_size(sweep, self.bits, self.level))
        return sizes[self.level]

    def forward(self, saved: Tensor | None) -> Tensor:
        """Log-norms of sorted rows, (chains, rows).

        Parameters
        ----------
        saved
            Gets what the backward pass needs; None keeps nothing.

        Returns
        -------
        Tensor
        """
        logs = self.cores[0].new_empty(self.sweep.n_chains, self.sweep.n_rows)
        address = None if saved is None else saved.data_ptr()
        failed = self.library.pulps_forward(
            ctypes.byref(self.sweep), self.bits, self.level, address, logs.data_ptr()
        )
        if failed:
            raise MemoryError(f"No memory left to sweep {self.sweep.n_rows} rows.")
        return logs

    def zero_gradients(self) -> list[Tensor]:
        """Zeros, shaped like the cores.

        Returns
        -------
        list of Tensor
            Each has memory of its own: PyTorch takes longer over parts of one piece.
        """
        return [torch.zeros_like(core) for core in self.cores]

    def add_gradients(self, saved: Tensor | None, grad: Tensor, grads: list[Tensor]) -> None:
        """Add the gradients by the cores, given that by the log-norms.

        Parameters
        ----------
        saved
            What the forward pass kept; None sweeps again.
        grad
            Gradient by the log-norms of sorted rows, (chains, rows).
        grads
            One tensor per core, to which its gradient is added.
        """
        grad = grad.contiguous()
        address = None if saved is None else saved.data_ptr()
        call = (ctypes.byref(self.sweep), self.bits, self.level, address, grad.data_ptr())
        failed = self.library.pulps_backward(*call, pointers(grads))
        if failed:
            raise MemoryError(f"No memory left for the gradients of {self.sweep.n_rows} rows.")
