"""The sweep at the shapes of the default: chains of 8 to 57 sites, D = 8, k = 2, S = 4.

Forward and backward, log-norms and log-Frobenius norms of 16 chains (eight members), in float32.
Three ways run in turn, round after round: the author's order, this checkout and, in a process of
its own, another checkout of the library, such as that of an earlier commit.
"""

from __future__ import annotations

import statistics
from pathlib import Path

from worker import Worker

from pulps.network.engine.factors import multiplications
from pulps.network.lps import ChainShape

SITES = (8, 16, 20, 36, 57)
FEATURE_DIM, BOND_DIM, SPACING, OUTPUT_DIM, N_CHAINS, N_ROWS = 6, 8, 4, 2, 16, 500
HERE = Path(__file__).parent.parent


def request(n_sites: int, one_hot: bool, engine: str) -> dict:
    """Describe one measurement to a worker."""
    return {
        "do": "make",
        "n_sites": n_sites,
        "n_rows": N_ROWS,
        "n_chains": N_CHAINS,
        "feature_dim": FEATURE_DIM,
        "bond_dim": BOND_DIM,
        "spacing": SPACING,
        "output_dim": OUTPUT_DIM,
        "dtype": "float32",
        "one_hot": one_hot,
        "engine": engine,
    }


def measure(before: Path | None, threads: int, rounds: int, gemm_speed: float) -> list[dict]:
    """Medians over the rounds, one dict per shape, kind of column and engine."""
    checkouts = {"now": HERE, "author": HERE} | ({} if before is None else {"before": before})
    workers = {name: Worker(path, threads) for name, path in checkouts.items()}
    figures = []
    for n_sites in SITES:
        shape = ChainShape((FEATURE_DIM,) * n_sites, BOND_DIM, SPACING, OUTPUT_DIM)
        for one_hot in (False, True):
            count = multiplications(shape.core_shapes(), embedding=not one_hot)
            for engine in ("torch", "native"):
                walls = measure_one(workers, request(n_sites, one_hot, engine), rounds)
                median = {name: statistics.median(times) for name, times in walls.items()}
                least = 3 * 2 * count * N_CHAINS * N_ROWS / gemm_speed  # forward and twice back
                figures.append(
                    {
                        "sites": n_sites,
                        "columns": "categories" if one_hot else "numbers",
                        "engine": engine,
                        "milliseconds": 1000 * median["now"],
                        "author": ratio(walls, "author"),
                        "before": ratio(walls, "before") if "before" in walls else None,
                        "least": least / median["now"],
                        "multiplications": count,
                    }
                )
                print(figures[-1], flush=True)
    for worker in workers.values():
        worker.close()
    return figures


def measure_one(workers: dict[str, Worker], made: dict, rounds: int) -> dict[str, list[float]]:
    """Seconds of every round of every worker."""
    repeats = {}
    for name, worker in workers.items():
        worker.ask(**made | ({"engine": "author"} if name == "author" else {}))
        first = worker.ask(do="run", repeats=1)["seconds"]
        repeats[name] = max(1, min(100, int(0.05 / first)))
    walls: dict[str, list[float]] = {name: [] for name in workers}
    for _ in range(rounds):
        for name, worker in workers.items():
            walls[name].append(worker.ask(do="run", repeats=repeats[name])["seconds"])
    return walls


def ratio(walls: dict[str, list[float]], name: str) -> float:
    """How many times as long another way takes, the median over rounds."""
    return statistics.median(a / b for a, b in zip(walls[name], walls["now"], strict=True))
