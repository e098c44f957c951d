"""The sweep at the author's shapes (``sizes.py``), against the author's order of contraction."""

from __future__ import annotations

import tempfile
from pathlib import Path

import torch
from sizes import Size
from ways import Ways

from pulps.network.engine import categorical, native
from pulps.network.engine.rows import sort_rows


def engines_for(size: Size, nursery: Path | None) -> list[str]:
    """Ways that apply to a size."""
    found = ["author", "torch"]
    if size.name == "M":
        found.append("lean")
    if native.load()[0] is not None:
        found.append("native")
    if size.values:
        batch = sort_rows(size.features(nursery), None)
        if categorical.plan(batch, size.shape.core_shapes()) is not None:
            found.append("categorical")
    return found


def measure(ways: Ways, size: Size, nursery: Path | None, rounds: int) -> dict:
    """Figures of one size, a dict an engine."""
    engines = engines_for(size, nursery)
    with tempfile.TemporaryDirectory() as folder:
        columns = Path(folder) / "columns.pt"
        torch.save(size.columns(nursery), columns)
        request = {
            "n_sites": size.n_sites,
            "n_rows": size.n_rows,
            "n_chains": size.n_chains,
            "feature_dim": size.feature_dim,
            "bond_dim": size.bond_dim,
            "spacing": size.spacing,
            "output_dim": None,
            "dtype": "float32",
            "one_hot": False,
            "columns": str(columns),
        }
        measured = ways.measure(request, engines, rounds)
    least = 1000 * size.flops() / ways.gemm_speed()
    for engine, row in measured.items():
        row["roofline"] = None if engine == "categorical" else least / row["milliseconds"]
    return {"what": size.what, "engines": measured}
