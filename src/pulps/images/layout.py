"""Where rows, columns and channels of images are."""

from __future__ import annotations

from torch import Tensor


def check_images(images: Tensor) -> None:
    """Refuse what is not a batch of images of floating point numbers.

    Parameters
    ----------
    images
        What came.
    """
    if images.ndim not in (3, 4):
        raise ValueError(
            "Images come as (images, height, width) or (images, height, width, channels), but "
            f"the shape is {tuple(images.shape)}. Add an axis for a single image: images[None]."
        )
    if not images.is_floating_point():
        raise TypeError(
            f"Images hold floating point numbers, but these are {images.dtype}. Convert them, "
            "for example by images.float() / 255."
        )


def channels_first(images: Tensor) -> Tensor:
    """View images as (images, channels, height, width), the layout of torch.

    Parameters
    ----------
    images
        Images with or without channels as the last axis.

    Returns
    -------
    Tensor of shape (images, channels, height, width)

    Examples
    --------
    >>> import torch
    >>> channels_first(torch.zeros(5, 28, 20)).shape, channels_first(torch.zeros(5, 4, 6, 3)).shape
    (torch.Size([5, 1, 28, 20]), torch.Size([5, 3, 4, 6]))
    """
    check_images(images)
    return images[:, None] if images.ndim == 3 else images.movedim(3, 1)


def channels_last(images: Tensor, ndim: int) -> Tensor:
    """Bring images back to the layout they came in.

    Parameters
    ----------
    images
        Shape (images, channels, height, width).
    ndim
        Number of axes they had: 3 without channels, 4 with them.

    Returns
    -------
    Tensor

    Examples
    --------
    >>> import torch
    >>> channels_last(torch.zeros(5, 3, 4, 6), 4).shape
    torch.Size([5, 4, 6, 3])
    """
    return images[:, 0] if ndim == 3 else images.movedim(1, 3)


def as_size(size: int | tuple[int, int]) -> tuple[int, int]:
    """Height and width of a size; one number means a square.

    Parameters
    ----------
    size
        One number or two.

    Returns
    -------
    height, width

    Examples
    --------
    >>> as_size(14)
    (14, 14)
    """
    height, width = (size, size) if isinstance(size, int) else size
    if height < 1 or width < 1:
        raise ValueError(
            f"A size is a positive number or a pair of them, height and width, but {size!r} came."
        )
    return height, width
