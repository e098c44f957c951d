"""Images of another size, and images that stand upright.

All functions take many images at once, (images, height, width) with or without channels as
the last axis, of finite numbers.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.functional import affine_grid, avg_pool2d, grid_sample, interpolate

from pulps.images.layout import as_size, channels_first, channels_last

MOST_SHEAR = 1.0


def resize(images: Tensor, size: int | tuple[int, int]) -> Tensor:
    """Bring images to another size.

    Where both sides shrink by whole factors, a pixel becomes the mean of a block of pixels;
    otherwise pixels are interpolated linearly, over a wider neighborhood where they shrink.

    Parameters
    ----------
    images
        Images, all of one size.
    size
        Height and width, or one number for both.

    Returns
    -------
    Tensor

    Examples
    --------
    >>> resize(torch.arange(16.0).reshape(1, 4, 4), 2)
    tensor([[[ 2.5000,  4.5000],
             [10.5000, 12.5000]]])
    """
    planes, new = channels_first(images), as_size(size)
    old = (planes.shape[2], planes.shape[3])
    if old == new:
        return images
    if old[0] % new[0] == 0 and old[1] % new[1] == 0:
        planes = avg_pool2d(planes, (old[0] // new[0], old[1] // new[1]))
    else:
        planes = interpolate(planes, new, mode="bilinear", antialias=True)
    return channels_last(planes, images.ndim)


def crop(images: Tensor, size: int | tuple[int, int]) -> Tensor:
    """Keep the middle of images.

    Parameters
    ----------
    images
        Images, all of one size.
    size
        Height and width, or one number for both.

    Returns
    -------
    Tensor

    Examples
    --------
    >>> crop(torch.arange(16.0).reshape(1, 4, 4), 2)
    tensor([[[ 5.,  6.],
             [ 9., 10.]]])
    """
    planes, (height, width) = channels_first(images), as_size(size)
    if height > planes.shape[2] or width > planes.shape[3]:
        raise ValueError(
            f"Images of {planes.shape[2]} x {planes.shape[3]} pixels cannot be cropped to "
            f"{height} x {width}. Ask for less, or resize them."
        )
    top, left = (planes.shape[2] - height) // 2, (planes.shape[3] - width) // 2
    return images[:, top : top + height, left : left + width]


def affine(images: Tensor, matrices: Tensor) -> Tensor:
    """Map each image by its own affine map; what comes from outside is zero.

    Parameters
    ----------
    images
        Images, all of one size.
    matrices
        Shape (images, 2, 3). With x and y the distances of a pixel from the middle, to the
        right and downwards, the new image has at (x, y) what the old one has at
        ``matrix @ (x, y, 1)``; between pixels it is interpolated linearly.

    Returns
    -------
    Tensor
        Images of the same shape.

    Examples
    --------
    One pixel to the right: every pixel takes what is left of it.

    >>> images = torch.tensor([[[1.0, 2.0, 3.0]]])
    >>> affine(images, torch.tensor([[[1.0, 0.0, -1.0], [0.0, 1.0, 0.0]]]))
    tensor([[[0., 1., 2.]]])
    """
    planes = channels_first(images)
    height, width = planes.shape[2], planes.shape[3]
    # torch measures in halves of the sides
    halves = matrices.new_tensor([width / 2, height / 2, 1.0])
    matrices = (matrices * halves / halves[:2, None]).to(planes)
    grid = affine_grid(matrices, list(planes.shape), align_corners=False)
    moved = grid_sample(planes, grid, padding_mode="zeros", align_corners=False)
    return channels_last(moved, images.ndim)


def upright(images: Tensor) -> Tensor:
    r"""Undo the slant of what images show and bring it to the middle.

    With brightness as mass (summed over channels, nothing below zero), the image is sheared
    along its rows until the mixed second moment vanishes, :math:`x - \bar x` losing
    :math:`(y - \bar y) \, m_{xy} / m_{yy}`, and the center of mass moves to the middle. A
    slant of more than 45 degrees is undone by 45 only: what is that flat hardly stands. An
    image of zeros stays as it is.

    Parameters
    ----------
    images
        Images, all of one size.

    Returns
    -------
    Tensor
        Images of the same shape.

    Examples
    --------
    >>> slanted = torch.zeros(1, 7, 7)
    >>> slanted[0, [2, 3, 4], [4, 3, 2]] = 1.0
    >>> upright(slanted)[0, 2:5, 2:5].round()
    tensor([[0., 1., 0.],
            [0., 1., 0.],
            [0., 1., 0.]])
    """
    mass = channels_first(images).clamp_min(0).sum(1)
    total = mass.sum((1, 2))
    total = torch.where(total > 0, total, 1.0)
    x, y = (
        torch.arange(side, dtype=mass.dtype, device=mass.device) - (side - 1) / 2
        for side in (mass.shape[2], mass.shape[1])
    )
    in_columns, in_rows = mass.sum(1) / total[:, None], mass.sum(2) / total[:, None]
    mean_x, mean_y = in_columns @ x, in_rows @ y
    off_y = y - mean_y[:, None]
    variance = (in_rows * off_y.square()).sum(1)
    mixed = ((mass @ x) / total[:, None] * off_y).sum(1)  # off_y has mean zero: x needs no center
    slant = torch.where(variance > 0, mixed / torch.where(variance > 0, variance, 1.0), 0.0)
    slant = slant.clamp(-MOST_SHEAR, MOST_SHEAR)
    one, zero = torch.ones_like(slant), torch.zeros_like(slant)
    matrices = torch.stack([one, slant, mean_x, zero, one, mean_y], dim=1).unflatten(1, (2, 3))
    return affine(images, matrices)
