"""Generated digits: a picture, whether they are recognized, and whether they are copies.

    PULPS_DATA=path/to/data python benchmarks/image_samples.py

Fits five pairs of MNIST, 0-1 to 8-9, with a hundred labeled images of the first digit (a label
set that no reported score uses) and chains that generate both classes, so that all ten digits are
drawn by models that were told of five. A classifier trained on the real, labeled training images
of all digits names what was drawn. Of every draw the nearest training image of its digit is found,
by the number of codes that differ; a copy would differ in none.

Writes ``results/image_samples.json``, ``results/image_samples.npz`` (some of the draws) and
``docs/figures/image-samples.png``. Pairs that are there are not run again; ``--draw`` runs none.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import torch
from sklearn.neural_network import MLPClassifier

import pulps
from pulps import LPSImageClassifier
from pulps.benchmark.protocol import Task, make_fold
from pulps.datasets.images import load_images
from pulps.estimators.images.density import ImageLikelihoodRecipe
from pulps.images import resize, upright
from pulps.io.pictures import save_figure

ROOT = Path(__file__).parent
RESULTS = ROOT / "results" / "image_samples.json"
DRAWN = ROOT / "results" / "image_samples.npz"
FIGURE = ROOT.parent / "docs" / "figures" / "image-samples.png"
PAIRS = tuple((digit, digit + 1) for digit in range(0, 10, 2))
N_DRAWN, N_SHOWN, N_COMPLETED = 200, 8, 3
SIZE = 24


def main() -> None:
    """Run what is missing, then draw."""
    torch.set_num_threads(1)
    stored = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    shown = dict(np.load(DRAWN)) if DRAWN.exists() else {}
    if "--draw" not in sys.argv[1:]:
        judge, stored["judge"] = trained_judge()
        for pair in PAIRS:
            if str(pair[0]) not in stored:
                measured, pictures = measure(pair, judge)
                stored |= measured
                shown |= pictures
                RESULTS.write_text(json.dumps(stored, indent=1) + "\n")
                np.savez_compressed(DRAWN, **shown)
                print(measured, flush=True)
    digits = [stored[str(digit)] for digit in range(10) if str(digit) in stored]
    share = np.mean([digit["recognized"] for digit in digits])
    print(f"{len(digits)} digits, {share:.3f} of the draws recognized; judge {stored['judge']}")
    picture(shown)


def seen_by_chains(images: np.ndarray) -> torch.Tensor:
    """Set images upright and bring them to size, as the classifier does."""
    return resize(upright(torch.as_tensor(images).float() / 255), SIZE).clamp(0, 1)


def trained_judge() -> tuple[MLPClassifier, float]:
    """Train a perceptron on all real digits; return its test accuracy, too."""
    data = load_images("mnist")
    judge = MLPClassifier((256,), early_stopping=True, max_iter=12, random_state=0)
    judge.fit(seen_by_chains(data.train_images).flatten(1).numpy(), data.train_labels)
    test = seen_by_chains(data.test_images).flatten(1).numpy()
    return judge, round(float(judge.score(test, data.test_labels)), 4)


def measure(pair: tuple[int, int], judge: MLPClassifier) -> tuple[dict, dict]:
    """Fit a pair, draw both digits, and say how they are named and how near they are to others."""
    positive, negative = pair
    task = Task(
        f"mnist {positive}-{negative}", n_labeled=100, seed=100, fold_scheme="original", n_folds=1
    )
    fold = make_fold(task)
    model = LPSImageClassifier(
        deskew=True, n_steps=300, density=ImageLikelihoodRecipe(), random_state=0, verbose=True
    ).fit(fold.X, fold.y)
    accuracy = model.score(fold.X_test, fold.y_test)
    measured, pictures = {}, {}
    for y, digit in ((1, positive), (0, negative)):
        density = model.class_density(y)
        drawn = density.sample(N_DRAWN, random_state=0)
        named = judge.predict(drawn.reshape(N_DRAWN, -1) / 255)
        train, test = (
            seen_by_chains(images[truth == y])
            for images, truth in ((fold.X, fold.y_true), (fold.X_test, fold.y_test))
        )
        known = density.codes.of(train)
        measured[str(digit)] = {
            "version": pulps.__version__,
            "test_accuracy": round(float(accuracy), 4),
            "recognized": float((named == digit).mean()),
            "codes": known.shape[1],
            "drawn_to_nearest": differing(density.codes.of(torch.as_tensor(drawn) / 255), known),
            "test_to_nearest": differing(density.codes.of(test[:N_DRAWN]), known),
        }
        holes = 255 * test[:N_COMPLETED].numpy()
        holes[:, SIZE // 2 :] = np.nan
        filled = density.complete(holes, random_state=0)
        parts = {"drawn": drawn[:N_SHOWN], "filled": filled, "whole": 255 * test[:N_COMPLETED]}
        for name, images in parts.items():
            pictures[f"{name}_{digit}"] = np.asarray(images).round().astype(np.uint8)
    return measured, pictures


def differing(codes: torch.Tensor, known: torch.Tensor) -> dict[str, float]:
    """Count the codes in which rows differ from the nearest known row: least, median, most."""
    nearest = torch.stack([(known != row).sum(1).min() for row in codes]).double()
    return {"least": nearest.min().item(), "median": nearest.median().item()}


def picture(shown: dict[str, np.ndarray]) -> None:
    """Draw a grid: a row per digit of draws, then completed lower halves with their originals."""
    from matplotlib.figure import Figure

    digits = [digit for digit in range(10) if f"drawn_{digit}" in shown]
    gap = np.full((SIZE, SIZE // 3), 255, dtype=np.uint8)
    lines = []
    for digit in digits:
        drawn, filled, whole = (shown[f"{name}_{digit}"] for name in ("drawn", "filled", "whole"))
        pairs = [np.hstack([gap, 255 - w, 255 - f]) for w, f in zip(whole, filled, strict=True)]
        lines.append(np.hstack([*(255 - drawn), *pairs]))
    grid = np.vstack(lines)
    figure = Figure(figsize=(grid.shape[1] / 48, grid.shape[0] / 48))
    ax = figure.add_axes((0, 0, 1, 1))
    ax.imshow(grid, cmap="gray", vmin=0, vmax=255, interpolation="nearest")
    ax.set_axis_off()
    save_figure(figure, FIGURE)


if __name__ == "__main__":
    main()
