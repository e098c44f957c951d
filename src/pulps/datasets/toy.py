"""Three point sets in the plane with hidden labels: the paper's synthetic data."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
import pandas as pd
from sklearn.datasets import make_blobs, make_circles, make_moons
from sklearn.utils import check_random_state

TOYS = ("moons", "circles", "blobs")
NOISE = {"moons": 0.1, "circles": 0.05, "blobs": 1.0}


class ToySet(NamedTuple):
    """Points, PU labels (1 labeled positive, 0 unlabeled) and the truth.

    Parameters
    ----------
    X
        Points, columns ``x1`` and ``x2``.
    y
        PU labels.
    y_true
        The truth, 1 for positive.
    """

    X: pd.DataFrame
    y: np.ndarray
    y_true: np.ndarray


def make_toy(
    name: Literal["moons", "circles", "blobs"],
    *,
    n_rows: int = 1000,
    n_labeled: int = 100,
    noise: float | None = None,
    random_state: int | np.random.RandomState | None = None,
) -> ToySet:
    """Draw a point set of which half is positive and some positives are labeled.

    The defaults are the paper's: 1000 points, half of them positive, 100 labeled. The paper
    does not print its noise.

    Parameters
    ----------
    name : {"moons", "circles", "blobs"}
        Which set. The positive class is scikit-learn's class 1.
    n_rows, n_labeled : int
        Points, and labeled positives among them.
    noise : float, optional
        Standard deviation around the curves (moons, circles: 0.1, 0.05) or centers (1.0).
    random_state : int, RandomState or None
        Draws the points, then the labels.

    Returns
    -------
    ToySet

    Examples
    --------
    >>> X, y, y_true = make_toy("moons", n_rows=40, n_labeled=5, random_state=0)
    >>> int(y.sum()), int(y_true.sum()), bool((y <= y_true).all())
    (5, 20, True)
    """
    if name not in TOYS:
        raise ValueError(f"There is no toy set named {name!r}. Known: {', '.join(TOYS)}.")
    rng = check_random_state(random_state)
    spread = NOISE[name] if noise is None else noise
    if name == "moons":
        points, y_true = make_moons(n_rows, noise=spread, random_state=rng)
    elif name == "circles":
        points, y_true = make_circles(n_rows, noise=spread, factor=0.5, random_state=rng)
    else:
        centers = [(-3.0, -3.0), (3.0, 3.0)]
        points, y_true = make_blobs(n_rows, centers=centers, cluster_std=spread, random_state=rng)
    positive = np.flatnonzero(y_true == 1)
    if not 0 < n_labeled <= len(positive):
        raise ValueError(
            f"n_labeled is {n_labeled}; {name} with {n_rows} rows has {len(positive)} positives, "
            "so label between 1 and that many."
        )
    y = np.zeros(n_rows, dtype=int)
    y[rng.choice(positive, n_labeled, replace=False)] = 1
    return ToySet(pd.DataFrame(points, columns=["x1", "x2"]), y, y_true)
