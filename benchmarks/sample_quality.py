"""How good are generated rows? Two tests on the three point sets, stored as JSON.

    python benchmarks/sample_quality.py                     # all presets, one seed
    python benchmarks/sample_quality.py --presets generative --seeds 0-4

Stop it at any time; what is in the file is not measured again. A thousand generated rows of
each class are compared with a thousand fresh real ones:

* the accuracy of gradient boosting that tries to tell them apart (5 folds; 0.5 is perfect),
* the sliced Wasserstein distance, over that between two fresh real samples. The rows the
  model has seen are put to the same test: no model can be expected to know more than these.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from itertools import combinations
from pathlib import Path

import numpy as np

from pulps import LPSClassifier
from pulps.benchmark.cli import names, numbers
from pulps.datasets import make_toy
from pulps.loss import LossWeights

RESULTS = Path(__file__).parent / "results" / "sample_quality.json"
SETS = ("moons", "blobs", "circles")
N_ROWS = 1000
SMALL = {"n_repeats": 1, "feature_dim": 12, "bond_dim": 12, "spacing": 1}
FAR = LossWeights(
    labeled_own=0.02,
    positive_own=0.02,
    negative_own=0.02,
    labeled_other=0.002,
    positive_other=0.002,
    negative_other=0.002,
    balance=0.002,
    sphere=50.0,
)
PRESETS = {
    # name: how to make the model, and the log-ratio that every member must exceed
    "paper": (lambda name, seed: LPSClassifier.from_paper(name, random_state=seed), 20.0),
    "default": (lambda name, seed: LPSClassifier(random_state=seed), 0.0),
    "one-site": (lambda name, seed: LPSClassifier(**SMALL, random_state=seed), 0.0),
    "far-sphere": (
        lambda name, seed: LPSClassifier(**SMALL, loss_weights=FAR, random_state=seed),
        0.0,
    ),
    "generative": (lambda name, seed: LPSClassifier.generative(random_state=seed), 0.0),
}


def told_apart(first: np.ndarray, second: np.ndarray) -> float:
    """Accuracy of gradient boosting in telling two samples apart."""
    from sklearn.ensemble import GradientBoostingClassifier
    from sklearn.model_selection import StratifiedKFold, cross_val_score

    X = np.concatenate([first, second])
    y = np.repeat([0, 1], [len(first), len(second)])
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    return float(
        cross_val_score(GradientBoostingClassifier(random_state=0), X, y, cv=folds).mean()
    )


def sliced_wasserstein(first: np.ndarray, second: np.ndarray) -> float:
    """Mean distance of quantile functions over 200 directions."""
    angles = np.pi * (np.arange(200) + 0.5) / 200
    directions = np.stack([np.cos(angles), np.sin(angles)])
    levels = (np.arange(N_ROWS) + 0.5) / N_ROWS
    quantiles = [np.quantile(rows @ directions, levels, axis=0) for rows in (first, second)]
    return float(np.abs(quantiles[0] - quantiles[1]).mean())


def real_rows(name: str, y: int, seed: int) -> np.ndarray:
    """Draw a thousand fresh rows of a class."""
    toy = make_toy(name, n_rows=2 * N_ROWS, random_state=seed)
    return toy.X.to_numpy()[toy.y_true == y]


def measure(preset: str, name: str, seed: int) -> list[dict]:
    """Fit a preset and test both classes."""
    make, accept = PRESETS[preset]
    toy = make_toy(name, random_state=seed)
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = make(name, seed).fit(toy.X, toy.y)
    fit_seconds = time.perf_counter() - start
    figures = []
    for y in (1, 0):
        real = [real_rows(name, y, 10_000 + 10 * seed + i) for i in range(4)]
        between_real = np.mean([sliced_wasserstein(a, b) for a, b in combinations(real, 2)])
        seen = toy.X.to_numpy()[toy.y_true == y]
        start = time.perf_counter()
        figure = {
            "preset": preset,
            "set": name,
            "seed": seed,
            "class": "positive" if y else "negative",
            "accuracy": float((model.predict(toy.X) == toy.y_true).mean()),
            "accept": accept,
            "fit_seconds": fit_seconds,
            "training_rows_distance_ratio": float(
                np.mean([sliced_wasserstein(seen, rows) for rows in real]) / between_real
            ),
        }
        try:
            rows, report = model.sample(
                N_ROWS, y=y, accept=accept, random_state=seed, return_report=True
            )
        except ValueError as error:
            figures.append(figure | {"error": str(error)})
            continue
        rows = rows.to_numpy()
        figures.append(
            figure
            | {
                "acceptance": report.acceptance,
                "method": report.method,
                "sample_seconds": time.perf_counter() - start,
                "told_apart": told_apart(rows, real[0]),
                "real_told_apart": told_apart(real[1], real[0]),
                "distance_ratio": float(
                    np.mean([sliced_wasserstein(rows, other) for other in real]) / between_real
                ),
            }
        )
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--presets", default=",".join(PRESETS))
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--seeds", default="0")
    options = parser.parse_args()
    figures = json.loads(RESULTS.read_text()) if RESULTS.exists() else []
    done = {(figure["preset"], figure["set"], figure["seed"]) for figure in figures}
    for seed in numbers(options.seeds):
        for preset in names(options.presets):
            for name in names(options.sets):
                if (preset, name, seed) in done:
                    continue
                new = measure(preset, name, seed)
                figures += new
                RESULTS.write_text(json.dumps(figures, indent=1) + "\n")
                for figure in new:
                    print(figure, flush=True)


if __name__ == "__main__":
    main()
