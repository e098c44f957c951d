"""The paper's GANs on images, run here: accuracy against time, ours on the same axis.

    PULPS_DATA=path/to/data python benchmarks/image_gans.py

GenPU, PGAN, D-GAN, CGenPU and CGenPU-AC with small convolutional networks on three problems of
MNIST with 100 labels of set 0. Every method is fitted anew with twice as many updates each time,
until it has taken two minutes of one core altogether. Appends to ``results/image_gans.jsonl`` what
is missing there, draws ``docs/figures/image-gans.svg`` and writes ``docs/image_gans.md``. Stop it
at any time; what is stored is not run again. ``--page`` only writes the page.
"""

from __future__ import annotations

import json
import sys
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import torch

import pulps
from pulps import LPSImageClassifier
from pulps.baselines import (
    CGenPUACClassifier,
    CGenPUClassifier,
    DGANClassifier,
    GenPUClassifier,
    PGANClassifier,
)
from pulps.benchmark.protocol import Task, make_fold
from pulps.benchmark.published import load_published
from pulps.io.pictures import save_figure

ROOT = Path(__file__).parent
RESULTS = ROOT / "results" / "image_gans.jsonl"
FIGURE = ROOT.parent / "docs" / "figures" / "image-gans.svg"
PAGE = ROOT.parent / "docs" / "image_gans.md"
PROBLEMS = ("mnist 0-1", "mnist 3-5", "mnist 0-rest")
N_LABELED = 100
SECONDS = 120.0  # of one core, for all fits of a method on a problem
FIRST = 50  # updates, or steps of ours
TICKS = (5, 10, 20, 50, 100)  # seconds
OURS = "LPS (images)"
METHODS: dict[str, Any] = {
    OURS: lambda n, seed: LPSImageClassifier(deskew=True, n_steps=n, random_state=seed),
    "GenPU": lambda n, seed: GenPUClassifier(n_updates=n, prior=0.5, random_state=seed),
    "PGAN": lambda n, seed: PGANClassifier(n_updates=n, random_state=seed),
    "D-GAN": lambda n, seed: DGANClassifier(n_updates=n, random_state=seed),
    "CGenPU": lambda n, seed: CGenPUClassifier(n_updates=n, random_state=seed),
    "CGenPU-AC": lambda n, seed: CGenPUACClassifier(n_updates=n, random_state=seed),
}
ABOUT = """# The paper's GANs on images

Five methods that the paper compares itself with generate images to learn from. None has code
that could be run here, so they were written from what their papers say ([other
methods](guide/others.md); the notes of each class tell what is known and what was chosen), with
networks that two processor cores can train: a generator of noise, one dense layer and two
transposed convolutions of 64 and 32 channels, discriminators and classifiers of two convolutions
of 16 and 32 channels. The papers train larger ones on graphics cards for hours. Here every
method has **two minutes of one core** for each problem: it is fitted with {first} updates, then
anew with twice as many, and so on, while time is left. So these numbers say what the methods
reach with little computing, not what they can reach.

MNIST in its original split, both classes of one size, {n_labeled} labeled images (label set 0),
one run each. GenPU is told that half of the images are positive. Ours has doubled its steps in
the same way. Time is processor time of the whole fit, second stage included.
"""

NOTES = """
The fit with the most updates of each method (steps, for ours). Printed numbers: mean over all
pairs of digits, with 100 labels; 0 against the rest, with 50 labels. Beside ours stands the
paper's TN.

Where ours differ from the printed ones, three things do. Networks are smaller and updates fewer.
Rates and weights of losses, which the papers tune or do not tell, are the defaults of this library
for every problem. And PGAN takes what it generates for negative, which fails where half of the
unlabeled images are positive, the more so the better the generator is.

Written by `python benchmarks/image_gans.py`, which runs what is missing."""


def main() -> None:
    """Run what is missing, then write figure and page."""
    torch.set_num_threads(1)
    if "--page" not in sys.argv[1:]:
        for record in run(records()):
            with RESULTS.open("a", encoding="utf-8") as file:
                file.write(json.dumps(record) + "\n")
            print(record, flush=True)
    found = pd.DataFrame(records())
    draw(found)
    PAGE.write_text(page(found), encoding="utf-8")


