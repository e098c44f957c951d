"""How accurate after how long? The paper's image setting and ours, on one pair of digits.

    PULPS_DATA=path/to/data python benchmarks/image_budget.py

Trains both with a growing number of steps and one thread, on "mnist 2-3" with ten labels that
no reported score uses, stores accuracy and processor seconds, and draws them
(``docs/figures/image-budget.svg``). Stop it at any time; what is stored is not run again.

The paper's setting: 20 x 20 pixels, six cosines per pixel, bond dimension 20, an output every ten
sites, as many labeled images as others in a batch, rotation and zoom, no first guess.
"""

from __future__ import annotations

import json
import time
import warnings
from pathlib import Path

import torch

from pulps import LPSImageClassifier
from pulps.benchmark.protocol import Task, make_fold
from pulps.estimators.recipes.paper import paper_image_parameters
from pulps.io.pictures import save_figure

ROOT = Path(__file__).parent
RESULTS = ROOT / "results" / "image_budget.json"
FIGURE = ROOT.parent / "docs" / "figures" / "image-budget.svg"
TASK = Task("mnist 2-3", n_labeled=10, seed=100, fold_scheme="original", n_folds=1)
PAPER = paper_image_parameters() | {"n_members": 1}
ALONE = {"deskew": True, "first_guess": None}
OURS = {"deskew": True}
SETTINGS = {
    "paper": (PAPER, (47, 94, 188)),
    "ours without neighbors": (ALONE, (47, 94, 188, 282)),
    "ours": (OURS, (47, 94, 188, 282, 564)),
}


def main() -> None:
    """Run what is missing and draw."""
    torch.set_num_threads(1)
    stored = json.loads(RESULTS.read_text()) if RESULTS.exists() else []
    fold = make_fold(TASK)
    for name, (parameters, budgets) in SETTINGS.items():
        for steps in budgets:
            if any(row["setting"] == name and row["steps"] == steps for row in stored):
                continue
            model = LPSImageClassifier.from_parameters(
                **(parameters | {"n_steps": steps}), random_state=0
            )
            start = time.process_time()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                model.fit(fold.X, fold.y)
            seconds = time.process_time() - start
            accuracy = model.score(fold.X_test, fold.y_test)
            stored.append(
                {"setting": name, "steps": steps, "seconds": seconds, "accuracy": accuracy}
            )
            print(f"{name}, {steps} steps: {accuracy:.4f} after {seconds:.0f} s", flush=True)
            RESULTS.write_text(json.dumps(stored, indent=1) + "\n")
    draw(stored)


def draw(stored: list[dict]) -> None:
    """Accuracy against processor seconds, one line per setting."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5, 3.2), layout="constrained")
    ax = figure.subplots()
    for name in SETTINGS:
        rows = [row for row in stored if row["setting"] == name]
        ax.plot([r["seconds"] for r in rows], [r["accuracy"] for r in rows], "o-", label=name)
    ax.set_xscale("log")
    ax.set_xlabel("processor seconds of one fit")
    ax.set_ylabel("test accuracy")
    ax.set_title("MNIST 2 against 3, ten labeled images", fontsize=10)
    ax.legend(fontsize=8)
    save_figure(figure, FIGURE)


if __name__ == "__main__":
    main()
