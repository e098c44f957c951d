"""From images as they come to features along the chain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import torch
from torch import Tensor

from pulps.images.geometry import resize, upright
from pulps.images.patches import PatchBook
from pulps.images.source import ImageSource, images_at_once
from pulps.io.lazy_rows import LazyRows
from pulps.network import engine
from pulps.network.basis import Basis, CosineBasis, SphereBasis, embed
from pulps.network.lps import ChainShape

CHUNK = 2048  # images swept at once


@dataclass(frozen=True)
class ImageReader:
    """How images are brought to one range, position and size when they are read.

    Parameters
    ----------
    shape
        Shape of an image.
    value_range
        Darkest and brightest value; they become 0 and 1.
    deskew
        Whether to set images upright.
    size
        Height and width to bring them to; None leaves them as they are.
    """

    shape: tuple[int, ...]
    value_range: tuple[float, float]
    deskew: bool
    size: int | None

    @classmethod
    def of(cls, source: ImageSource, deskew: bool, size: int | None) -> ImageReader:
        """Look at complete images, and say how such images are read.

        Parameters
        ----------
        source
            Images as they come, none with missing pixels.
        deskew, size
            See above.

        Returns
        -------
        ImageReader
        """
        value_range = source.value_range()
        if np.isnan(value_range).any():
            raise ValueError(
                "Some training images have missing pixels (NaN). They can be predicted and "
                "completed, but not learned from: leave them out, or fill them in."
            )
        return cls(source.shape[1:], value_range, deskew, size)

    def read(self, source: ImageSource) -> LazyRows:
        """Return images that are brought to one range and position when they are read.

        Parameters
        ----------
        source
            Images as they come.

        Returns
        -------
        LazyRows
        """
        return LazyRows(source, self.upright, at_once=images_at_once(self.shape))

    def small(self, images: Tensor | LazyRows) -> LazyRows:
        """Return upright images that are resized when they are read.

        Parameters
        ----------
        images
            Upright images.

        Returns
        -------
        LazyRows
        """
        return LazyRows(images, self.resized, at_once=images_at_once(self.shape))

    @property
    def small_shape(self) -> tuple[int, ...]:
        """Shape of an image that was brought to size."""
        return self.shape if self.size is None else (self.size, self.size, *self.shape[2:])

    def upright(self, images: Any) -> Tensor:
        """Bring images to one range and position.

        Parameters
        ----------
        images
            Images as they come, an array or a tensor.

        Returns
        -------
        Tensor
            Values from 0 to 1.
        """
        low, high = self.value_range
        scaled = (torch.as_tensor(images).float() - low) / ((high - low) or 1.0)
        return upright(scaled) if self.deskew else scaled

    def resized(self, images: Tensor) -> Tensor:
        """Bring upright images to size.

        Parameters
        ----------
        images
            Upright images.

        Returns
        -------
        Tensor
        """
        return images if self.size is None else resize(images, self.size)


@dataclass(frozen=True)
class PatchEmbedding:
    """From upright images to what the sweep takes: every patch is a site.

    Parameters
    ----------
    reader
        How images are brought to size.
    book
        The patches and their functions.
    feature_dim
        Feature dimension of a site.
    contrast
        Scale of a patch on its half sphere.
    """

    reader: ImageReader
    book: PatchBook
    feature_dim: int
    contrast: float

    @property
    def of_pixels(self) -> bool:
        """Whether a patch is a single pixel, which gets cosines."""
        return self.book.side == 1

    @property
    def basis(self) -> Basis:
        """The basis of every site."""
        if self.of_pixels:
            return CosineBasis(self.feature_dim)
        return SphereBasis(self.feature_dim, self.contrast)

    @cached_property
    def bases(self) -> list[Basis]:
        """One basis per site."""
        return [self.basis] * len(self.book.order_)

    def shape(self, bond_dim: int, spacing: int, output_dim: int) -> ChainShape:
        """Return the shape of a chain over these sites.

        Parameters
        ----------
        bond_dim, spacing, output_dim
            See :class:`pulps.network.lps.ChainShape`.

        Returns
        -------
        ChainShape
        """
        return ChainShape(tuple(b.dim for b in self.bases), bond_dim, spacing, output_dim)

    def __call__(self, images: Tensor) -> tuple[list[Tensor], Tensor]:
        """Embed the patches of upright images.

        Parameters
        ----------
        images
            Upright images.

        Returns
        -------
        features, observed
            One tensor (images, feature) per site, and which sites are seen, shape (images, sites).
        """
        images = self.reader.resized(images)
        if self.of_pixels:
            return embed(self.bases, self.book.cut(images)[:, :, 0])
        return embed(self.bases, self.book.transform(images))

    def log_norms(self, images: Tensor | LazyRows, cores: Sequence[np.ndarray]) -> np.ndarray:
        """Log-norms of upright images under stacked chains, a chunk at a time.

        Parameters
        ----------
        images
            Upright images.
        cores
            One array (chains, feature, left, output, right) per site.

        Returns
        -------
        array of shape (chains, images)
        """
        tensors = [torch.as_tensor(core) for core in cores]
        small, parts = self.reader.small(images), []
        with torch.no_grad():
            for first in range(0, len(images), CHUNK):
                rows = self(small[first : first + CHUNK])
                parts.append(engine.log_norms(tensors, *rows).double().numpy())
        return np.concatenate(parts, axis=1)
