"""Log-norms of stacked chains over arrays of rows, to score with: no gradients, no PyTorch.

The kernel sweeps; where none was built, NumPy does the same, slower. Both equal
:mod:`pulps.network.lps` to rounding.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Sequence

import numpy as np

from pulps.kernel.library import ALONE, CACHE_BYTES, MOST_NUMBERS, Sweep, level, load
from pulps.kernel.shapes import describe

ROWS_AT_ONCE = 256  # of the sweep by NumPy


def log_norms(
    cores: Sequence[np.ndarray],
    features: Sequence[np.ndarray],
    observed: np.ndarray | None = None,
    weights: Sequence[np.ndarray] | None = None,
) -> np.ndarray:
    """Sweep rows through stacked chains, in double precision.

    Parameters
    ----------
    cores
        One array (chains, feature, left, output, right) per site.
    features
        One array (rows, feature) per site.
    observed
        Boolean, shape (rows, sites); a site that is not observed is traced. None means that
        nothing is missing.
    weights
        Positive weight of every feature of every site where it is traced; None means ones.

    Returns
    -------
    array of shape (chains, rows)
    """
    shapes = tuple(core.shape for core in cores)
    _, work = describe(shapes)
    _check_rows(shapes, features, observed)
    cores = [np.ascontiguousarray(core, dtype=np.float64) for core in cores]
    features = [np.ascontiguousarray(phi, dtype=np.float64) for phi in features]
    if not len(features[0]):
        return np.empty((len(cores[0]), 0))
    if observed is None or observed.all():
        return _swept(cores, features, None, work)
    if weights is not None:  # observed sites are as before, and traced ones are weighted
        roots = [np.sqrt(weight) for weight in weights]
        cores = [core * r[:, None, None, None] for core, r in zip(cores, roots, strict=True)]
        features = [phi / root for phi, root in zip(features, roots, strict=True)]
    order = np.lexsort(np.packbits(observed, axis=1).T)  # rows that miss the same lie together
    swept = _swept(cores, [phi[order] for phi in features], observed[order], work)
    logs = np.empty_like(swept)
    logs[:, order] = swept
    return logs


def _check_rows(
    shapes: Sequence[tuple[int, ...]],
    features: Sequence[np.ndarray],
    observed: np.ndarray | None,
) -> None:
    """Refuse rows that do not fit the chains: the kernel would read past their end."""
    if len(features) != len(shapes):
        raise ValueError(f"The chains have {len(shapes)} sites, but features of {len(features)}.")
    n_rows = len(features[0])
    for site, (phi, shape) in enumerate(zip(features, shapes, strict=True)):
        if phi.shape != (n_rows, shape[1]):
            raise ValueError(
                f"The features of site {site} have shape {phi.shape}; the chains want "
                f"{(n_rows, shape[1])}."
            )
    if n_rows * max(shape[1] for shape in shapes) > MOST_NUMBERS:
        raise ValueError(f"{n_rows} rows are too many at once. Sweep fewer.")
    if observed is not None and (
        observed.shape != (n_rows, len(shapes)) or observed.dtype != bool
    ):
        raise ValueError(
            f"What is observed has shape {observed.shape} and holds {observed.dtype}; it must be "
            f"{(n_rows, len(shapes))} and hold booleans."
        )


def _swept(
    cores: Sequence[np.ndarray],
    features: Sequence[np.ndarray],
    observed: np.ndarray | None,
    work: int,
) -> np.ndarray:
    kernel, _ = load()
    if kernel is None:
        return _by_numpy(cores, features, observed)
    n_rows = len(features[0])
    dims, _ = describe(tuple(core.shape for core in cores))
    of_cores, of_features = _pointers(cores), _pointers(features)
    seen = None if observed is None else np.ascontiguousarray(observed).view(np.uint8)
    sweep = Sweep(
        n_sites=len(cores),
        n_chains=len(cores[0]),
        n_rows=n_rows,
        n_threads=1 if work * n_rows < ALONE else n_threads(),
        cache_bytes=CACHE_BYTES,
        dims=ctypes.addressof(dims),
        cores=ctypes.addressof(of_cores),
        features=ctypes.addressof(of_features),
        observed=None if seen is None else seen.ctypes.data,
    )
    logs = np.empty((len(cores[0]), n_rows))
    if kernel.pulps_forward(ctypes.byref(sweep), 64, level(), None, logs.ctypes.data):
        raise MemoryError(f"No memory left to sweep {n_rows} rows.")
    return logs


def _pointers(arrays: Sequence[np.ndarray]) -> ctypes.Array[ctypes.c_void_p]:
    return (ctypes.c_void_p * len(arrays))(*[array.ctypes.data for array in arrays])


def n_threads() -> int:
    """Threads that a sweep may use: what OMP_NUM_THREADS says, or one per processor.

    Returns
    -------
    int
    """
    told = os.environ.get("OMP_NUM_THREADS", "").split(",")[0]
    if told.isdecimal() and int(told) > 0:
        return int(told)
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


# Axes: g chain · n sample · l, m left bonds · r, t right bonds · f feature · k output
def _by_numpy(
    cores: Sequence[np.ndarray], features: Sequence[np.ndarray], observed: np.ndarray | None
) -> np.ndarray:
    """Carry the environment of every chain and row from the left end to the right one."""
    parts = []
    for first in range(0, len(features[0]), ROWS_AT_ONCE):
        rows = slice(first, first + ROWS_AT_ONCE)
        n_rows = len(features[0][rows])
        env, logs = np.ones((len(cores[0]), n_rows, 1, 1)), np.zeros((len(cores[0]), n_rows))
        for site, core in enumerate(cores):
            here = np.ones(n_rows, dtype=bool) if observed is None else observed[rows, site]
            new = np.empty((len(core), n_rows, core.shape[4], core.shape[4]))
            new[:, here] = _observe(env[:, here], core, features[site][rows][here])
            new[:, ~here] = _trace(env[:, ~here], core)
            scale = np.maximum(np.trace(new, axis1=2, axis2=3), np.finfo(float).tiny)
            env, logs = new / scale[..., None, None], logs + np.log(scale)
        parts.append(logs / 2)
    return np.concatenate(parts, axis=1)


def _observe(env: np.ndarray, core: np.ndarray, phi: np.ndarray) -> np.ndarray:
    half = np.einsum("gflkr,nf->gnlkr", core, phi, optimize=True)
    left = np.einsum("gnlm,gnlkr->gnmkr", env, half, optimize=True)
    return np.einsum("gnmkr,gnmkt->gnrt", left, half, optimize=True)


def _trace(env: np.ndarray, core: np.ndarray) -> np.ndarray:
    left = np.einsum("gnlm,gflkr->gnmfkr", env, core, optimize=True)
    return np.einsum("gnmfkr,gfmkt->gnrt", left, core, optimize=True)
