"""The tensor network: torch in, torch out; any number of chains; no classes, no tables.

Whoever knows tensor networks finds here what they would look for: a layer for PyTorch
(:class:`LPSLayer`), the sweep (:func:`log_norms`), canonical form, truncation with a bound,
entropies of the bonds, and the way to other libraries and back. Everything takes *cores*: one
tensor (chains, feature, left, output, right) per site.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # imported when first asked for: some modules below need no torch
    from pulps.network.basis import CosineBasis, OneHotBasis, SineBasis, SphereBasis, embed
    from pulps.network.canonical import canonicalize
    from pulps.network.compress import log_distances, truncate
    from pulps.network.engine import log_frobenius_norms, log_norms, prepare
    from pulps.network.entropy import bond_entropies, bond_spectra
    from pulps.network.exchange import from_arrays, to_arrays, to_quimb, to_tensorkrowch
    from pulps.network.layer import LPSLayer
    from pulps.network.lps import ChainShape, density_forms

_HOMES = {
    "basis": ("CosineBasis", "OneHotBasis", "SineBasis", "SphereBasis", "embed"),
    "canonical": ("canonicalize",),
    "compress": ("log_distances", "truncate"),
    "engine": ("log_frobenius_norms", "log_norms", "prepare"),
    "entropy": ("bond_entropies", "bond_spectra"),
    "exchange": ("from_arrays", "to_arrays", "to_quimb", "to_tensorkrowch"),
    "layer": ("LPSLayer",),
    "lps": ("ChainShape", "density_forms"),
}

__all__ = [
    "ChainShape",
    "CosineBasis",
    "LPSLayer",
    "OneHotBasis",
    "SineBasis",
    "SphereBasis",
    "bond_entropies",
    "bond_spectra",
    "canonicalize",
    "density_forms",
    "embed",
    "from_arrays",
    "log_distances",
    "log_frobenius_norms",
    "log_norms",
    "prepare",
    "to_arrays",
    "to_quimb",
    "to_tensorkrowch",
    "truncate",
]

if not TYPE_CHECKING:

    def __getattr__(name):
        for home, names in _HOMES.items():
            if name in names:
                found = getattr(importlib.import_module(f"pulps.network.{home}"), name)
                return globals().setdefault(name, found)
        raise AttributeError(f"module 'pulps.network' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
