"""The fast sweep: log-norms and log-Frobenius norms of stacked chains, whatever the machine.

Every engine computes what :mod:`pulps.lps` defines; they differ in speed alone.

=============  ==================================================================
``native``     a compiled kernel: float32 on a CPU, bond dimension up to 32
``torch``      PyTorch with a hand-written backward pass: any device, any dtype
``reference``  the clear sweep of :mod:`pulps.lps`, gradients by autograd
=============  ==================================================================

The best one is chosen call by call; ``PULPS_ENGINE`` in the environment forces one.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from torch import Tensor

from pulps import lps
from pulps.engine import blocks
from pulps.engine.rows import Batch, sort_rows

__all__ = ["Batch", "active_engine", "log_frobenius_norms", "log_norms", "prepare"]

ENGINES = ("reference", "torch", "native")


def prepare(features: Sequence[Tensor], observed: Tensor | None = None) -> Batch:
    """Make rows ready once, for any number of calls of :func:`log_norms`.

    Parameters
    ----------
    features
        One tensor (rows, feature) a site.
    observed
        Boolean, shape (rows, sites); a site that is not observed is traced. None means
        that nothing is missing.
    """
    return sort_rows(features, observed)


def log_norms(
    cores: Sequence[Tensor],
    features: Sequence[Tensor] | Batch,
    observed: Tensor | None = None,
    *,
    memory_budget: int | None = None,
) -> Tensor:
    r"""Log-norms :math:`\log \|P\Phi(x)\|_2`, shape (chains, rows), differentiable in the cores.

    Parameters
    ----------
    cores
        One tensor (chains, feature, left, output, right) a site; the first left bond and
        the last right bond have dimension one.
    features
        One tensor (rows, feature) a site, or what :func:`prepare` made of them. They get
        no gradient.
    observed
        Boolean, shape (rows, sites); a site that is not observed is traced. None means
        that nothing is missing.
    memory_budget
        Bytes that may be kept for the backward pass; beyond it, chunks of rows are swept
        again instead. The default is a quarter of the free memory.
    """
    batch = features if isinstance(features, Batch) else prepare(features, observed)
    check(cores, batch.features)
    name = chosen()
    if name == "reference":
        return batch.restored(lps.log_norms(cores, batch.features, batch.observed))
    return blocks.log_norms(cores, batch, memory_budget=memory_budget)


def log_frobenius_norms(cores: Sequence[Tensor]) -> Tensor:
    r"""Log-norms :math:`\log \|P\|_F`, shape (chains,), differentiable in the cores."""
    if chosen() == "reference":
        return lps.log_frobenius_norms(cores)
    return blocks.log_frobenius_norms(cores)


def active_engine() -> tuple[str, str]:
    """Name of the engine in use, and why it is the one."""
    name = chosen()
    return name, f"PULPS_ENGINE={name}" if forced() else "no native kernel: not built"


def forced() -> str | None:
    """Return the engine that the environment asks for, if it asks."""
    name = os.environ.get("PULPS_ENGINE") or None
    if name is not None and name not in ENGINES:
        raise ValueError(
            f"PULPS_ENGINE is {name!r}, but the engines are {', '.join(ENGINES)}. "
            "Set it to one of these, or unset it to get the fastest one that works here."
        )
    return name


def chosen() -> str:
    """Name of the engine to use."""
    return forced() or "torch"


def check(cores: Sequence[Tensor], features: Sequence[Tensor]) -> None:
    """Refuse rows that do not fit the chains, before an engine gets to see them."""
    if len(cores) != len(features):
        raise ValueError(
            f"The chains have {len(cores)} sites, but features of {len(features)} came. "
            "Give one tensor (rows, feature) a site."
        )
    for site, (core, phi) in enumerate(zip(cores, features, strict=True)):
        if phi.shape[1] != core.shape[1] or phi.dtype != core.dtype:
            raise ValueError(
                f"At site {site} the core wants features of dimension {core.shape[1]} and "
                f"{core.dtype}, but dimension {phi.shape[1]} and {phi.dtype} came. Embed "
                "the rows with the basis the chains were made for, in the same precision."
            )
