"""Networks that make rows from noise: a perceptron, a small deconvolutional one, yours."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import torch
from torch import nn

from pulps.baselines._shared.generated_rows import RowActivation
from pulps.baselines._shared.perceptrons import dense_layers

GeneratorArchitecture = str | Callable[[int, tuple[int, ...]], nn.Module]


def build_generator(
    architecture: GeneratorArchitecture,
    n_inputs: int,
    shape: tuple[int, ...],
    blocks: list[int] | None,
    units: Sequence[int],
) -> nn.Module:
    """Make a generator of rows of a shape.

    Parameters
    ----------
    architecture
        ``"auto"``: ``"mlp"`` for tables and ``"cnn"`` for images; or a function that takes
        the number of inputs and the shape of a row and returns a module, which must give raw
        numbers: tanh, and a draw of each category, come after it.
    n_inputs
        How many numbers the generator starts from: noise, and what else it is given.
    shape
        (columns,) or (channels, height, width).
    blocks
        Width of each column of a table; None for images.
    units
        Hidden units of the layers of ``"mlp"``.
    """
    if architecture == "auto":
        architecture = "mlp" if len(shape) == 1 else "cnn"
    if not isinstance(architecture, str):
        body = architecture(n_inputs, shape)
    elif architecture == "mlp":
        layers = dense_layers([n_inputs, *units, math.prod(shape)])
        body = nn.Sequential(*layers, nn.Unflatten(1, shape))
    else:
        body = deconvolutions(n_inputs, shape)
    return nn.Sequential(body, RowActivation(blocks))


def deconvolutions(n_inputs: int, shape: tuple[int, ...]) -> nn.Module:
    """Noise to a quarter of the size, then two transposed convolutions (after DCGAN)."""
    if len(shape) != 3 or shape[1] % 4 or shape[2] % 4:
        raise ValueError(
            f"generator='cnn' makes images whose height and width are multiples of 4, but a row "
            f"has shape {shape}. Pad the images, or take generator='mlp'."
        )
    channels, height, width = shape
    small = (64, height // 4, width // 4)
    return nn.Sequential(
        nn.Linear(n_inputs, math.prod(small)),
        nn.Unflatten(1, small),
        nn.BatchNorm2d(64),
        nn.ReLU(),
        nn.ConvTranspose2d(64, 32, 4, stride=2, padding=1),
        nn.BatchNorm2d(32),
        nn.ReLU(),
        nn.ConvTranspose2d(32, channels, 4, stride=2, padding=1),
    )


def draw_noise(n_rows: int, n_numbers: int, kind: str) -> torch.Tensor:
    """Noise of torch's generator: ``"normal"``, or ``"uniform"`` in (−1, 1)."""
    if kind == "normal":
        return torch.randn(n_rows, n_numbers)
    return 2 * torch.rand(n_rows, n_numbers) - 1
