"""The figure of generated rows: the paper's three point sets, three ways to generate.

Models take minutes to train, so what they generate is stored next to the other results and
the figure is drawn from that.
"""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from pulps.datasets import make_toy
from pulps.displays import SampleDisplay
from pulps.estimators.tables.classifier import LPSClassifier
from pulps.io.optional import needs
from pulps.io.outputs import write_whole
from pulps.io.pictures import save_figure

SETS = ("moons", "blobs", "circles")
# The rows of the figure, and the log-ratio that every member must exceed to accept.
WAYS = {"paper": 20.0, "default": 0.0, "generative": 0.0}
TITLES = {
    "paper": "paper's states, accepted above 20",
    "default": "default states, accepted above 0",
    "generative": "generative preset, accepted above 0",
}
STORED_CLASSES = {"positive": 1, "negative": 0}  # under which key, as text, rows are stored
SEED = 0
N_SAMPLES = 500


def write_samples(
    results: Path, out: Path, suffixes: tuple[str, ...] = ("svg", "png")
) -> list[Path]:
    """Generate what is not yet stored, and draw the figure.

    Parameters
    ----------
    results
        Folder of the store.
    out
        Folder to write into.
    suffixes
        Kinds of files.

    Returns
    -------
    list of Path
        The files.
    """
    stored = results / "samples.json"
    drawn = json.loads(stored.read_text()) if stored.exists() else {}
    for way in WAYS:
        for name in SETS:
            if f"{way} {name}" not in drawn:
                drawn[f"{way} {name}"] = generate(way, name)
                results.mkdir(parents=True, exist_ok=True)
                write_whole(stored, json.dumps(drawn) + "\n")
    figure = draw(drawn)
    out.mkdir(parents=True, exist_ok=True)
    return [save_figure(figure, out / f"samples.{suffix}") for suffix in suffixes]


def generate(way: str, name: str) -> dict[str, Any]:
    """Fit a model and draw rows of both classes.

    Parameters
    ----------
    way
        One of ``WAYS``.
    name
        Name of a point set.

    Returns
    -------
    dict
        Accuracy, rows of each class and their smallest log-ratios.
    """
    toy = make_toy(name, random_state=SEED)  # type: ignore[arg-type]
    make = {
        "paper": lambda: LPSClassifier.from_paper(name, random_state=SEED),
        "default": lambda: LPSClassifier(random_state=SEED),
        "generative": lambda: LPSClassifier.generative(random_state=SEED),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = make[way]().fit(toy.X, toy.y)
    found: dict[str, Any] = {"accuracy": float((model.predict(toy.X) == toy.y_true).mean())}
    for y in STORED_CLASSES.values():
        rows = model.sample(N_SAMPLES, y=y, states=True, random_state=SEED)
        ratios = model.log_ratios(rows) * (1 if y else -1)
        found[str(y)] = {
            "rows": rows.round(3).to_numpy().tolist(),
            "ratios": ratios.min(axis=0).round(2).tolist(),
        }
    return found


def draw(drawn: dict[str, Any]) -> Any:
    """Draw training rows at the top, then one row of panels for each way to generate.

    Parameters
    ----------
    drawn
        From :func:`generate`, by way and name.

    Returns
    -------
    matplotlib.figure.Figure
        The figure.
    """
    with needs("plot", "Drawing"):
        from matplotlib.figure import Figure

    figure = Figure(figsize=(8.4, 11), layout="constrained")
    grid = figure.subplots(1 + len(WAYS), len(SETS))
    for column, name in enumerate(SETS):
        toy = make_toy(name, random_state=SEED)  # type: ignore[arg-type]
        for row, (way, accept) in enumerate(WAYS.items(), start=1):
            found = drawn[f"{way} {name}"]
            generated = {
                name: (
                    np.array(found[str(y)]["rows"]),
                    np.array(found[str(y)]["ratios"]) > accept,
                )
                for name, y in STORED_CLASSES.items()
            }
            display = SampleDisplay(toy.X.to_numpy(), toy.y == 1, generated, ("x1", "x2"))
            if row == 1:
                display.plot_training(grid[0, column])
                grid[0, column].set_title(f"{name}, training", fontsize=9)
            ax = grid[row, column]
            display.plot_generated(ax)
            ax.set(xlim=grid[0, column].get_xlim(), ylim=grid[0, column].get_ylim())
            shares = [generated[name][1].mean() for name in STORED_CLASSES]
            ax.set_title(
                f"{TITLES[way]}\n{shares[0]:.0%} of positives, {shares[1]:.0%} of negatives",
                fontsize=8,
            )
    for ax in grid.flat:
        ax.tick_params(labelsize=7)
        ax.set(xlabel="", ylabel="")
    handles = [*grid[0, 0].collections, *grid[1, 0].collections]
    figure.legend(handles=handles, loc="outside lower center", ncols=6, fontsize=7, frameon=False)
    return figure
