"""Color pictures of shapes in front of textures, with hidden labels."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from sklearn.utils import check_random_state


class PictureSet(NamedTuple):
    """Pictures, PU labels (1 labeled positive, 0 unlabeled) and the truth.

    Parameters
    ----------
    X
        Pictures, shape (pictures, height, width, 3).
    y
        PU labels.
    y_true
        The truth, 1 for positive.
    """

    X: np.ndarray
    y: np.ndarray
    y_true: np.ndarray


def make_pictures(
    n_images: int = 200,
    *,
    size: int = 64,
    n_labeled: int = 10,
    random_state: int | np.random.RandomState | None = None,
) -> PictureSet:
    """Draw disks on stripes, the positives, and squares on dots, of any colors.

    Place, size and colors of a shape and the width of its texture are random, so neither a single
    pixel nor a color tells the classes apart.

    Parameters
    ----------
    n_images : int
        Pictures; half of them are positive.
    size : int
        Height and width, at least 16.
    n_labeled : int
        Labeled positives.
    random_state : int, RandomState or None
        Draws the pictures, then the labels.

    Returns
    -------
    PictureSet
        Bytes of shape (n_images, size, size, 3), labels and truth.

    Examples
    --------
    >>> X, y, y_true = make_pictures(10, size=32, n_labeled=2, random_state=0)
    >>> X.shape, int(y.sum()), int(y_true.sum())
    ((10, 32, 32, 3), 2, 5)
    """
    if size < 16 or not 0 < n_labeled <= n_images // 2:
        raise ValueError(
            f"{n_images} pictures of {size} x {size} pixels with {n_labeled} labels came; a "
            "picture has at least 16 x 16 pixels, and at most half of the pictures are labeled."
        )
    rng = check_random_state(random_state)
    rows, columns = np.mgrid[:size, :size]
    y_true = rng.permutation((np.arange(n_images) < n_images // 2).astype(int))
    X = np.empty((n_images, size, size, 3), dtype=np.uint8)
    for number in range(n_images):
        light, dark = rng.randint(140, 256, 3), rng.randint(0, 110, 3)
        period, shift = rng.randint(size // 8, size // 5), rng.randint(size, size=2)
        stripes = (columns + shift[0]) % period < period // 2
        dots = stripes & ((rows + shift[1]) % period < period // 2)
        middle = rng.randint(3 * size // 8, 5 * size // 8, 2)
        radius = rng.randint(size // 5, size // 3)
        down, right = np.abs(rows - middle[0]), np.abs(columns - middle[1])
        disk, square = down**2 + right**2 < radius**2, np.maximum(down, right) < 0.89 * radius
        shape, texture = (disk, stripes) if y_true[number] else (square, dots)
        X[number] = np.where((shape | texture)[..., None], light, dark)
    y = np.zeros(n_images, dtype=int)
    y[rng.choice(np.flatnonzero(y_true), n_labeled, replace=False)] = 1
    return PictureSet(X, y, y_true)
