"""Problems made of image sets: one class against another, or against all the others.

A problem is named by its data set and its classes, ``"mnist 3-5"`` or ``"mnist 3-rest"``; the
first class is the positive one. Training and test images are those of the original split, the
larger class subsampled until both classes are of one size, as in the paper. ``"mnist 3-all"`` has
all images of the others: one positive in ten, the natural proportion.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from pulps.datasets.images import ImageDataset, load_images

MNIST_PAIRS = ("0-1", "0-6", "1-4", "2-7", "2-8", "3-5", "3-8", "4-9", "5-8", "6-8", "7-9", "8-9")
FASHION_PAIRS = ("0-6", "1-3", "2-4", "5-7", "7-9")
FASHION_RESTS = (1, 6, 8)
MORE_FASHION = ("0-3", "2-6", "3-6", "4-6", "8-9", "0-rest", "5-rest")
MNIST_CORE = (
    *(f"mnist {pair}" for pair in MNIST_PAIRS),
    *(f"mnist {digit}-rest" for digit in range(10)),
)
CORE = (
    *MNIST_CORE,
    *(f"fashion-mnist {pair}" for pair in FASHION_PAIRS),
    *(f"fashion-mnist {kind}-rest" for kind in FASHION_RESTS),
)
ALL_PAIRS = tuple(f"mnist {a}-{b}" for a in range(10) for b in range(a + 1, 10))
NATURAL = tuple(f"mnist {digit}-all" for digit in range(10))
EVERY = tuple(
    dict.fromkeys((*CORE, *ALL_PAIRS, *(f"fashion-mnist {name}" for name in MORE_FASHION)))
)
GROUPS = {"core": CORE, "pairs": ALL_PAIRS, "natural": NATURAL, "every": (*EVERY, *NATURAL)}
N_LABELED = (100, 10, 1)


class ImageProblem(NamedTuple):
    """Which images are positive and which are negative; None stands for all others.

    If ``balanced``, both classes are brought to one size.
    """

    dataset: str
    positive: int
    negative: int | None
    balanced: bool = True


class Split(NamedTuple):
    """Images of both classes, and which are positive."""

    X: np.ndarray
    y: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray


def parse(name: str) -> ImageProblem:
    """Read the name of a problem.

    Parameters
    ----------
    name
        Such as ``"mnist 3-5"``.

    Returns
    -------
    ImageProblem
        What it stands for.

    Examples
    --------
    >>> parse("fashion-mnist 0-rest")
    ImageProblem(dataset='fashion-mnist', positive=0, negative=None, balanced=True)
    """
    dataset, _, classes = name.partition(" ")
    positive, _, negative = classes.partition("-")
    others = None if negative in ("rest", "all") else int(negative)
    return ImageProblem(dataset, int(positive), others, negative != "all")


def is_image_problem(name: str) -> bool:
    """Tell an image problem from a table.

    Parameters
    ----------
    name
        Name of a data set or of a problem.

    Returns
    -------
    bool
        Whether it is one.

    Examples
    --------
    >>> is_image_problem("mnist 3-5"), is_image_problem("vote")
    (True, False)
    """
    return name.startswith(("mnist ", "fashion-mnist "))


def split(name: str, seed: int) -> Split:
    """Load a problem.

    Parameters
    ----------
    name
        Name of the problem.
    seed
        Decides which images of the larger class stay.

    Returns
    -------
    Split
        Training and test images of both classes.
    """
    problem = parse(name)
    data = _load(problem.dataset)
    train = _chosen(data.train_labels, problem, [seed, 0])
    test = _chosen(data.test_labels, problem, [seed, 1])
    return Split(
        data.train_images[train],
        (data.train_labels[train] == problem.positive).astype(int),
        data.test_images[test],
        (data.test_labels[test] == problem.positive).astype(int),
    )


def share_of_positives(name: str) -> float:
    """Tell the share of positives among the training images of a problem.

    Parameters
    ----------
    name
        Name of the problem.

    Returns
    -------
    float
        One half, or the natural proportion.
    """
    problem = parse(name)
    if problem.balanced:
        return 0.5
    return float((_load(problem.dataset).train_labels == problem.positive).mean())


def _chosen(labels: np.ndarray, problem: ImageProblem, seed: list[int]) -> np.ndarray:
    positive = labels == problem.positive
    negative = ~positive if problem.negative is None else labels == problem.negative
    rng = np.random.default_rng([*seed, problem.positive, 10 if problem.negative is None else 11])
    classes = [rng.permutation(np.flatnonzero(chosen)) for chosen in (positive, negative)]
    size = min(map(len, classes)) if problem.balanced else None
    return rng.permutation(np.concatenate([rows[:size] for rows in classes]))


@lru_cache(maxsize=2)
def _load(name: str) -> ImageDataset:
    return load_images(name)
