"""What larger images cost: processor seconds and memory of a fit against size and patches.

    python benchmarks/image_sizes.py

Fits color pictures of shapes in front of textures (:func:`pulps.datasets.make_pictures`), each
size in a process of its own, with one thread, and writes ``results/image_sizes.json`` and
``docs/figures/image-sizes.svg``. Sizes that are there are not run again.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent
RESULTS = ROOT / "results" / "image_sizes.json"
FIGURE = ROOT.parent / "docs" / "figures" / "image-sizes.svg"
N_IMAGES, N_STEPS, N_TEST = 1000, 100, 500
SIZES = ((24, 3), (32, 4), (48, 6), (64, 8), (32, 2), (64, 4))  # pixels, patch
MEASURED = """
import json, resource, sys, time, warnings
import torch
from pulps import LPSImageClassifier
from pulps.datasets import make_pictures

torch.set_num_threads(1)
warnings.simplefilter("ignore")
size, patch, n_images, n_steps, n_test = map(int, sys.argv[1:])
X, y, _ = make_pictures(n_images, size=size, n_labeled=20, random_state=0)
fresh, _, truth = make_pictures(n_test, size=size, random_state=1)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
start = time.process_time()
model = LPSImageClassifier(size=size, patch_size=patch, n_steps=n_steps, random_state=0).fit(X, y)
fitted = time.process_time()
accuracy = model.score(fresh, truth)
answer = {"size": size, "patch": patch, "sites": len(model.book_.order_), "accuracy": accuracy}
answer |= {"fit": round(fitted - start, 2), "predict": round(time.process_time() - fitted, 2)}
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(json.dumps(answer | {"megabytes": round((peak - before) / 1024)}))
"""


def main() -> None:
    """Run what is missing and draw."""
    stored = json.loads(RESULTS.read_text()) if RESULTS.exists() else []
    done = {(row["size"], row["patch"]) for row in stored}
    for size, patch in SIZES:
        if (size, patch) in done:
            continue
        numbers = map(str, (size, patch, N_IMAGES, N_STEPS, N_TEST))
        answer = subprocess.run(
            [sys.executable, "-c", MEASURED, *numbers],
            check=True,
            capture_output=True,
            text=True,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
        )
        stored.append(json.loads(answer.stdout))
        print(stored[-1], flush=True)
        RESULTS.write_text(json.dumps(stored, indent=1) + "\n")
    draw(stored)


def draw(stored: list[dict]) -> None:
    """Seconds of a fit against the pixels of a side, for 64 sites and for 256."""
    from matplotlib.figure import Figure

    from pulps.io.pictures import save_figure

    figure = Figure(figsize=(5, 3), layout="constrained")
    ax = figure.subplots()
    for sites in sorted({row["sites"] for row in stored}):
        rows = sorted(
            (row for row in stored if row["sites"] == sites), key=lambda row: row["size"]
        )
        label = f"{sites} sites"
        ax.plot([r["size"] for r in rows], [r["fit"] for r in rows], "o-", label=label)
    ax.set_xlabel("pixels of a side, three colors")
    ax.set_ylabel("processor seconds of a fit")
    ax.set_ylim(0)
    ax.set_title(f"{N_IMAGES} pictures, {N_STEPS} steps", fontsize=10)
    ax.legend(fontsize=8, loc="center left")
    save_figure(figure, FIGURE)


if __name__ == "__main__":
    main()
