"""Generated digits, as a picture: ``docs/figures/image-samples.png``.

    PULPS_DATA=path/to/data python benchmarks/image_samples.py

Trains on MNIST, three against five, with ten labeled threes.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch

from pulps import LPSImageClassifier
from pulps.benchmark.figures import save_figure
from pulps.benchmark.protocol import Task, make_fold
from pulps.images import resize, upright
from pulps.network.likelihood import LikelihoodRecipe

FIGURE = Path(__file__).parent.parent / "docs" / "figures" / "image-samples.png"
TASK = Task("mnist 3-5", n_labeled=10, seed=100, fold_scheme="original", n_folds=1)
RECIPE = LikelihoodRecipe(bond_dim=16, output_dim=1, n_members=1, max_epochs=100)
N_COLUMNS = 12


def main() -> None:
    """Train, draw, complete, and write the picture."""
    from matplotlib.figure import Figure

    fold = make_fold(TASK)
    model = LPSImageClassifier(deskew=True, density=RECIPE, random_state=0, verbose=True)
    model.fit(fold.X, fold.y)
    print(f"test accuracy {model.score(fold.X_test, fold.y_test):.4f}")
    threes = torch.as_tensor(fold.X_test[fold.y_test == 1][:N_COLUMNS]).float()
    whole = resize(upright(threes), model.size).numpy()
    holes = whole.copy()
    holes[:, model.size // 2 :] = np.nan
    rows = [
        model.sample(N_COLUMNS, y=1, random_state=0),
        model.sample(N_COLUMNS, y=0, random_state=0),
        model.complete(holes, y=1),
        whole,
    ]
    figure = Figure(figsize=(N_COLUMNS * 0.6, len(rows) * 0.62), layout="constrained")
    for line, axes in zip(rows, figure.subplots(len(rows), N_COLUMNS), strict=True):
        for image, ax in zip(line, axes, strict=True):
            ax.imshow(image, cmap="gray_r", vmin=0, vmax=255)
            ax.set_axis_off()
    save_figure(figure, FIGURE)


if __name__ == "__main__":
    main()
