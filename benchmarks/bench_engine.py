"""Measure the engines against the author's order of contraction: one command, one table.

Work unit: log-norms of both states, log-Frobenius norms, and the gradients by all cores, in
float32, rows embedded. All engines are run in turn, round after round, so that a busy
machine slows all of them; medians over the rounds are compared.

    python benchmarks/bench_engine.py                 # writes docs/performance.md
    python benchmarks/bench_engine.py --quick         # a minute, fewer rows, no page
    python benchmarks/bench_engine.py --nursery nursery.csv.gz --json figures.json

The shapes of the default are also compared with another checkout, whose kernel must be built:

    git worktree add ../before ff4834f && (cd ../before && python setup.py build_ext --inplace)
    python benchmarks/bench_engine.py --before ../before
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import json
import os
import statistics
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

# Threads that wait sleep: spinning ones starve each other where the machine is shared, which
# multiplies the yardstick's time by ten. Must come before PyTorch is loaded.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

import author_order
import default_shapes
import performance_page
import torch
from sizes import SIZES, Size
from torch import Tensor

from pulps.network.engine import active_engine, blocks, categorical, native
from pulps.network.engine.rows import PreparedRows, sort_rows

Step = Callable[[list[Tensor]], Tensor]
TRIED = ("author", "torch", "lean", "native", "categorical")


def steps(size: Size, features: list[Tensor]) -> dict[str, Step]:
    """One function a way to compute the work unit's value, those that apply."""
    batch = sort_rows(features, None)
    found: dict[str, Step] = {
        "author": lambda c: total(
            author_order.log_norms(c, features), author_order.log_frobenius_norms(c)
        ),
        "torch": lambda c: total(blocks.log_norms(c, batch), blocks.log_frobenius_norms(c)),
    }
    if size.name == "M":
        lean = PreparedRows(features, None, None)
        found["lean"] = lambda c: total(
            blocks.log_norms(c, lean, memory_budget=0), blocks.log_frobenius_norms(c)
        )
    if native.load()[0] is not None:
        found["native"] = lambda c: total(
            native.log_norms(c, batch), native.log_frobenius_norms(c)
        )
    plan = categorical.plan(batch, size.shape.core_shapes()) if size.values else None
    if plan is not None:
        other = native if "native" in found else blocks
        found["categorical"] = lambda c: total(
            categorical.log_norms(c, batch, plan), other.log_frobenius_norms(c)
        )
    return found


def total(norms: Tensor, frobenius: Tensor) -> Tensor:
    """Something that depends on everything."""
    return norms.mean() + frobenius.mean()


def run(step: Step, cores: list[Tensor], repeats: int = 1) -> tuple[float, float]:
    """Seconds on the clock and of all processors, for value and gradients."""
    wall, cpu = time.perf_counter(), time.process_time()
    for _ in range(repeats):
        torch.autograd.grad(step(cores), cores)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    return wall / repeats, cpu / repeats


def gemm_speed() -> float:
    """Floating point operations per second of a large matrix product: the roofline."""
    a = torch.rand(1024, 1024)
    torch.mm(a, a)
    seconds = []
    for _ in range(3):
        start = time.perf_counter()
        torch.mm(a, a)
        seconds.append(time.perf_counter() - start)
    return 2 * 1024**3 / min(seconds)


def peak_mb(step: Step, cores: list[Tensor]) -> float | None:
    """Memory a step takes at its peak beyond what was held before, where Linux tells."""
    status, reset = Path("/proc/self/status"), Path("/proc/self/clear_refs")
    if not reset.exists():
        return None
    gc.collect()
    try:
        ctypes.CDLL(None).malloc_trim(0)
        reset.write_text("5")
    except (OSError, AttributeError):
        return None

    def entry(name: str) -> int:
        return next(int(x.split()[1]) for x in status.read_text().splitlines() if name in x)

    before = entry("VmRSS")
    torch.autograd.grad(step(cores), cores)
    return (entry("VmHWM") - before) / 1024


