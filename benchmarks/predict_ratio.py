"""Measure predictions of this checkout and of another one, in turns: time and memory.

    python benchmarks/bench_estimator.py --predictions --before PATH

Each checkout has a process of its own (`worker.py`), which fits a model of default size once and
then predicts the same rows whenever it is asked. The ratio is that of processor times, a median
over rounds. Memory is the largest resident size during a prediction beyond that before it.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import time
import warnings
from pathlib import Path

from worker import Worker

HERE = Path(__file__).parents[1]
STATUS, CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")


def resident_mb(field: str) -> float:
    """Read a size of this process: VmRSS is that of now, VmHWM the largest so far; Linux alone."""
    for line in STATUS.read_text().splitlines():
        if line.startswith(field):
            return int(line.split()[1]) / 1024
    return float("nan")


def serve() -> None:
    """Answer requests: predict so many rows; tell the seconds and the memory."""
    warnings.simplefilter("ignore")
    import torch
    from bench_estimator import make

    from pulps import LPSClassifier

    torch.set_num_threads(int(os.environ["OMP_NUM_THREADS"]))
    models, tables = {}, {}
    for line in sys.stdin:
        request = json.loads(line)
        n_rows, n_columns = size = request["rows"], request["columns"]
        if n_columns not in models:
            X, y = make(1000, n_columns)
            models[n_columns] = LPSClassifier(max_epochs=20, random_state=0).fit(X, y)
        if size not in tables:
            tables = {size: make(n_rows, n_columns)[0]}
        model, X = models[n_columns], tables[size]
        if CLEAR.exists():
            CLEAR.write_text("5")  # the largest size so far is forgotten
        before, wall, cpu = resident_mb("VmRSS"), time.perf_counter(), time.process_time()
        predicted = getattr(model, request["method"])(X)
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        answer = {"seconds": wall, "cpu": cpu, "mb": resident_mb("VmHWM") - before}
        print(json.dumps(answer | {"positive": float((predicted > 0).mean())}), flush=True)


def measure(
    sizes: list[tuple[int, int]],
    before: Path | None,
    rounds: int,
    threads: int,
    methods: tuple[str, ...] = ("predict", "decision_function"),
) -> list[dict]:
    """Print and return a dict per size and method: medians over rounds of taking turns."""
    checkouts = {"now": HERE} | ({} if before is None else {"before": before})
    workers = {name: Worker(path, threads, __file__) for name, path in checkouts.items()}
    figures = []
    for n_rows, n_columns in sizes:
        for method in methods:
            asked = {"rows": n_rows, "columns": n_columns, "method": method}
            for worker in workers.values():
                worker.ask(**asked | {"rows": 5000})
            answers = [
                {name: worker.ask(**asked) for name, worker in workers.items()}
                for _ in range(rounds)
            ]
            figures.append(asked | {"threads": threads} | summary(answers))
            print(figures[-1], flush=True)
    for worker in workers.values():
        worker.close()
    return figures


def summary(answers: list[dict]) -> dict:
    """Medians of the rounds, and the median ratio of processor times, ours over theirs."""
    found: dict = {
        name: {key: statistics.median(turn[name][key] for turn in answers) for key in answer}
        for name, answer in answers[0].items()
    }
    if "before" in found:
        ratios = [turn["now"]["cpu"] / turn["before"]["cpu"] for turn in answers]
        found["ratio"] = statistics.median(ratios)
    return found


if __name__ == "__main__":
    serve()
