"""What lines an image is made of: directions of edges, counted cell by cell.

Two images of one thing differ pixel by pixel wherever a line is a little thicker or moved. How
much edge of each direction there is in each part of the image hardly differs (histograms of
oriented gradients, Dalal and Triggs, 2005). So neighbors by these numbers show the same thing
more often than neighbors by pixels.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor
from torch.nn.functional import conv2d, normalize, pad

from pulps.images.layout import channels_first

N_DIRECTIONS = 8
N_CELLS = 8  # along the shorter side, about
SMALLEST_CELL = 2


def edge_directions(images: Tensor) -> Tensor:
    """Count the edges of each direction in each cell of each image.

    The change of brightness at a pixel, that of the channel where it is largest, counts for the
    two nearest of eight directions, and for the four nearest cells. The square roots of these
    counts are taken for unit length, so an image of twice the contrast has the same numbers.

    Parameters
    ----------
    images
        Shape (images, height, width), with or without channels as the last axis.

    Returns
    -------
    Tensor of shape (images, directions x cells)
        Of length one; zeros for an image without edges.

    Examples
    --------
    >>> step = torch.zeros(1, 8, 8)
    >>> step[:, :, 4:] = 1.0
    >>> counts = edge_directions(step).unflatten(1, (8, -1)).sum(2)
    >>> counts.argmax(1), edge_directions(step.mT).unflatten(1, (8, -1)).sum(2).argmax(1)
    (tensor([0]), tensor([2]))
    """
    planes = channels_first(images)
    height, width = planes.shape[2], planes.shape[3]
    low, narrow = max(0, SMALLEST_CELL - height), max(0, SMALLEST_CELL - width)
    if low or narrow:  # a single line has edges along itself
        planes = pad(planes, [0, narrow, 0, low], mode="replicate")
        height, width = height + low, width + narrow
    cell = max(SMALLEST_CELL, round(min(height, width) / N_CELLS))
    to_right, down = torch.zeros_like(planes), torch.zeros_like(planes)
    to_right[..., 1:-1] = planes[..., 2:] - planes[..., :-2]
    down[..., 1:-1, :] = planes[..., 2:, :] - planes[..., :-2, :]
    size = to_right.square() + down.square()
    channel = size.argmax(1, keepdim=True)
    to_right, down, size = (
        part.gather(1, channel)[:, 0] for part in (to_right, down, size.sqrt())
    )
    turn = torch.atan2(down, to_right) / (2 * math.pi) * N_DIRECTIONS % N_DIRECTIONS
    away = (turn[:, None] - torch.arange(N_DIRECTIONS, device=turn.device)[:, None, None]).abs()
    near = (1 - torch.minimum(away, N_DIRECTIONS - away)).clamp_min(0)
    counts = _by_cell((size[:, None] * near).flatten(0, 1), cell).unflatten(0, (len(planes), -1))
    return normalize(counts.flatten(1).clamp_min(0).sqrt(), dim=1)


def _by_cell(planes: Tensor, cell: int) -> Tensor:
    """Sum planes over cells; a pixel belongs to the nearest ones, less with distance."""
    rise = torch.arange(1, cell + 1, dtype=planes.dtype, device=planes.device)
    weight = torch.cat([rise, rise.flip(0)])
    weight = weight / weight.sum()
    around = pad(planes[:, None], [cell // 2] * 4)
    return conv2d(around, torch.outer(weight, weight)[None, None], stride=cell)[:, 0]
