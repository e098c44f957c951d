"""Small random changes of images that do not change what they show."""

from __future__ import annotations

import math
from dataclasses import astuple, dataclass

import torch
from torch import Tensor

from pulps.images.geometry import affine


@dataclass(frozen=True)
class Augmentation:
    """One random affine map for each image, each of its parts uniform between minus and plus.

    Parameters
    ----------
    rotation
        Largest angle, in degrees.
    zoom
        Largest relative change of size.
    shift
        Longest way to the right and downwards, in pixels.
    shear
        Largest slant, in columns for each row.

    Examples
    --------
    >>> images = torch.rand(3, 8, 8)
    >>> Augmentation(rotation=10)(images, torch.Generator().manual_seed(0)).shape
    torch.Size([3, 8, 8])
    """

    rotation: float = 10.0
    zoom: float = 0.1
    shift: float = 1.0
    shear: float = 0.0

    def __post_init__(self) -> None:
        """Refuse ranges that are none, and zooms that turn images inside out."""
        if min(astuple(self)) < 0 or self.zoom >= 1:
            raise ValueError(
                f"Each part of {self} is a largest change: zero or more, and zoom less than one."
            )

    def __call__(self, images: Tensor, generator: torch.Generator | None = None) -> Tensor:
        """Change every image in its own way.

        Parameters
        ----------
        images
            Shape as in :mod:`pulps.images.geometry`.
        generator
            Source of the draws.

        Returns
        -------
        Tensor
            Images of the same shape.
        """
        if not any(astuple(self)):
            return images
        return affine(images, self.matrices(len(images), generator))

    def matrices(self, n_images: int, generator: torch.Generator | None = None) -> Tensor:
        """Draw random maps, as :func:`~pulps.images.geometry.affine` takes them.

        An image is sheared, turned and resized around its middle, then shifted. The map asks
        the other way round, where the pixel of the new image was in the old one.

        Parameters
        ----------
        n_images
            How many.
        generator
            Source of the draws.

        Returns
        -------
        Tensor of shape (images, 2, 3)
        """
        parts = 2 * torch.rand(5, n_images, generator=generator, dtype=torch.float64) - 1
        angle = math.radians(self.rotation) * parts[0]
        size = 1 + self.zoom * parts[1]
        slant = self.shear * parts[2]
        shifts = self.shift * parts[3:].mT
        cos, sin = angle.cos(), angle.sin()
        one, zero = torch.ones_like(angle), torch.zeros_like(angle)
        turn = torch.stack([cos, -sin, sin, cos], dim=1).unflatten(1, (2, 2))
        lean = torch.stack([one, slant, zero, one], dim=1).unflatten(1, (2, 2))
        back = lean @ turn / size[:, None, None]
        return torch.cat([back, -back @ shifts[:, :, None]], dim=2)
