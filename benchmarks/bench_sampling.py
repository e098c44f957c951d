"""Measure how long drawing rows takes, over rows and attributes.

    python benchmarks/bench_sampling.py          # writes benchmarks/results/sampling.json
    python benchmarks/bench_sampling.py --quick  # a tenth of the rows, only prints

The bar: 10,000 rows of 20 numeric attributes from four members of bond dimension 12 in under
five seconds on two cores, growing linearly in rows and attributes.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import numpy as np
import torch

from pulps import LPSClassifier

RESULTS = Path(__file__).parent / "results" / "sampling.json"
SIZES = [(2500, 20), (5000, 20), (10_000, 20), (10_000, 5), (10_000, 10), (10_000, 40)]


def model_of(n_columns: int) -> LPSClassifier:
    """Fit briefly; what the cores hold does not matter for the time."""
    rng = np.random.default_rng(0)
    y = rng.random(300) < 0.3
    X = rng.standard_normal((300, n_columns)) + y[:, None]
    model = LPSClassifier(n_members=4, bond_dim=12, n_repeats=1, max_epochs=3, random_state=0)
    return model.fit(X, y.astype(int))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a tenth of the rows")
    options = parser.parse_args()
    figures = []
    for n_rows, n_columns in SIZES:
        model = model_of(n_columns)
        n_rows //= 10 if options.quick else 1
        model.sample(100, states=True, random_state=0)
        wall, cpu = time.perf_counter(), time.process_time()
        model.sample(n_rows, states=True, random_state=0)
        figures.append(
            {
                "rows": n_rows,
                "attributes": n_columns,
                "members": len(model.members_),
                "bond_dim": 12,
                "threads": torch.get_num_threads(),
                "seconds": time.perf_counter() - wall,
                "cpu_seconds": time.process_time() - cpu,
            }
        )
        print(figures[-1], flush=True)
    if not options.quick:
        RESULTS.write_text(json.dumps(figures, indent=2) + "\n")


if __name__ == "__main__":
    main()
