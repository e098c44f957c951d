"""Whether cores read from a file can be swept: in memory that the file justifies, to a number."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from pulps.io.value_checks import need, numbers, told
from pulps.network import engine
from pulps.network.lps import ChainShape

ALWAYS_FINE = 2**25  # bytes of an environment
TIMES_THE_CORES = 4
MOST_PIXELS = 2**24  # of an image, all channels counted


def fault_of(cores: list[np.ndarray]) -> str | None:
    """Say what is wrong with chains whose cores fit together.

    A sweep needs a square of numbers per chain, as wide as the bond. Cores of a chain of two
    sites are not square, so that a small file could ask for a large memory; no fit makes such
    chains.

    Parameters
    ----------
    cores
        One array (chains, feature, left, output, right) per site.

    Returns
    -------
    str or None
        None if nothing is wrong.
    """
    total = sum(core.nbytes for core in cores)
    widest = max(len(core) * core.shape[4] ** 2 * core.itemsize for core in cores)
    if widest > max(ALWAYS_FINE, TIMES_THE_CORES * total):
        bond = max(core.shape[4] for core in cores)
        return f"a chain of {len(cores)} sites cannot have a bond of {bond}"
    if not all(core.any(axis=(1, 2, 3, 4)).all() for core in cores):
        return "a chain has a core of zeros only, and so no norm"
    with torch.no_grad():
        norms = engine.log_frobenius_norms([torch.from_numpy(core.copy()) for core in cores])
    if not bool(torch.isfinite(norms).all()):
        return "a chain has cores so large that its norm is not finite"
    return None


def check_chain(cores: Any, shape: ChainShape, n_chains: int) -> None:
    """Raise if cores are not chains of a shape.

    Parameters
    ----------
    cores
        One array (chains, feature, left, output, right) per site.
    shape
        Their largest shape; bonds may be smaller.
    n_chains
        Number of chains.
    """
    wanted = shape.core_shapes()
    need(
        isinstance(cores, list) and len(cores) == len(wanted),
        f"a chain should be a list of {len(wanted)} cores, but is {told(cores)}"
        + (f" of {len(cores)}" if isinstance(cores, list) else ""),
    )
    bonds = [1, *[core.shape[-1] for core in cores[:-1] if isinstance(core, np.ndarray)], 1]
    if max(bonds) != max(size[3] for size in wanted):  # compressed ones: no bond is wider
        bonds = [1, *[size[3] for size in wanted]]
    for site, (core, (feature, _, output, most)) in enumerate(zip(cores, wanted, strict=True)):
        numbers(core, 5, f"core {site}")
        size = (n_chains, feature, bonds[site], output, min(bonds[site + 1], most))
        need(core.shape == size, f"core {site} should have shape {size}, but has {core.shape}")
    fault = fault_of(cores)
    need(fault is None, str(fault))
