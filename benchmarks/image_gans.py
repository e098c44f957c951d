"""The paper's GANs on images, run here: accuracy against time, ours on the same axis.

    PULPS_DATA=path/to/data python benchmarks/image_gans.py

GenPU, PGAN, D-GAN, CGenPU and CGenPU-AC with small convolutional networks on three problems of
MNIST with 100 labels of set 0. A callback ends each game when its time is over: after seconds,
minutes and a quarter of an hour of one core, each time from the start. Ours takes its default of
steps and less. Appends to ``results/image_gans.jsonl`` what is missing there, draws
``docs/figures/image-gans.svg`` and writes ``docs/image_gans.md``. Stop it at any time; what
is stored is not run again. ``--page`` only writes the page, ``--problems 3-5,0-1`` and
``--methods PGAN`` run some. All of it is four hours of one core.
"""

from __future__ import annotations

import json
import time
import warnings
from argparse import ArgumentParser
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import torch
from torch import nn

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
PROBLEMS = {  # seconds of one core that the games last
    "3-5": (18.75, 75, 300, 900),
    "0-rest": (11.25, 45, 180, 900),
    "0-1": (7.5, 30, 120, 900),
}
N_LABELED = 100
STEPS = (100, 400, 1600)  # of ours
ENDLESS = 10**7  # updates: the callback ends the game
TICKS = (5, 20, 100, 400, 1000)  # seconds
OURS = "LPS (images)"
GANS: dict[str, Any] = {
    "GenPU": partial(GenPUClassifier, prior=0.5),
    "PGAN": PGANClassifier,
    "D-GAN": DGANClassifier,
    "CGenPU": CGenPUClassifier,
    "CGenPU-AC": CGenPUACClassifier,
}
METHODS = (OURS, *GANS)
ABOUT = """# The paper's GANs on images

Five methods that the paper compares itself with generate images to learn from. None has code
that could be run here, so they were written from what their papers say ([other
methods](guide/others.md); the notes of each class tell what is known and what was chosen), with
networks that two processor cores can train: a generator of noise, one dense layer and two
transposed convolutions of 64 and 32 channels; discriminators that mirror it, two convolutions
with a stride, of 16 and 32 channels; classifiers of the second stage with two convolutions and
pooling, of 16 and 32 channels. The papers train larger ones on graphics cards for hours. Here
every method plays for **minutes of one core**, at most {minutes}; shorter games, each from
the start, show the way there.

MNIST in its original split, both classes of one size, {n_labeled} labeled images (label set 0),
one run each. GenPU is told that half of the images are positive. Ours has its default of steps,
a fourth and a sixteenth. Time is processor time of the whole fit, second stage included.
"""

NOTES = """
The fit with the most updates of each method (steps, for ours). Printed numbers: mean over all
pairs of digits, with 100 labels; 0 against the rest, with 50 labels. Beside ours stands the
paper's TN.

Where ours differ from the printed ones, three things do. Networks are smaller and updates fewer:
GenPU and CGenPU still gain when the time is over. Rates and weights of losses, which the papers
tune or do not tell, are the defaults of this library for every problem. And PGAN and D-GAN take
what they generate for negative, which fails where half of the unlabeled images are positive, the
more so the better the generator is: both are best after a minute and a half at most and fall from
there, on all three problems, which nobody without negatives would see.

Written by `python benchmarks/image_gans.py`, which runs what is missing."""


class TimeIsOver:
    """A callback that ends a game after so many processor seconds."""

    def __init__(self, seconds: float):
        self.seconds = seconds

    def setup(self, estimator: Any, context: Any) -> None:
        """Begin to count."""
        self.start = time.process_time()

    def teardown(self, estimator: Any, context: Any) -> None:
        """Do nothing at the end of the fit."""

    def on_fit_task_begin(self, estimator: Any, context: Any) -> None:
        """Do nothing before a hundred updates."""

    def on_fit_task_end(self, estimator: Any, context: Any) -> bool:
        """Ask to stop when the time is over."""
        return time.process_time() - self.start > self.seconds


