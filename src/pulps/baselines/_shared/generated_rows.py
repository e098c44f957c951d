"""Rows as a generator makes them, and back: numbers in [−1, 1], a share for each category.

Real rows have numbers of the encoder's unit interval, stretched to [−1, 1], and one indicator
per category; a missing cell is the column's mean, which for categories is the share of each.
Images are channels of pixels in [−1, 1].
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from sklearn.base import BaseEstimator
from torch import Tensor, nn
from torch.nn.functional import one_hot

from pulps.baselines._shared.images import channels_first, is_images
from pulps.tables.decoding import read_form, to_table
from pulps.tables.encoding import TableEncoder
from pulps.tables.matrix import column_widths, spread_categories


class RowCodec(BaseEstimator):
    """Encode tables and images for networks, and decode what networks generate.

    Parameters
    ----------
    categorical_features
        See :class:`~pulps.tables.encoding.TableEncoder`.

    Attributes
    ----------
    shape_ : tuple of int
        Shape of an encoded row: (width,), or (channels, height, width).
    blocks_ : list of int
        Width of each column of a table: the number of its categories, or 1 for a number.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"word": ["a", "b", "a"], "size": [1.0, 2.0, 3.0]})
    >>> codec = RowCodec()
    >>> codec.fit_transform(frame).tolist()
    [[1.0, 0.0, -1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 1.0]]
    >>> codec.decode(np.array([[0.1, 0.9, 1.0]])).to_dict("records")
    [{'word': 'b', 'size': 3.0}]
    """

    def __init__(self, categorical_features: Any = "from_dtype"):
        self.categorical_features = categorical_features

    def fit_transform(self, X: Any) -> np.ndarray:
        """Learn columns or pixels, and encode the same rows."""
        if is_images(X):
            pixels = channels_first(X)
            self.low_, self.high_ = float(pixels.min()), float(pixels.max())
            self.gray_, self.shape_ = X.ndim == 3, pixels.shape[1:]
            return self._encode_pixels(pixels)
        self.encoder_ = TableEncoder(self.categorical_features)
        values = self.encoder_.fit_transform(X)
        self.form_ = read_form(X, self.encoder_)
        self.blocks_ = column_widths(self.encoder_.columns_)
        self.shape_ = (sum(self.blocks_),)
        cells = self._encode(values)
        self.means_ = np.nanmean(cells, axis=0)
        return np.where(np.isnan(cells), self.means_, cells)

    def transform(self, X: Any) -> np.ndarray:
        """Encode rows."""
        if len(self.shape_) == 3:
            pixels = channels_first(X) if is_images(X) else np.asarray(X)
            if pixels.shape[1:] != self.shape_:
                raise ValueError(
                    f"A row has shape {pixels.shape[1:]}, but fit saw images of shape "
                    f"{self.shape_} (channels, height, width). Pass images of that shape."
                )
            return self._encode_pixels(pixels)
        cells = self._encode(self.encoder_.transform(X))
        return np.where(np.isnan(cells), self.means_, cells)

    def decode(self, rows: np.ndarray) -> Any:
        """Write encoded rows as a table of the kind that was fitted, or as images."""
        if len(self.shape_) == 3:
            pixels = self.low_ + (rows + 1) / 2 * (self.high_ - self.low_)
            return pixels[:, 0] if self.gray_ else np.moveaxis(pixels, 1, 3)
        parts = np.split(rows, np.cumsum(self.blocks_)[:-1], axis=1)
        values = [
            part.argmax(axis=1) if part.shape[1] > 1 else (part[:, 0] + 1) / 2 for part in parts
        ]
        return to_table(np.column_stack(values).astype(float), self.encoder_, self.form_)

    def _encode(self, values: np.ndarray) -> np.ndarray:
        cells = spread_categories(values, self.encoder_.columns_)
        number = np.repeat(np.array(self.blocks_) == 1, self.blocks_)
        return np.where(number, 2 * cells - 1, cells)

    def _encode_pixels(self, pixels: np.ndarray) -> np.ndarray:
        return 2 * (pixels - self.low_) / ((self.high_ - self.low_) or 1.0) - 1


class RowActivation(nn.Module):
    """The last layer of a generator: tanh for numbers, a draw of one category per column.

    A category is drawn as a softmax of scores with Gumbel noise at a low temperature: nearly
    an indicator, and differentiable.

    Parameters
    ----------
    blocks
        Width of each column; None for images, which have numbers only.
    temperature
        The lower, the nearer to an indicator.
    """

    where: Tensor
    inside: Tensor
    categorical: Tensor

    def __init__(self, blocks: list[int] | None, temperature: float = 0.2):
        super().__init__()
        widths = np.array(blocks or [], dtype=int)
        starts = np.cumsum(widths) - widths
        wide = widths > 1
        self.temperature = temperature
        self.has_categories = bool(wide.any())
        offsets = np.arange(widths.max() if len(widths) else 0)
        for name, constant in {
            "where": np.minimum(starts[wide][:, None] + offsets, widths.sum() - 1),
            "inside": offsets < widths[wide][:, None],
            "categorical": np.repeat(wide, widths),
        }.items():
            self.register_buffer(name, torch.as_tensor(constant), persistent=False)

    def forward(self, raw: Tensor) -> Tensor:
        """Turn scores of a network into rows."""
        made = torch.tanh(raw)
        if not self.has_categories:
            return made
        scores = raw[:, self.where]
        noise = -torch.empty_like(scores).exponential_().clamp_min(1e-20).log()
        scores = ((scores + noise) / self.temperature).masked_fill(~self.inside, -torch.inf)
        drawn = scores.softmax(dim=-1)[:, self.inside]
        return made.masked_scatter(self.categorical.expand_as(made), drawn)


def hardened(rows: Tensor, blocks: list[int] | None) -> Tensor:
    """Make indicators of generated categories; numbers and images stay.

    >>> hardened(torch.tensor([[0.5, 0.2, 0.8]]), [1, 2])
    tensor([[0.5000, 0.0000, 1.0000]])
    """
    if blocks is None:
        return rows
    parts = [
        part if part.shape[1] == 1 else one_hot(part.argmax(1), part.shape[1]).to(part)
        for part in rows.split(blocks, dim=1)
    ]
    return torch.cat(parts, dim=1)
