"""Measure all that the performance page tells: one command that goes on where it was stopped.

    git worktree add ../before ff4834f && (cd ../before && python setup.py build_ext --inplace)
    python benchmarks/bench_engine.py --before ../before --nursery nursery.csv.gz
    python benchmarks/bench_engine.py --before ../before --quick    # tries everything, no page

Work unit of a sweep: log-norms of both states, log-Frobenius norms, and the gradients by all
cores, in float32, rows embedded. All ways run in turn, round after round, so that a busy machine
slows all of them. Parts, which ``--parts`` may name: ``paper`` (the author's shapes), ``default``
(the default's own), ``scaling``, ``fits`` (on one thread) and ``predictions``, both whole and
beside the earlier checkout, and ``cost`` against the rows of the table (``cost_against_size.py``),
the longest and the last. Every figure is kept in ``results/engine.json`` as soon as it is there.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

# Threads that wait sleep: spinning ones starve each other where the machine is shared, which
# multiplies the yardstick's time by ten. Must come before PyTorch is loaded.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

import cost_against_size
import default_shapes
import fit_breakdown
import paper_shapes
import performance_page
import predict_ratio
import torch
from scaling import measure as measure_scaling
from sizes import SIZES
from ways import Ways

from pulps.network.engine import active_engine

HERE = Path(__file__).parent
RESULTS = HERE / "results" / "engine.json"
PARTS = ("paper", "default", "scaling", "fits", "predictions", "cost")
FITS = {(200, 16): 5, (1000, 20): 5, (4140, 57): 3}  # most rounds: an earlier fit takes minutes
PREDICTED = (1_000_000, 20)


SWEPT = ("src/pulps/network", "src/pulps/kernel", "setup.py")  # what sweeps depend on
WHOLE = ("src", "setup.py")


def commit(code: Sequence[str], checkout: Path = HERE.parent) -> str:
    """Name the state of the code, so that figures of two states are not mixed."""
    asked = ["git", "log", "-1", "--format=%h", "--", *code]
    return subprocess.run(asked, check=True, capture_output=True, text=True, cwd=checkout).stdout[
        :-1
    ]


class Figures:
    """Figures by part, on the disk as soon as they are measured.

    Those of another machine or sweep are forgotten; those of whole fits and predictions also if
    anything else has changed.
    """

    def __init__(self, path: Path, about: dict, commit_of_fits: str) -> None:
        self.path = path
        self.found = json.loads(path.read_text()) if path.exists() else {}
        if any(self.found.get(key) != value for key, value in about.items()):
            self.found = dict(about)
        if self.found.get("commit of fits") != commit_of_fits:
            self.found |= {"commit of fits": commit_of_fits, "fits": {}, "predictions": {}}

    def get(self, part: str, name: str, measure: Callable[[], object]) -> object:
        """Measure what is not yet there."""
        figures = self.found.setdefault(part, {})
        if name not in figures:
            start = time.perf_counter()
            figures[name] = measure()
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.path.write_text(json.dumps(self.found, indent=1) + "\n")
            print(f"{part}, {name}: {time.perf_counter() - start:.0f} s", flush=True)
        return figures[name]


def measure_sweeps(figures: Figures, options: argparse.Namespace, threads: int) -> None:
    """Sweeps of the author's and of the default's shapes."""
    paper = [size for size in SIZES if "paper" in options.parts]
    shapes = [
        (n_sites, columns)
        for n_sites in (default_shapes.SITES if "default" in options.parts else ())
        for columns in default_shapes.COLUMNS
    ]
    if options.quick:
        paper = [replace(size, n_rows=max(64, size.n_rows // 16)) for size in paper[1:]]
        shapes = shapes[:2]
    done_paper, done_default = (
        figures.found.get(f"{part} {threads}", {}) for part in ("paper", "default")
    )
    paper = [size for size in paper if size.name not in done_paper]
    shapes = [shape for shape in shapes if f"{shape[0]} {shape[1]}" not in done_default]
    if not paper and not shapes:
        return
    ways = Ways(options.before, threads)
    for size in paper:
        told = figures.get(
            f"paper {threads}",
            size.name,
            lambda size=size: paper_shapes.measure(ways, size, options.nursery, options.rounds),
        )
        print(performance_page.table({size.name: told}), flush=True)
    speed = ways.gemm_speed()
    for n_sites, columns in shapes:
        told = figures.get(
            f"default {threads}",
            f"{n_sites} {columns}",
            lambda a=n_sites, b=columns: default_shapes.measure(ways, a, b, options.rounds, speed),
        )
        print(performance_page.default_table(told), flush=True)
    ways.close()


def measure_whole(figures: Figures, options: argparse.Namespace) -> None:
    """Whole fits and predictions of both checkouts, default settings."""
    if "fits" in options.parts:
        for n_rows, n_columns in list(FITS)[:1] if options.quick else FITS:
            figures.get(
                "fits",
                f"{n_rows} × {n_columns}",
                lambda size=(n_rows, n_columns): fit_breakdown.measure(
                    [size],
                    options.before,
                    min(options.rounds, FITS[size]),
                    kinds=("numeric",),
                    rivals=(fit_breakdown.ALONE,),
                )[0],
            )
    if "predictions" in options.parts:
        rows = PREDICTED[0] // 100 if options.quick else PREDICTED[0]
        figures.get(
            "predictions",
            f"{rows} × {PREDICTED[1]}",
            lambda: predict_ratio.measure(
                [(rows, PREDICTED[1])],
                options.before,
                options.rounds,
                options.threads[-1],
                ("predict",),
            )[0],
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--before", type=Path, help="an earlier checkout, built")
    parser.add_argument("--nursery", type=Path, help="nursery.csv.gz, for its real rows")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS)
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--largest", type=int, default=2_000_000, help="rows, of part cost")
    parser.add_argument("--quick", action="store_true", help="little of everything, no page")
    parser.add_argument("--docs", type=Path, default=HERE.parent / "docs")
    options = parser.parse_args()
    if options.quick:
        options.rounds = 1
    torch.set_num_threads(options.threads[-1])
    about = {
        "commit": commit(SWEPT),
        "before": None if options.before is None else commit(["."], options.before),
        "engine": " · ".join(active_engine()),
        "torch": torch.__version__,
        "nursery": "real rows" if options.nursery else "random rows of the cross product",
        "quick": options.quick,
    }
    path = RESULTS.with_name("engine_quick.json") if options.quick else RESULTS
    figures = Figures(path, about, commit(WHOLE))
    for threads in options.threads:
        measure_sweeps(figures, options, threads)
    if "scaling" in options.parts:
        figures.get("scaling", "axes", lambda: measure_scaling(options.quick))
    measure_whole(figures, options)
    if options.quick:
        figures.path.unlink()
        print(performance_page.text(figures.found))
        return
    performance_page.write(figures.found, options.docs)
    if "cost" in options.parts:
        cost_against_size.renew(options.largest, figures.found["commit of fits"])


if __name__ == "__main__":
    main()