def main() -> None:
    """Run what is missing, then write figure and page."""
    torch.set_num_threads(1)
    parser = ArgumentParser(description="The paper's GANs on images.")
    parser.add_argument("--page", action="store_true", help="write figure and page only")
    parser.add_argument("--problems", default=",".join(PROBLEMS), help="with commas between")
    parser.add_argument("--methods", default=",".join(METHODS), help="with commas between")
    options = parser.parse_args()
    for problem in () if options.page else options.problems.split(","):
        for record in run(problem, options.methods.split(","), records()):
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


def run(problem: str, methods: list[str], done: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Fit methods for short times, longer ones and the whole time, if that is not done."""
    task = Task(f"mnist {problem}", n_labeled=N_LABELED, fold_scheme="original", n_folds=1)
    fold = make_fold(task)
    known = {(r["problem"], r["method"], r["size"]) for r in done}
    for name in methods:
        for size in STEPS if name == OURS else PROBLEMS[problem]:
            if (problem, name, size) in known:
                continue
            model, start = make(name, size, task.model_seed), time.process_time()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                model.fit(fold.X, fold.y)
            yield {
                "version": pulps.__version__,
                "problem": problem,
                "method": name,
                "size": size,
                "updates": size if name == OURS else model.n_iter_,
                "seconds": round(time.process_time() - start, 2),
                "accuracy": round(float(model.score(fold.X_test, fold.y_test)), 4),
            }


def make(name: str, size: float, seed: int) -> Any:
    """Make a model that trains for so many seconds, or steps of ours."""
    if name == OURS:
        return LPSImageClassifier(deskew=True, n_steps=int(size), random_state=seed)
    model = GANS[name](n_updates=ENDLESS, discriminator=with_strides, random_state=seed)
    return model.set_callbacks(TimeIsOver(size))


def with_strides(shape: tuple[int, ...]) -> nn.Module:
    """Build a discriminator: two convolutions with a stride, as in DCGAN."""
    channels, height, width = shape
    return nn.Sequential(
        nn.Conv2d(channels, 16, 4, stride=2, padding=1),
        nn.LeakyReLU(0.2),
        nn.Conv2d(16, 32, 4, stride=2, padding=1),
        nn.LeakyReLU(0.2),
        nn.Flatten(),
        nn.Linear(32 * (height // 4) * (width // 4), 1),
    )


def draw(found: pd.DataFrame) -> None:
    """Accuracy against processor seconds, one panel per problem."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 3.2), layout="constrained")
    axes = figure.subplots(1, len(PROBLEMS), sharey=True)
    for ax, problem in zip(axes, PROBLEMS, strict=True):
        for name in METHODS:
            rows = found[(found["problem"] == problem) & (found["method"] == name)]
            style = {"color": "black", "linewidth": 2} if name == OURS else {"linewidth": 1}
            rows = rows.sort_values("seconds")
            ax.plot(rows["seconds"], rows["accuracy"], "o-", markersize=3, label=name, **style)
        ax.set_xscale("log")
        ax.set_xticks(TICKS, map(str, TICKS))
        ax.minorticks_off()
        ax.set_title(f"MNIST {problem}", fontsize=10)
        ax.set_xlabel("processor seconds of one fit", fontsize=8)
        ax.tick_params(labelsize=7)
    axes[0].set_ylabel("test accuracy", fontsize=8)
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside right", fontsize=8)
    save_figure(figure, FIGURE)


def page(found: pd.DataFrame) -> str:
    """Write the page: the figure, and the last fit of every method beside printed numbers."""
    longest = found[found["method"] != OURS].groupby("problem")["size"].max() / 60
    minutes = ", ".join(f"{longest[name]:.0f} on {name}" for name in PROBLEMS if name in longest)
    lines = [
        ABOUT.format(minutes=minutes, n_labeled=N_LABELED),
        "![Test accuracy against processor seconds](figures/image-gans.svg)\n",
        "| | " + " | ".join(PROBLEMS) + " | updates | "
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
    done = set(zip(found["problem"], found["method"], found["size"], strict=True))
    missing = [
        f"{name} on {problem}"
        for problem, games in PROBLEMS.items()
        for name in METHODS
        if (problem, name, max(STEPS if name == OURS else games)) not in done
    ]
    if missing:
        lines.append(
            f"\n**Not complete:** the longest planned fit has not run yet of "
            f"{', '.join(missing)}; the row has what the longest so far reached."
        )
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
