"""What images are compared by: their edges, their pixels, or what a user computes of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch

from pulps.images.edges import edge_directions
from pulps.images.source import ImageSource, images_at_once
from pulps.io.lazy_rows import LazyRows

ROWS_AT_ONCE = 2048
PREFERENCE = np.log(2.0)  # odds of the first kind of numbers, before any label: as logarithm


def pixels(images: torch.Tensor) -> torch.Tensor:
    """Write every image as one row of numbers.

    Parameters
    ----------
    images
        Images of one size.

    Returns
    -------
    Tensor of shape (images, pixels)
    """
    return images.flatten(1)


KINDS = (edge_directions, pixels)


def kinds_of(
    images: torch.Tensor | LazyRows,
    source: ImageSource,
    features: Callable[[np.ndarray], Any] | None,
) -> list[LazyRows]:
    """Say by which numbers images are compared: edges and pixels, or what the user computes.

    Parameters
    ----------
    images
        As the chains see them.
    source
        The same images as they came.
    features
        From an array of images as they came to an array (images, numbers); None for edges and
        pixels.

    Returns
    -------
    list of LazyRows
        One of every kind.
    """
    if features is None:
        return [LazyRows(images, kind, at_once=ROWS_AT_ONCE) for kind in KINDS]

    def computed(came: np.ndarray) -> torch.Tensor:
        found = np.asarray(features(came), dtype=np.float32)
        if found.ndim != 2 or len(found) != len(came) or not np.isfinite(found).all():
            raise ValueError(
                f"features gave {found.shape} numbers for {len(came)} images, or some that are "
                "not finite; return an array (images, numbers) of finite numbers."
            )
        return torch.as_tensor(found)

    return [
        LazyRows(source, computed, at_once=min(ROWS_AT_ONCE, images_at_once(source.shape[1:])))
    ]


def likeliest_kind(evidence: Sequence[float]) -> int:
    """Choose the numbers that images are compared by.

    Parameters
    ----------
    evidence
        Logarithm of how well the cuts explain the labels, one per kind of numbers.

    Returns
    -------
    int
        Number of the kind. The first is believed unless another is twice as likely.

    Examples
    --------
    >>> likeliest_kind([-3.0, -2.5]), likeliest_kind([-3.0, -2.0])
    (0, 1)
    """
    return int(np.argmax(np.r_[evidence[0] + PREFERENCE, evidence[1:]]))
