"""A book of patches: images as short lists of numbers, one list per patch.

An image is cut into squares that do not overlap, in the order of a path. Every square is
written as coefficients of an orthonormal family of small images, after the average square
has been taken off. With the whole family nothing is lost; with the first few functions of
it, most of an image stays.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import torch
from scipy.fft import dct
from torch import Tensor

from pulps.images.layout import channels_first, channels_last, check_images
from pulps.images.paths import path as path_through

IMAGES_AT_ONCE = 1024


class PatchBook:
    r"""Coefficients of patches in a family learned from images, or in cosines.

    Parameters
    ----------
    side
        Height and width of a patch p, in pixels.
    n_components
        Number of coefficients of a patch K; None keeps all.
    family
        ``"pca"``: the functions that lose least of the images it is fitted to (principal
        components of all their patches together); ``"dct"``: products of cosines (DCT-II) of
        every channel, low frequencies first.
    path
        Order of the patches, see :mod:`pulps.images.paths`.

    Attributes
    ----------
    mean_ : array of shape (p * p * channels,)
        The average patch.
    components_ : array of shape (K, p * p * channels)
        Functions of the family, orthonormal, most important first.
    variances_ : array of shape (K,)
        Variance of every coefficient over the patches of the images it is fitted to.
    grid_ : tuple of two int
        Rows and columns of patches.
    n_channels_ : int or None
        Channels of an image; None where images have no such axis.
    order_ : array of shape (sites,)
        Patches in the order of the path, numbered line by line.

    Examples
    --------
    >>> images = torch.rand(20, 6, 6, generator=torch.Generator().manual_seed(0))
    >>> book = PatchBook(side=2, n_components=3).fit(images)
    >>> coefficients = book.transform(images)
    >>> coefficients.shape
    torch.Size([20, 9, 3])
    >>> book.inverse_transform(coefficients).shape
    torch.Size([20, 6, 6])
    """

    mean_: np.ndarray
    components_: np.ndarray
    variances_: np.ndarray
    grid_: tuple[int, int]
    n_channels_: int | None
    order_: np.ndarray

    def __init__(
        self,
        side: int,
        n_components: int | None = None,
        *,
        family: Literal["pca", "dct"] = "pca",
        path: str = "hilbert",
    ):
        self.side, self.n_components, self.family, self.path = side, n_components, family, path

    def fit(self, images: Any) -> PatchBook:
        """Learn the average patch and the family from images.

        Parameters
        ----------
        images
            A tensor, or whatever gives tensors for slices; not all are asked for at once.

        Returns
        -------
        self
        """
        first = images[:1]
        check_images(first)
        if not len(images):
            raise ValueError("A book of patches is learned from images, but none came.")
        self.lay_out(tuple(first.shape[1:]))
        n_pixels = self.side**2 * (self.n_channels_ or 1)
        n_kept = n_pixels if self.n_components is None else self.n_components
        if not 1 <= n_kept <= n_pixels:
            raise ValueError(
                f"A patch of {n_pixels} numbers has from 1 to {n_pixels} components, but "
                f"n_components={n_kept}."
            )
        self.mean_, covariance = self._moments(images)
        self.components_ = self._functions(covariance)[:n_kept]
        self.variances_ = ((self.components_ @ covariance) * self.components_).sum(1)
        return self

    def lay_out(self, shape: tuple[int, ...]) -> PatchBook:
        """Say where the patches of images of a shape are; enough to cut and join them.

        Parameters
        ----------
        shape
            Height, width and, if there are any, channels.

        Returns
        -------
        self
        """
        height, width = shape[:2]
        if height % self.side or width % self.side:
            raise ValueError(
                f"Images of {height} x {width} pixels cannot be cut into patches of "
                f"{self.side} x {self.side}. Resize or crop them to multiples of {self.side}."
            )
        self.grid_ = (height // self.side, width // self.side)
        self.n_channels_ = shape[2] if len(shape) == 3 else None
        self.order_ = path_through(self.path, *self.grid_)
        return self

    def transform(self, images: Tensor) -> Tensor:
        """Coefficients of images.

        Parameters
        ----------
        images
            Images of the size of the fit. A patch with a missing pixel (NaN) has missing
            coefficients.

        Returns
        -------
        Tensor of shape (images, sites, K)
        """
        components, mean = (
            torch.as_tensor(array).to(images) for array in (self.components_, self.mean_)
        )
        return (self.cut(images) - mean) @ components.mT

    def inverse_transform(self, coefficients: Tensor) -> Tensor:
        """Images that have these coefficients and nothing of the rest of the family.

        Parameters
        ----------
        coefficients
            Shape (images, sites, K).

        Returns
        -------
        Tensor
            Images.
        """
        components, mean = (
            torch.as_tensor(array).to(coefficients) for array in (self.components_, self.mean_)
        )
        return self.join(coefficients @ components + mean)

    def cut(self, images: Tensor) -> Tensor:
        """Cut images into patches along the path.

        Parameters
        ----------
        images
            Images of the size of the fit.

        Returns
        -------
        Tensor of shape (images, sites, p * p * channels)
        """
        expected = (*(n * self.side for n in self.grid_), *self._channels())
        if tuple(images.shape[1:]) != expected:
            raise ValueError(
                f"The book was learned from images of shape {expected}, but these have "
                f"{tuple(images.shape[1:])}. Resize or crop them."
            )
        planes = channels_first(images)
        squares = planes.unflatten(3, (-1, self.side)).unflatten(2, (-1, self.side))
        # n image, c channel, i row and j column of the grid, y row and x column of the patch
        squares = torch.einsum("nciyjx->nijyxc", squares)
        return squares.flatten(3).flatten(1, 2)[:, torch.as_tensor(self.order_)]

    def join(self, patches: Tensor) -> Tensor:
        """Put patches back into images.

        Parameters
        ----------
        patches
            Shape (images, sites, p * p * channels).

        Returns
        -------
        Tensor
            Images.
        """
        in_lines = patches[:, torch.as_tensor(np.argsort(self.order_))]
        squares = in_lines.unflatten(2, (self.side, self.side, -1)).unflatten(1, self.grid_)
        planes = torch.einsum("nijyxc->nciyjx", squares).flatten(4).flatten(2, 3)
        return channels_last(planes, 3 + len(self._channels()))

    def _channels(self) -> tuple[int, ...]:
        return () if self.n_channels_ is None else (self.n_channels_,)

    def _moments(self, images: Any) -> tuple[np.ndarray, np.ndarray]:
        """Mean and covariance of all patches of all images."""
        n_patches = len(images) * len(self.order_)
        parts = [slice(i, i + IMAGES_AT_ONCE) for i in range(0, len(images), IMAGES_AT_ONCE)]
        sums = [self.cut(images[part]).double().sum((0, 1)) for part in parts]
        mean = torch.stack(sums).sum(0) / n_patches
        covariance = torch.zeros(len(mean), len(mean), dtype=mean.dtype, device=mean.device)
        for part in parts:
            off = (self.cut(images[part]).double() - mean).flatten(0, 1)
            covariance += off.mT @ off / n_patches
        return mean.cpu().numpy(), covariance.cpu().numpy()

    def _functions(self, covariance: np.ndarray) -> np.ndarray:
        """Build the whole family, one function per row."""
        if self.family == "pca":
            functions = np.linalg.eigh(covariance)[1].T[::-1]
            largest = np.abs(functions).argmax(axis=1)[:, None]
            return functions * np.sign(np.take_along_axis(functions, largest, axis=1))
        if self.family == "dct":
            waves = dct(np.eye(self.side), axis=0, norm="ortho")
            squares = np.kron(np.kron(waves, waves), np.eye(self.n_channels_ or 1))
            frequency = np.arange(self.side)
            size = np.add.outer(frequency**2, frequency**2).ravel()
            return squares[np.repeat(size, self.n_channels_ or 1).argsort(kind="stable")]
        raise ValueError(f"There is no family {self.family!r}; choose 'pca' or 'dct'.")