def records() -> list[dict[str, Any]]:
    """Read the records of this version."""
    if not RESULTS.exists():
        return []
    lines = map(json.loads, RESULTS.read_text(encoding="utf-8").splitlines())
    return [line for line in lines if line["version"] == pulps.__version__]


def run(done: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Fit every method with more and more updates, while there is time."""
    for problem in PROBLEMS:
        task = Task(problem, n_labeled=N_LABELED, fold_scheme="original", n_folds=1)
        fold = make_fold(task)
        for name, make in METHODS.items():
            fits = [r for r in done if r["problem"] == problem and r["method"] == name]
            spent = [fit["seconds"] for fit in fits]
            updates = max((2 * fit["updates"] for fit in fits), default=FIRST)
            while sum(spent) + 1.5 * max(spent, default=0.0) < SECONDS:
                model, start = make(updates, task.model_seed), time.process_time()
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    model.fit(fold.X, fold.y)
                spent.append(time.process_time() - start)
                yield {
                    "version": pulps.__version__,
                    "problem": problem,
                    "method": name,
                    "updates": updates,
                    "seconds": round(spent[-1], 2),
                    "accuracy": round(float(model.score(fold.X_test, fold.y_test)), 4),
                }
                updates *= 2


def draw(found: pd.DataFrame) -> None:
    """Accuracy against processor seconds, one panel per problem."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 3.2), layout="constrained")
    axes = figure.subplots(1, len(PROBLEMS), sharey=True)
    for ax, problem in zip(axes, PROBLEMS, strict=True):
        for name in METHODS:
            rows = found[(found["problem"] == problem) & (found["method"] == name)]
            style = {"color": "black", "linewidth": 2} if name == OURS else {"linewidth": 1}
            ax.plot(rows["seconds"], rows["accuracy"], "o-", markersize=3, label=name, **style)
        ax.set_xscale("log")
        ax.set_xticks(TICKS, map(str, TICKS))
        ax.minorticks_off()
        ax.set_title(problem.replace("mnist", "MNIST"), fontsize=10)
        ax.set_xlabel("processor seconds of one fit", fontsize=8)
        ax.tick_params(labelsize=7)
    axes[0].set_ylabel("test accuracy", fontsize=8)
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside right", fontsize=8)
    save_figure(figure, FIGURE)


def page(found: pd.DataFrame) -> str:
    """Write the page: the figure, and the last fit of every method beside printed numbers."""
    lines = [
        ABOUT.format(first=FIRST, n_labeled=N_LABELED),
        "![Test accuracy against processor seconds](figures/image-gans.svg)\n",
        "| | " + " | ".join(p.removeprefix("mnist ") for p in PROBLEMS) + " | updates | "
        "paper, pairs, 100 labels | paper, 0-rest, 50 labels |",
        "|---" * (len(PROBLEMS) + 4) + "|",
    ]
    for name in METHODS:
        rows = found[found["method"] == name].sort_values("updates")
        last = rows.groupby("problem").last() if len(rows) else pd.DataFrame()
        cells = [f"{last.accuracy[p]:.3f}" if p in last.index else "–" for p in PROBLEMS]
        counts = sorted(set(last["updates"])) if len(last) else []
        updates = " to ".join(map(str, counts[:1] + counts[1:][-1:])) or "–"
        told = [printed(name, kind) for kind in ("mnist_one_vs_one", "mnist_one_vs_rest")]
        lines.append(f"| {name} | " + " | ".join([*cells, updates, *told]) + " |")
    missing = [p for p in PROBLEMS if set(METHODS) - set(found[found["problem"] == p]["method"])]
    if missing:
        lines.append(f"\n**Not complete:** methods are missing on {', '.join(missing)}.")
    lines.append(NOTES)
    return "\n".join(lines) + "\n"


def printed(name: str, table: str) -> str:
    """Look up the accuracy that the paper prints for a method."""
    cells = load_published(table)
    cells = cells[cells["method"] == ("TN" if name == OURS else name)]
    if table == "mnist_one_vs_rest":
        cells = cells[cells["digit"] == "0"]
    found = cells.sort_values("n_labeled")["value"]
    return f"{found.iloc[-1]:.2f}" if len(found) else "–"


if __name__ == "__main__":
    main()
