"""The fast sweep: log-norms and log-Frobenius norms of stacked chains, whatever the machine.

Every engine computes what :mod:`pulps.network.lps` defines; they differ in speed alone.

=============  ==================================================================
``native``     a compiled kernel: any CPU, bond dimension up to 32
``torch``      PyTorch with a hand-written backward pass: any device
``reference``  the clear sweep of :mod:`pulps.network.lps`, gradients by autograd
=============  ==================================================================

The best one is chosen call by call; ``PULPS_ENGINE`` in the environment forces one. Rows that
were prepared may also take the categorical shortcut (:mod:`pulps.network.engine.categorical`).
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from types import ModuleType

import torch
from torch import Tensor

from pulps.network import lps
from pulps.network.engine import blocks, categorical, native
from pulps.network.engine.rows import PreparedRows, sort_rows

__all__ = [
    "PreparedRows",
    "active_engine",
    "all_log_norms",
    "log_frobenius_norms",
    "log_norms",
    "prepare",
]

ENGINES = ("reference", "torch", "native")


def prepare(
    features: Sequence[Tensor],
    observed: Tensor | None = None,
    weights: Sequence[Tensor] | None = None,
    *,
    once: bool = False,
) -> PreparedRows:
    """Make rows ready once, for any number of calls of :func:`log_norms`.

    It pays when the same rows are swept again and again, as in training: they are sorted,
    the first sweep plans the categorical shortcut if the rows are discrete, and memory is
    kept for the next sweep.

    Parameters
    ----------
    features
        One tensor (rows, feature) per site.
    observed
        Boolean, shape (rows, sites); a site that is not observed is traced. None means
        that nothing is missing.
    weights
        Positive weight of every feature of every site where it is traced, such as how common
        each category is. None means ones.
    once
        The rows will be swept once only: planning a shortcut would take longer than it saves.

    Returns
    -------
    PreparedRows
        The rows, sorted by what is missing.
    """
    batch = sort_rows(features, observed, weights)
    if once:
        categorical.forgo(batch)
    return batch


def log_norms(
    cores: Sequence[Tensor],
    features: Sequence[Tensor] | PreparedRows,
    observed: Tensor | None = None,
    weights: Sequence[Tensor] | None = None,
    *,
    memory_budget: int | None = None,
) -> Tensor:
    r"""Log-norms :math:`\log \|P\Phi(x)\|_2`, shape (chains, rows), differentiable in the cores.

    Parameters
    ----------
    cores
        One tensor (chains, feature, left, output, right) per site; the first left bond and
        the last right bond have dimension one.
    features
        One tensor (rows, feature) per site, or what :func:`prepare` made of them. They get
        no gradient.
    observed, weights
        See :func:`prepare`, if these are not prepared rows.
    memory_budget
        Bytes that may be kept for the backward pass; beyond it, chunks of rows are swept
        again instead. The default is a quarter of the free memory.

    Returns
    -------
    Tensor
        One log-norm per chain and row, in the order of the rows that came.
    """
    batch = (
        features if isinstance(features, PreparedRows) else prepare(features, observed, weights)
    )
    check(cores, batch.features)
    if batch.n_rows == 0:
        return cores[0].new_zeros(len(cores[0]), 0)
    cores = batch.weighted(cores)
    if batch is features and forced() is None:
        plan = categorical.plan(batch, [tuple(core.shape[1:]) for core in cores])
        if plan is not None:
            return categorical.log_norms(cores, batch, plan)
    engine = engine_for(cores)
    if engine is lps:
        return batch.restored(lps.log_norms(cores, batch.features, batch.observed))
    return engine.log_norms(cores, batch, memory_budget=memory_budget)


def log_frobenius_norms(cores: Sequence[Tensor]) -> Tensor:
    r"""Log-norms :math:`\log \|P\|_F`, shape (chains,), differentiable in the cores.

    Parameters
    ----------
    cores
        One tensor (chains, feature, left, output, right) per site.

    Returns
    -------
    Tensor
        One log-norm per chain.
    """
    return engine_for(cores).log_frobenius_norms(cores)


def all_log_norms(
    cores: Sequence[Tensor], batch: PreparedRows, n_together: int | None = None
) -> tuple[Tensor, Tensor]:
    r"""Log-norms of prepared rows and log-Frobenius norms at once: (chains, rows) and (chains,).

    The same numbers as those of :func:`log_norms` and :func:`log_frobenius_norms`, which is what
    a step of training asks for. Where the native kernel sweeps both, cores are read once and
    their gradients are summed where they are.

    Parameters
    ----------
    cores
        One tensor (chains, feature, left, output, right) per site.
    batch
        Rows made by :func:`prepare`.
    n_together
        Number of chains that these are some of. How Frobenius norms are added up depends on how
        many chains there are; with this it is as if all were here. None takes those that are.

    Returns
    -------
    log_norms, log_frobenius_norms
        One number per chain and row, and one per chain.
    """
    n_more = 0 if n_together is None else n_together - len(cores[0])
    if n_more > 0:
        wide = [torch.cat([core, core[:1].expand(n_more, *core.shape[1:])]) for core in cores]
        return log_norms(cores, batch), log_frobenius_norms(wide)[: len(cores[0])]
    shortcut = forced() is None and categorical.plan(batch, [tuple(c.shape[1:]) for c in cores])
    plain = batch.n_rows > 0 and batch.roots is None and not shortcut
    if plain and engine_for(cores) is native:
        check(cores, batch.features)
        return native.all_log_norms(cores, batch)
    return log_norms(cores, batch), log_frobenius_norms(cores)


def active_engine() -> tuple[str, str]:
    """Name of the engine in use, and why it is the one.

    Returns
    -------
    name, reason
        The name is one of ``ENGINES``.
    """
    name = forced()
    library, about = native.load()
    threads = torch.get_num_threads()
    if name is None and library is None:
        return "torch", f"no native kernel: {about}"
    if name is None or name == "native":
        about = f"{about}, {threads} thread{'s' * (threads != 1)}"
        return "native", about if name is None else f"{about}, set by PULPS_ENGINE"
    return name, "set by PULPS_ENGINE"


def forced() -> str | None:
    """Return the engine that the environment asks for, if it asks.

    Returns
    -------
    str or None
        The value of ``PULPS_ENGINE``, one of ``ENGINES``; None if it is not set.
    """
    name = os.environ.get("PULPS_ENGINE")
    if not name:
        return None
    if name not in ENGINES:
        raise ValueError(
            f"PULPS_ENGINE is {name!r}, but the engines are {', '.join(ENGINES)}. "
            "Set it to one of these, or unset it to get the fastest one that works here."
        )
    if name == "native" and native.load()[0] is None:
        raise RuntimeError(
            f"PULPS_ENGINE is 'native', but there is no native kernel: {native.load()[1]}. "
            "Set it to 'torch', or unset it to get the fastest one that works here."
        )
    return name


def engine_for(cores: Sequence[Tensor]) -> ModuleType:
    """Choose the module that sweeps these chains.

    Parameters
    ----------
    cores
        One tensor (chains, feature, left, output, right) per site.

    Returns
    -------
    module
        It offers ``log_norms`` and ``log_frobenius_norms``.
    """
    name = forced()
    if name == "reference":
        return lps
    if name == "torch":
        return blocks
    if name == "native" and not native.takes(cores):
        raise ValueError(
            "PULPS_ENGINE is 'native', which takes float32 and float64 on a CPU, but "
            f"{cores[0].dtype} on {cores[0].device} came. Unset it to use PyTorch there."
        )
    if name == "native" or (native.load()[0] and native.takes(cores) and native.pays(cores)):
        return native
    return blocks


def check(cores: Sequence[Tensor], features: Sequence[Tensor]) -> None:
    """Refuse rows that do not fit the chains, before an engine gets to see them.

    Parameters
    ----------
    cores
        One tensor (chains, feature, left, output, right) per site.
    features
        One tensor (rows, feature) per site.
    """
    if len(cores) != len(features):
        raise ValueError(
            f"The chains have {len(cores)} sites, but features of {len(features)} came. "
            "Give one tensor (rows, feature) per site."
        )
    for site, (core, phi) in enumerate(zip(cores, features, strict=True)):
        if phi.shape[1] != core.shape[1] or phi.dtype != core.dtype:
            raise ValueError(
                f"At site {site} the core wants features of dimension {core.shape[1]} and "
                f"{core.dtype}, but dimension {phi.shape[1]} and {phi.dtype} came. Embed "
                "the rows with the basis the chains were made for, in the same precision."
            )
