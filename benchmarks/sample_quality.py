"""How good are generated rows? Two tests on the three point sets, stored as JSON.

    python benchmarks/sample_quality.py                     # all presets, one seed
    python benchmarks/sample_quality.py --presets generative --seeds 0-4

Stop it at any time; what is in the file is not measured again. A thousand generated rows of
each class are compared with a thousand fresh real ones:

* the accuracy of gradient boosting that tries to tell them apart (5 folds; 0.5 is perfect),
* the sliced Wasserstein distance, over that between two fresh real samples.

"Real" has two readings. The samples of scikit-learn are not independent rows on moons and
circles: their angles are equally spaced, so two of them are closer to each other than
independent samples ever are. The distance is therefore taken to these, and also to rows drawn
one by one from a large table. Rows are generated independently and evenly. Two more samples are
put to the test: the rows the model has seen, since no model can be expected to know more than
these, and independent rows of the true distribution.
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
from pulps.benchmark.provenance import commit
from pulps.cli.benchmark import names, numbers
from pulps.datasets import make_toy
from pulps.training.loss import LossWeights

RESULTS = Path(__file__).parent / "results" / "sample_quality.json"
PAGE = Path(__file__).parent.parent / "docs" / "sampling.md"
MARKS = ("<!-- written by benchmarks/sample_quality.py -->", "<!-- end -->")
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
    "one-site": (
        lambda name, seed: LPSClassifier.from_parameters(**SMALL, random_state=seed),
        0.0,
    ),
    "far-sphere": (
        lambda name, seed: LPSClassifier.from_parameters(
            **SMALL, loss_weights=FAR, random_state=seed
        ),
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


def independent_rows(name: str, y: int, seed: int) -> np.ndarray:
    """Draw a thousand independent rows of a class."""
    toy = make_toy(name, n_rows=200 * N_ROWS, random_state=20_000 + seed)
    rows = toy.X.to_numpy()[toy.y_true == y]
    return rows[np.random.RandomState(seed).choice(len(rows), N_ROWS, replace=False)]


def distance_ratio(rows: np.ndarray, real: list[np.ndarray]) -> float:
    """Mean distance to real samples, over that between them."""
    between = np.mean([sliced_wasserstein(a, b) for a, b in combinations(real, 2)])
    return float(np.mean([sliced_wasserstein(rows, other) for other in real]) / between)


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
        drawn = [independent_rows(name, y, 10 * seed + i) for i in range(5)]
        seen = toy.X.to_numpy()[toy.y_true == y]
        figure = {
            "preset": preset,
            "set": name,
            "seed": seed,
            "class": "positive" if y else "negative",
            "accuracy": float((model.predict(toy.X) == toy.y_true).mean()),
            "accept": accept,
            "fit_seconds": fit_seconds,
            "commit": commit(),
            "training_rows_distance_ratio": distance_ratio(seen, real),
            "training_rows_independent_ratio": distance_ratio(seen, drawn[1:]),
            "true_rows_distance_ratio": distance_ratio(drawn[0], real),
            "true_rows_independent_ratio": distance_ratio(drawn[0], drawn[1:]),
            "real_told_apart": told_apart(real[1], real[0]),
        }
        for even in (False, True):
            start = time.perf_counter()
            try:
                rows, report = model.sample(
                    N_ROWS,
                    y=y,
                    accept=accept,
                    even=even,
                    states=True,
                    random_state=seed,
                    return_report=True,
                )
            except ValueError as error:
                figures.append(figure | {"even": even, "error": str(error)})
                continue
            figures.append(
                figure
                | {
                    "even": even,
                    "acceptance": report.acceptance,
                    "method": report.method,
                    "sample_seconds": time.perf_counter() - start,
                    "told_apart": told_apart(rows.to_numpy(), real[0]),
                    "distance_ratio": distance_ratio(rows.to_numpy(), real),
                    "independent_ratio": distance_ratio(rows.to_numpy(), drawn[1:]),
                }
            )
    return figures


def page(figures: list[dict]) -> str:
    """Means over seeds as a Markdown table."""
    lines = [
        "| chains | set | class | draws | told apart | distance ratio | to independent rows "
        "| accepted | seeds |",
        "|---|---|---|---|---:|---:|---:|---:|---:|",
    ]
    groups: dict[tuple, list[dict]] = {}
    for f in figures:
        groups.setdefault((f["preset"], f["set"], f["class"], f["even"]), []).append(f)
    for (preset, name, side, even), group in groups.items():
        cells = [preset, name, side, "even" if even else "independent"]
        for key in ("told_apart", "distance_ratio", "independent_ratio", "acceptance"):
            values = [f[key] for f in group if key in f]
            cells.append(f"{np.mean(values):.2f}" if values else "–")
        lines.append(f"| {' | '.join(cells)} | {len(group)} |")
    for title, key in (
        ("the rows of the fit", "training_rows"),
        ("independent rows of the true distribution", "true_rows"),
    ):
        for name in SETS:
            group = [f for f in figures if f["set"] == name and not f["even"]]
            if group:
                means = [
                    np.mean([f[f"{key}_{ratio}_ratio"] for f in group])
                    for ratio in ("distance", "independent")
                ]
                ratios = " | ".join(f"{mean:.2f}" for mean in means)
                lines.append(f"| {title} | {name} | both | – | – | {ratios} | – | – |")
    commits = ", ".join(f"`{one[:12]}`" for one in dict.fromkeys(f["commit"] for f in figures))
    return "\n".join([*lines, "", f"Commit {commits}."])


def write_page(figures: list[dict]) -> None:
    """Put the table between the two marks of the page."""
    before, rest = PAGE.read_text().split(MARKS[0])
    after = rest.split(MARKS[1])[1]
    PAGE.write_text(f"{before}{MARKS[0]}\n{page(figures)}\n{MARKS[1]}{after}")


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
    write_page(figures)


if __name__ == "__main__":
    main()
