"""The compiled engine: loads the kernel that the package's build made and calls it.

The kernel is a plain shared library without headers of Python or PyTorch, so one build
serves every version of both, and a build that failed leaves everything else working.
ctypes releases the interpreter's lock while it runs.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Sequence
from functools import cache, lru_cache
from pathlib import Path

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from pulps.network.engine.door import check_batch, check_numbers, check_shapes
from pulps.network.engine.rows import PreparedRows, free_bytes

VERSION = 1  # of the kernel's interface
LARGEST_BOND = 32  # beyond it PyTorch's matrix products win
CACHE_BYTES = 512 * 1024  # of the second level cache, for the embedded block of a chunk
BITS = {torch.float32: 32, torch.float64: 64}
ALONE = 2e6  # multiplications that one thread does before another has started


class Sweep(ctypes.Structure):
    """The chains and rows of one call, as the kernel reads them."""

    _fields_ = [
        ("n_sites", ctypes.c_int32),
        ("n_chains", ctypes.c_int32),
        ("n_rows", ctypes.c_int32),
        ("n_threads", ctypes.c_int32),
        ("cache_bytes", ctypes.c_int64),
        ("dims", ctypes.c_void_p),
        ("cores", ctypes.c_void_p),
        ("features", ctypes.c_void_p),
        ("observed", ctypes.c_void_p),
    ]


@cache
def load() -> tuple[ctypes.CDLL | None, str]:
    """Load the kernel; return it, or None, and what there is to say about it.

    ``PULPS_KERNEL_DIR`` in the environment names a folder with another build of it, such
    as the one with sanitizers.

    Returns
    -------
    kernel, about
        About an absent kernel, it says why.
    """
    folder = Path(os.environ.get("PULPS_KERNEL_DIR") or Path(__file__).parent)
    found = sorted(p for p in folder.glob("_kernel*") if p.suffix in (".so", ".pyd", ".dylib"))
    if not found:
        return None, "it was not built; install pulps where a C++ compiler is present"
    try:
        kernel = ctypes.CDLL(str(found[0]))
        version = kernel.pulps_version()
    except (OSError, AttributeError) as error:
        return None, f"{found[0].name} does not load ({error})"
    if version != VERSION:
        return None, f"{found[0].name} is of another version; install pulps again"
    pointer = ctypes.c_void_p
    kernel.pulps_instructions.restype = ctypes.c_char_p
    kernel.pulps_saved_size.restype = ctypes.c_int64
    kernel.pulps_saved_size.argtypes = [pointer, ctypes.c_int, ctypes.c_int]
    kernel.pulps_forward.argtypes = [pointer, ctypes.c_int, ctypes.c_int, pointer, pointer]
    kernel.pulps_backward.argtypes = [*kernel.pulps_forward.argtypes, pointer]
    return kernel, f"{kernel.pulps_instructions(level()).decode()} kernel"


def level() -> int:
    """Instruction set to use: 0 the best, 1 at most AVX2, 2 the generic one; for tests.

    Returns
    -------
    int
        The value of ``PULPS_KERNEL_LEVEL``, 0 if it is not set.
    """
    return int(os.environ.get("PULPS_KERNEL_LEVEL") or 0)


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


@lru_cache(maxsize=64)
def describe(shapes: tuple[torch.Size, ...]) -> tuple[ctypes.Array[ctypes.c_int32], int]:
    """Dimensions of the sites as a C array, and the multiplications a row takes.

    Parameters
    ----------
    shapes
        Shape (chains, feature, left, output, right) of the core of each site.

    Returns
    -------
    dims, work
    """
    check_shapes(shapes)
    dims = [n for shape in shapes for n in shape[1:]]
    work = sum(g * f * a * k * b * b for g, f, a, k, b in shapes)
    return (ctypes.c_int32 * len(dims))(*dims), work


class Call:
    """One call's arguments, and the tensors that must outlive it."""

    def __init__(self, cores: Sequence[Tensor], batch: PreparedRows) -> None:
        self.cores = [core if core.is_contiguous() else core.contiguous() for core in cores]
        self.batch = batch
        self.library = kernel()
        self.level = level()
        first = self.cores[0]
        self.shapes = tuple([core.shape for core in cores])
        dims, work = describe(self.shapes)
        check_numbers(cores)
        check_batch(batch, self.shapes, first.dtype)
        observed = batch.observed_bytes()
        self.kept = (dims, pointers(self.cores), batch.addresses(pointers), observed)
        address = [ctypes.addressof(array) for array in self.kept[:3]]  # these point into kept
        self.sweep = Sweep(
            n_sites=len(cores),
            n_chains=len(first),
            n_rows=batch.n_rows,
            n_threads=1 if work * batch.n_rows < ALONE else torch.get_num_threads(),
            cache_bytes=CACHE_BYTES,
            dims=address[0],
            cores=address[1],
            features=address[2],
            observed=None if observed is None else observed.data_ptr(),
        )
        self.bits = BITS[first.dtype]

    def saved_size(self) -> int:
        """How many numbers to keep for the backward pass: planned once for all sweeps of a batch.

        Returns
        -------
        int
        """
        sizes = self.batch.kept.setdefault("saved sizes", {})
        key = (self.shapes, self.bits, self.level, self.sweep.n_threads)
        if key not in sizes:
            sweep = ctypes.byref(self.sweep)
            sizes[key] = int(self.library.pulps_saved_size(sweep, self.bits, self.level))
        return sizes[key]

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


def kernel() -> ctypes.CDLL:
    """Return the loaded kernel.

    Returns
    -------
    CDLL
    """
    library, reason = load()
    if library is None:
        raise RuntimeError(f"There is no native kernel: {reason}.")
    return library


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
        ctx, batches: Sequence[PreparedRows], memory_budget: int | None, *cores: Tensor
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
        return tuple(
            call.batch.restored(call.forward(saved))
            for call, saved in zip(ctx.calls, ctx.saved, strict=True)
        )

    @staticmethod
    @once_differentiable
    def backward(ctx, *incoming):
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
    return blank_row(tuple(core.shape[1] for core in cores), cores[0].dtype)


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