def measure(size: Size, rounds: int, nursery: Path | None, seconds: float) -> dict[str, dict]:
    """Figures of one size, a dict an engine."""
    cores, features = size.cores(), size.features(nursery)
    ways = steps(size, features)
    peaks, repeats = {}, {}
    for name, step in ways.items():
        # The first step: what an engine keeps for the next ones counts as its peak.
        peaks[name] = peak_mb(step, cores)
        wall, _ = run(step, cores)
        repeats[name] = max(1, min(100, int(0.02 / wall)))
    walls: dict[str, list[float]] = {name: [] for name in ways}
    cpus: dict[str, list[float]] = {name: [] for name in ways}
    speeds = []
    start = time.perf_counter()
    for done in range(rounds):
        if done >= 3 and time.perf_counter() - start > seconds:
            break
        speeds.append(gemm_speed())
        for name, step in ways.items():
            wall, cpu = run(step, cores, repeats[name])
            walls[name].append(wall)
            cpus[name].append(cpu / wall)
    roofline = size.flops() / statistics.median(speeds)
    author = statistics.median(walls["author"])
    figures = {}
    for name in ways:
        wall = statistics.median(walls[name])
        figures[name] = {
            "milliseconds": 1000 * wall,
            "ratio": author / wall,
            "roofline": roofline / wall if name != "categorical" else None,
            "cpu_per_wall": statistics.median(cpus[name]),
            "peak_mb": peaks[name],
            "rounds": len(walls[name]),
        }
    return figures


BASE = Size("scaling", "", 64, 6, 12, 8, 512)
AXES = {
    "sites N": ("n_sites", (16, 32, 64, 128, 256)),
    "bond dimension D": ("bond_dim", (4, 8, 12, 16, 24, 32)),
    "feature dimension d": ("feature_dim", (2, 4, 8, 16)),
    "rows": ("n_rows", (64, 256, 1024, 4096)),
    "members": ("n_chains", (2, 4, 8, 16, 32)),
}


def scaling(quick: bool) -> dict[str, dict]:
    """Milliseconds along every axis, and the exponent of a fitted power."""
    found: dict[str, dict] = {}
    base = replace(BASE, n_rows=128) if quick else BASE
    for label, (axis, points) in AXES.items():
        points = points[1:3] if quick else points
        curves: dict[str, list[float]] = {}
        for point in points:
            size = replace(base, **{axis: point})
            cores, ways = size.cores(), steps(size, size.features())
            for name in ("torch", "native"):
                if name in ways:
                    run(ways[name], cores)
                    best = min(run(ways[name], cores)[0] for _ in range(1 if quick else 5))
                    curves.setdefault(name, []).append(1000 * best)
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a minute: fewer rows and rounds")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    parser.add_argument("--nursery", type=Path, help="nursery.csv.gz, for its real rows")
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--before", type=Path, help="another checkout to compare with")
    parser.add_argument("--sizes", nargs="+", default=[size.name for size in SIZES])
    parser.add_argument("--docs", type=Path, default=Path(__file__).parent.parent / "docs")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    figures = {
        "threads": options.threads,
        "engine": " · ".join(active_engine()),
        "torch": torch.__version__,
        "quick": options.quick,
        "nursery": "real rows" if options.nursery else "random rows of the cross product",
        "sizes": {},
    }
    print(f"{figures['engine']}; PyTorch {torch.__version__}")
    for size in SIZES:
        if size.name not in options.sizes:
            continue
        if options.quick:
            size = replace(size, n_rows=max(64, size.n_rows // 8))
        rounds = 3 if options.quick else max(5, options.rounds)
        measured = measure(size, rounds, options.nursery, 2.0 if options.quick else 120.0)
        figures["sizes"][size.name] = {"what": size.what, "engines": measured}
        print(performance_page.table({size.name: figures["sizes"][size.name]}), flush=True)
    figures["default"] = default_shapes.measure(
        options.before,
        options.threads,
        2 if options.quick else max(5, options.rounds),
        gemm_speed(),
    )
    print(performance_page.default_table(figures["default"]), flush=True)
    figures["scaling"] = scaling(options.quick)
    print(performance_page.scaling_table(figures["scaling"]))
    if options.json:
        options.json.write_text(json.dumps(figures, indent=2) + "\n")
    if not options.quick:
        performance_page.write(figures, options.docs)


if __name__ == "__main__":
    main()
