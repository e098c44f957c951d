"""Measure a whole fit and a whole prediction: time, where it goes, and memory.

    python benchmarks/bench_estimator.py                 # writes benchmarks/results/estimator.json
    python benchmarks/bench_estimator.py --quick         # a hundredth of the rows, only prints
    python benchmarks/bench_estimator.py --breakdown     # stages of fits, beside other methods
    python benchmarks/bench_estimator.py --breakdown --before PATH  # and another checkout's time
    python benchmarks/bench_estimator.py --predictions --before PATH  # both, in turns

The breakdown (`fit_breakdown.py`) is kept in benchmarks/results/fit_breakdown.json, that of
predictions (`predict_ratio.py`) in benchmarks/results/predict_ratio.json.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from pathlib import Path

import fit_breakdown
import predict_ratio

RESULTS = Path(__file__).parent / "results" / "estimator.json"
STAGES = RESULTS.with_name("fit_breakdown.json")
RATIOS = RESULTS.with_name("predict_ratio.json")


def peak_mb() -> float:
    """Largest resident memory of this process so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def make(n_rows: int, n_columns: int):
    """Draw two overlapping groups of rows, of which 30 % of the first are labeled."""
    import numpy as np

    from pulps import hide_labels

    rng = np.random.default_rng(0)
    y_true = rng.random(n_rows) < 0.5
    X = rng.standard_normal((n_rows, n_columns)) + y_true[:, None]
    return X, hide_labels(y_true, label_frequency=0.3, random_state=0)


def fit(n_rows: int, n_columns: int) -> dict:
    """Fit with default settings."""
    from pulps import LPSClassifier

    X, y = make(n_rows, n_columns)
    before, start = peak_mb(), time.perf_counter()
    model = LPSClassifier(random_state=0).fit(X, y)
    seconds = time.perf_counter() - start
    return {
        "what": f"fit {n_rows} × {n_columns}, {len(model.members_)} members, "
        f"{model.n_iter_} epochs",
        "seconds": seconds,
        "peak_mb": peak_mb(),
        "beyond_input_mb": peak_mb() - before,
    }


def predict(n_rows: int, n_columns: int) -> dict:
    """Predict many rows with a model of default size."""
    from pulps import LPSClassifier

    X, y = make(1000, n_columns)
    model = LPSClassifier(max_epochs=20, random_state=0).fit(X, y)
    X, _ = make(n_rows, n_columns)
    before, start = peak_mb(), time.perf_counter()
    model.predict(X)
    seconds = time.perf_counter() - start
    return {
        "what": f"predict {n_rows} × {n_columns}, {len(model.members_)} members",
        "seconds": seconds,
        "peak_mb": peak_mb(),
        "beyond_input_mb": peak_mb() - before,
    }


TASKS = {"fit": fit, "predict": predict}
SIZES = [("fit", 4140, 57), ("predict", 100_000, 20), ("predict", 1_000_000, 20)]


def measure(task: str, n_rows: int, n_columns: int) -> dict:
    """Measure in a process of its own, whose peak of memory is that of the task."""
    sizes = ["--rows", str(n_rows), "--columns", str(n_columns)]
    command = [sys.executable, __file__, "--only", task, *sizes]
    run = subprocess.run(command, check=True, capture_output=True, text=True)
    return json.loads(run.stdout)


def break_down(options: argparse.Namespace) -> None:
    """Print the stages of fits; keep them unless it is a quick run."""
    sizes = fit_breakdown.SIZES + (fit_breakdown.LARGE_SIZES if options.large else [])
    sizes = sizes[:1] if options.quick else sizes
    figures = fit_breakdown.measure(
        sizes, options.before, options.rounds, options.epochs or "auto", options.threads
    )
    if not options.quick:
        STAGES.parent.mkdir(parents=True, exist_ok=True)
        STAGES.write_text(json.dumps(figures, indent=2) + "\n")


def compare_predictions(options: argparse.Namespace) -> None:
    """Print times and memory of predictions; keep them unless it is a quick run."""
    sizes = [(10_000 if options.quick else options.rows or 1_000_000, options.columns or 20)]
    figures = predict_ratio.measure(sizes, options.before, options.rounds, options.threads)
    if not options.quick:
        RATIOS.parent.mkdir(parents=True, exist_ok=True)
        RATIOS.write_text(json.dumps(figures, indent=2) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a hundredth of the rows")
    parser.add_argument("--only", choices=TASKS, help=argparse.SUPPRESS)
    parser.add_argument("--rows", type=int, help="rows to predict")
    parser.add_argument("--columns", type=int, help="columns to predict")
    parser.add_argument("--breakdown", action="store_true", help="only the stages of fits")
    parser.add_argument("--predictions", action="store_true", help="only predictions, in turns")
    parser.add_argument("--large", action="store_true", help="10,000 × 30 and 100,000 × 20 too")
    parser.add_argument("--before", type=Path, help="a built checkout to compare with")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument(
        "--epochs", type=int, help="of our fits; the default is that of the method"
    )
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    if options.only:
        print(json.dumps(TASKS[options.only](options.rows, options.columns)))
        return
    if options.breakdown or options.predictions:
        (break_down if options.breakdown else compare_predictions)(options)
        return
    figures = []
    for task, n_rows, n_columns in SIZES:
        n_rows = max(200, n_rows // 100) if options.quick else n_rows
        figures.append(measure(task, n_rows, n_columns))
        print(figures[-1], flush=True)
    if not options.quick:
        RESULTS.parent.mkdir(parents=True, exist_ok=True)
        RESULTS.write_text(json.dumps(figures, indent=2) + "\n")


if __name__ == "__main__":
    main()
