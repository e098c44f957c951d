"""Chains from and for other libraries: arrays in any order of axes, quimb, TensorKrowch.

An axis has a letter, and a *layout* is the letters of a core's axes in order:

=====  ============================================================
``g``  chain, if several are stacked
``s``  feature: what meets the embedded attribute
``l``  bond to the left
``k``  output; a core without one has an output of dimension one here
``r``  bond to the right
=====  ============================================================

Our own cores are ``"gslkr"``. Whoever has a matrix product state of quimb says ``"lrs"``, whoever
has one of TensorKrowch ``"lsr"``. As in these libraries, the first core may be without its left
bond and the last one without its right bond.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

OURS = "gslkr"


def from_arrays(arrays: Sequence[Any], layout: str | Sequence[str] = "slkr") -> list[Tensor]:
    """Make cores of arrays whose axes come in any order.

    Parameters
    ----------
    arrays
        One array or tensor of float32 or float64 per site; they are copied.
    layout
        Letters of the axes, see :mod:`pulps.network.exchange`: one string for all sites, or one
        per site where they differ.

    Returns
    -------
    list of Tensor
        One tensor (chains, feature, left, output, right) per site.

    Examples
    --------
    A matrix product state of four sites, as quimb orders it:

    >>> import numpy as np
    >>> from pulps.network import from_arrays, log_frobenius_norms
    >>> ones = [np.ones((3, 2)), np.ones((3, 3, 2)), np.ones((3, 3, 2)), np.ones((3, 2))]
    >>> cores = from_arrays(ones, layout="lrs")
    >>> [tuple(core.shape) for core in cores]
    [(1, 2, 1, 1, 3), (1, 2, 3, 1, 3), (1, 2, 3, 1, 3), (1, 2, 3, 1, 1)]
    >>> round(float(log_frobenius_norms(cores).exp()), 3)  # 27 paths, 16 entries
    108.0
    """
    n_sites = len(arrays)
    if n_sites == 0:
        raise ValueError("No arrays came. Give one per site.")
    layouts = [layout] * n_sites if isinstance(layout, str) else list(layout)
    if len(layouts) != n_sites:
        raise ValueError(
            f"{n_sites} arrays and {len(layouts)} layouts came. Give one layout per site, or one "
            "string for all."
        )
    cores = []
    for site, (array, axes) in enumerate(zip(arrays, layouts, strict=True)):
        tensor = _as_tensor(array, site)
        axes = _axes_of(tensor, axes, site, n_sites)
        missing = [letter for letter in OURS if letter not in axes]
        tensor = tensor[(..., *[None] * len(missing))]
        order = [*axes, *missing]
        cores.append(tensor.permute([order.index(letter) for letter in OURS]).contiguous())
    _check_chain(cores)
    return cores


def to_arrays(
    cores: Sequence[Tensor], layout: str = "slkr", *, chain: int | None = None
) -> list[np.ndarray]:
    """Give cores as arrays whose axes come in any order.

    Parameters
    ----------
    cores
        One tensor (chains, feature, left, output, right) per site.
    layout
        Letters of the axes, see :mod:`pulps.network.exchange`. What is not named must have
        dimension one everywhere.
    chain
        The chain of a stack that is wanted; None for all of them.

    Returns
    -------
    list of arrays
        Copies, one per site.
    """
    _check_letters(layout)
    arrays = []
    for site, core in enumerate(cores):
        core = core.detach() if chain is None else core.detach()[chain, None]
        gone = [axis for axis, letter in enumerate(OURS) if letter not in layout]
        for axis in gone:
            if core.shape[axis] != 1:
                raise ValueError(
                    f"Layout {layout!r} has no axis {OURS[axis]!r}, but at site {site} that has "
                    f"dimension {core.shape[axis]}. Name it"
                    + (", or name a chain." if OURS[axis] == "g" else ".")
                )
        left = [letter for letter in OURS if letter in layout]
        flat = core.cpu().numpy().squeeze(tuple(gone))
        arrays.append(np.array(flat.transpose([left.index(letter) for letter in layout])))
    return arrays


def to_quimb(cores: Sequence[Tensor], chain: int = 0) -> Any:
    r"""Give a chain as a matrix product operator of quimb.

    Applied to the features of a row, a product state, it gives :math:`\hat y(x)`, whose norm is
    the row's. Upper indices (``k0``, ``k1``, …) are outputs, lower ones (``b0``, ``b1``, …)
    features; a site without an output has one of dimension one.

    Parameters
    ----------
    cores
        One tensor (chains, feature, left, output, right) per site, of two sites or more.
    chain
        Which chain of the stack.

    Returns
    -------
    quimb.tensor.MatrixProductOperator
    """
    quimb = _library("quimb.tensor", "quimb")
    arrays = _open_ends(cores, "lrks", chain)
    return quimb.MatrixProductOperator(arrays, shape="lrud")


def to_tensorkrowch(cores: Sequence[Tensor], chain: int = 0) -> Any:
    r"""Give a chain as a matrix product operator of TensorKrowch, a module of PyTorch.

    Parameters
    ----------
    cores
        One tensor (chains, feature, left, output, right) per site, of two sites or more.
    chain
        Which chain of the stack.

    Returns
    -------
    tensorkrowch.models.MPO
        Its tensors are copies and its own parameters.

    Notes
    -----
    Chains of double numbers want TensorKrowch 1.1.4 or newer: the ends of its older operators are
    single, and a contraction of both fails. ``.float()`` the cores for those.
    """
    krowch = _library("tensorkrowch", "tensorkrowch")
    arrays = _open_ends(cores, "lsrk", chain)
    return krowch.models.MPO(tensors=[torch.from_numpy(array) for array in arrays])


def _open_ends(cores: Sequence[Tensor], layout: str, chain: int) -> list[np.ndarray]:
    """Arrays of a chain whose ends have no outer bonds."""
    if len(cores) < 2:
        raise ValueError("The chain has one site. Other libraries want two or more.")
    first, *middle, last = to_arrays(cores, layout, chain=chain)
    return [first.squeeze(layout.index("l")), *middle, last.squeeze(layout.index("r"))]


def _library(module: str, package: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError:
        raise ImportError(
            f"This needs {package}. Install it with: pip install {package}"
        ) from None


def _as_tensor(array: Any, site: int) -> Tensor:
    given = array.detach().cpu() if isinstance(array, Tensor) else np.asarray(array)
    tensor = torch.as_tensor(given).clone()
    if tensor.dtype not in (torch.float32, torch.float64):
        raise ValueError(
            f"The array of site {site} holds {tensor.dtype}; float32 or float64 is wanted. The "
            "networks here are real: convert the numbers first."
        )
    if not tensor.isfinite().all():
        raise ValueError(f"The array of site {site} holds a number that is not finite.")
    return tensor


def _check_letters(layout: str) -> None:
    unknown = [letter for letter in layout if letter not in OURS]
    if unknown or len({*layout}) != len(layout) or "s" not in layout:
        raise ValueError(
            f"layout is {layout!r}; it must name axes by the letters {', '.join(OURS)}, each "
            "once, the feature s among them."
        )


def _axes_of(tensor: Tensor, layout: str, site: int, n_sites: int) -> str:
    """Letters of the axes that are there: an end may lack its outer bond, a core its output."""
    _check_letters(layout)
    ends = ("l" if site == 0 else "") + ("r" if site == n_sites - 1 else "")
    n_missing = len(layout) - tensor.ndim
    if n_missing == 0:
        return layout
    for optional in ([*ends], ["k"], [*ends, "k"]):
        named = [letter for letter in optional if letter in layout]
        clear = optional == [*ends, "k"] or not (ends and "k" in layout)
        if named and len(named) == n_missing and clear:
            return "".join(letter for letter in layout if letter not in named)
    raise ValueError(
        f"The array of site {site} has {tensor.ndim} axes, but layout {layout!r} names "
        f"{len(layout)}. Give a layout per site that says which of them are there."
    )


def _check_chain(cores: Sequence[Tensor]) -> None:
    """Refuse cores that do not hang together."""
    if len({(len(core), core.dtype) for core in cores}) > 1:
        raise ValueError(
            "The sites differ in the number of chains or in precision. Give all of them alike."
        )
    bonds = [1, *[core.shape[4] for core in cores]]
    for site, core in enumerate(cores):
        if core.shape[2] != bonds[site]:
            raise ValueError(
                f"Site {site} has a left bond of {core.shape[2]}, but "
                + (
                    f"site {site - 1} ends with {bonds[site]}."
                    if site
                    else "a chain begins with 1."
                )
                + " Check the layout."
            )
    if bonds[-1] != 1:
        raise ValueError(
            f"The last site has a right bond of {bonds[-1]}, but a chain ends with 1. Check the "
            "layout; closed chains are not supported."
        )
