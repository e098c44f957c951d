"""How the time of a sweep grows with every size of the problem."""

from __future__ import annotations

import statistics
import time
from dataclasses import replace

import torch
from sizes import Size

from pulps.network.engine import blocks, native
from pulps.network.engine.rows import sort_rows

BASE = Size("scaling", "", 64, 6, 12, 8, 512)
AXES = {
    "sites N": ("n_sites", (16, 32, 64, 128, 256)),
    "bond dimension D": ("bond_dim", (4, 8, 12, 16, 24, 32)),
    "feature dimension d": ("feature_dim", (2, 4, 8, 16)),
    "rows": ("n_rows", (64, 256, 1024, 4096)),
    "members": ("n_chains", (2, 4, 8, 16, 32)),
}


def seconds(engine, size: Size, repeats: int) -> float:
    """Return the best time of some steps."""
    cores, batch = size.cores(), sort_rows(size.features(), None)
    best = float("inf")
    for _ in range(repeats + 1):
        start = time.perf_counter()
        total = engine.log_norms(cores, batch).mean() + engine.log_frobenius_norms(cores).mean()
        torch.autograd.grad(total, cores)
        best = min(best, time.perf_counter() - start)
    return best


def measure(quick: bool) -> dict[str, dict]:
    """Milliseconds along every axis, and the exponent of a fitted power."""
    engines = {"torch": blocks} | ({"native": native} if native.load()[0] is not None else {})
    found: dict[str, dict] = {}
    base = replace(BASE, n_rows=128) if quick else BASE
    for label, (axis, points) in AXES.items():
        points = points[1:3] if quick else points
        curves = {
            name: [
                1000 * seconds(engine, replace(base, **{axis: point}), 1 if quick else 3)
                for point in points
            ]
            for name, engine in engines.items()
        }
        shown = [p // 2 for p in points] if axis == "n_chains" else list(points)
        found[label] = {
            "points": shown,
            "milliseconds": curves,
            "exponent": {name: exponent(shown, y) for name, y in curves.items()},
        }
    return found


def exponent(x: list[int], y: list[float]) -> float:
    """Slope of a line through the logarithms."""
    return statistics.linear_regression(
        torch.tensor(x).double().log().tolist(), torch.tensor(y).double().log().tolist()
    ).slope
