"""Measure how often "labels look random" is doubted, where they are and where they are not.

    python benchmarks/random_labels.py            # 200 + 200 + 100 + 100 simulations
    python benchmarks/random_labels.py --show     # only prints

Five populations of 400 rows with known classes. Labels are given at random among the positives
("scar"), or mostly along one direction ("sar"); the share of positives is learned or given. Each
simulation makes one line of ``results/random_labels.jsonl``; what is there is not run again.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.datasets import make_moons

from pulps import PUClassifier, hide_labels
from pulps.benchmark import provenance
from pulps.benchmark.store import Store
from pulps.decision.random_labels import labels_look_random

RESULTS = Path(__file__).parent / "results" / "random_labels.jsonl"
POPULATIONS = ("far apart", "near", "rare", "moons", "three of six columns")
SEEDS = {"scar": 40, "sar": 20}
N_ROWS = 400


def population(name: str, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Draw rows and the truth."""
    rng = np.random.RandomState(seed)
    if name == "moons":
        return make_moons(N_ROWS, noise=0.2, random_state=seed)
    share, shift, n_columns, n_used = {
        "far apart": (0.4, 3.0, 4, 4),
        "near": (0.4, 0.8, 4, 4),
        "rare": (0.15, 1.5, 4, 4),
        "three of six columns": (0.6, 1.3, 6, 3),
    }[name]
    truth = (rng.rand(N_ROWS) < share).astype(int)
    moved = shift * truth[:, None] * (np.arange(n_columns) < n_used)
    return rng.normal(size=(N_ROWS, n_columns)) + moved, truth


def measure(name: str, seed: int, mechanism: str, prior: str) -> dict[str, Any]:
    """Label, fit and test once."""
    X, truth = population(name, seed)
    y = hide_labels(truth, label_frequency=0.4, mechanism=mechanism, X=X, random_state=seed)
    known = "learn" if prior == "learned" else float(truth.mean())
    model = PUClassifier(views=["kernel"], prior=known, random_state=0).fit(X, y)
    probability = model.predict_proba(X)[:, 1]
    called = probability > 0.5
    hidden = called & (y == 0)
    precision = float(probability[hidden].mean()) if hidden.any() else 0.0
    found = labels_look_random(model.encode(X), y == 1, called, precision=precision)
    return {
        "task": f"{name}/{mechanism}/{prior}/seed{seed}",
        "method": "labels_look_random",
        "version": provenance.version(),
        "commit": provenance.commit(),
        "population": name,
        "mechanism": mechanism,
        "prior": prior,
        "p_value": None if found is None else found.p_value,
        "effect": None if found is None else found.effect,
        "doubted": found is not None and not found.look_random,
        "precision": precision,
        "true_precision": float(truth[hidden].mean()) if hidden.any() else None,
        "error": None,
    }


def run(store: Store) -> Iterator[dict[str, Any]]:
    """Measure and store what is missing."""
    there = store.keys()
    for mechanism, n_seeds in SEEDS.items():
        for prior in ("learned", "given"):
            for name in POPULATIONS:
                for seed in range(n_seeds):
                    key = f"{name}/{mechanism}/{prior}/seed{seed}"
                    if (key, "labels_look_random", provenance.version()) not in there:
                        record = measure(name, seed, mechanism, prior)
                        store.append(record)
                        yield record


def summarize(records: Sequence[dict[str, Any]]) -> pd.DataFrame:
    """Share of the simulations in which labels are doubted."""
    frame = pd.DataFrame(records)
    doubted = frame.groupby(["mechanism", "prior", "population"])["doubted"].mean()
    table = doubted.unstack("population")[list(POPULATIONS)]
    table["all"] = frame.groupby(["mechanism", "prior"])["doubted"].mean()
    table["simulations"] = frame.groupby(["mechanism", "prior"]).size()
    return table


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--store", default=RESULTS, type=Path)
    parser.add_argument("--show", action="store_true", help="run nothing")
    options = parser.parse_args(arguments)
    with Store(options.store) as store:
        if not options.show:
            for record in run(store):
                print(record["task"], record["p_value"], record["doubted"], flush=True)
        records = store.records()
    print(summarize(records).round(3).to_string())


if __name__ == "__main__":
    main()
