"""Images wherever they are: in memory, mapped from a file, or read by something else."""

from __future__ import annotations

from mmap import mmap
from typing import Any

import numpy as np

NUMBERS_AT_ONCE = 2**24


class ImageSource:
    """Images of which some are read, as floating point numbers, when they are asked for.

    Parameters
    ----------
    images
        Shape (images, height, width) or (images, height, width, channels). An array, in
        memory or mapped from a file, or whatever has ``shape`` and ``dtype`` and gives images
        for a slice and for an array of increasing numbers: a data set of h5py or zarr, an
        :class:`~pulps.images.ImageFolder`. Anything else becomes an array.

    Examples
    --------
    >>> source = ImageSource(np.arange(12, dtype=np.uint8).reshape(3, 2, 2))
    >>> source[np.array([2, 0, 2])][:, 0]
    array([[8., 9.],
           [0., 1.],
           [8., 9.]], dtype=float32)
    >>> source.value_range(), source.in_memory
    ((0.0, 11.0), True)
    """

    def __init__(self, images: Any):
        if not (hasattr(images, "shape") and isinstance(getattr(images, "dtype", 0), np.dtype)):
            images = np.asarray(images)
        self.images, self.shape = images, tuple(images.shape)
        if len(self.shape) not in (3, 4) or 0 in self.shape:
            raise ValueError(
                f"An array of shape {self.shape} came. Images are (images, height, width) or "
                "(images, height, width, channels), with at least one of each; reshape flat "
                "pixels first."
            )
        if images.dtype.kind not in "buif":
            raise ValueError(
                f"Images hold numbers, but an array of {images.dtype} came. Convert it first."
            )

    def __len__(self) -> int:
        """Return the number of images."""
        return self.shape[0]

    def __getitem__(self, rows: slice | np.ndarray) -> np.ndarray:
        """Read images by a slice or by their numbers, in any order and with repetition."""
        return self._read(rows).astype(np.float32)

    @property
    def in_memory(self) -> bool:
        """Whether the images are an array that no file is mapped to."""
        root = self.images
        while isinstance(root, np.ndarray):
            root = root.base
        return isinstance(self.images, np.ndarray) and not isinstance(root, mmap)

    def value_range(self) -> tuple[float, float]:
        """Find the smallest and the largest value.

        Returns
        -------
        low, high
            NaN if a pixel is missing.
        """
        step = images_at_once(self.shape[1:])
        parts = (self._read(slice(i, i + step)) for i in range(0, len(self), step))
        ends = np.array([(float(part.min()), float(part.max())) for part in parts])
        return float(ends[:, 0].min()), float(ends[:, 1].max())

    def _read(self, rows: slice | np.ndarray) -> np.ndarray:
        if isinstance(rows, slice):
            part = np.asarray(self.images[rows])
        else:
            # Files want every number once, in increasing order.
            numbers, positions = np.unique(rows, return_inverse=True)
            part = np.asarray(self.images[numbers])[positions]
        if part.dtype.kind == "f" and np.isinf(part).any():
            raise ValueError("Some pixels are infinite. Clip them, or mark them missing (NaN).")
        return part


def images_at_once(shape: tuple[int, ...]) -> int:
    """Count the images that make a piece: as many as take 64 MB, in eights.

    Parameters
    ----------
    shape
        Shape of an image.

    Returns
    -------
    int

    Examples
    --------
    >>> images_at_once((28, 28)), images_at_once((2000, 3000, 3))
    (21392, 8)
    """
    return max(8, NUMBERS_AT_ONCE // int(np.prod(shape)) // 8 * 8)
