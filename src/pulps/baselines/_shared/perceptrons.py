"""Networks that give a row one score: linear, a perceptron, a small convolutional one, yours."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np
import torch
from torch import Tensor, nn

Architecture = str | nn.Module | Callable[[tuple[int, ...]], nn.Module]


def build_network(architecture: Architecture, shape: tuple[int, ...], seed: int) -> nn.Module:
    """Make a network for rows of a shape, with random weights of its own.

    Parameters
    ----------
    architecture
        ``"linear"``, ``"mlp"``, ``"cnn"``; a torch module, which is copied; or a function
        that takes the shape of a row and returns a module. A module maps a batch of rows to
        one score per row.
    shape
        ``(columns,)`` or ``(channels, height, width)``.
    seed
        Seed of the weights; torch's global generator is left as it was.
    """
    if isinstance(architecture, nn.Module):
        return copy.deepcopy(architecture)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        if not isinstance(architecture, str):
            return architecture(shape)
        return {"linear": linear, "mlp": perceptron, "cnn": small_cnn}[architecture](shape)


def linear(shape: tuple[int, ...]) -> nn.Module:
    """Weigh and add the numbers of a row."""
    return nn.Sequential(nn.Flatten(), nn.Linear(math.prod(shape), 1))


def perceptron(shape: tuple[int, ...], units: Sequence[int] = (64, 64)) -> nn.Module:
    """Hidden layers of rectified units, by default two of 64."""
    return nn.Sequential(nn.Flatten(), *dense_layers([math.prod(shape), *units, 1]))


def dense_layers(sizes: Sequence[int]) -> list[nn.Module]:
    """Linear layers between the sizes, rectified but for the last."""
    layers: list[nn.Module] = []
    for before, after in pairwise(sizes):
        layers += [nn.Linear(before, after), nn.ReLU()]
    return layers[:-1]


def small_cnn(shape: tuple[int, ...]) -> nn.Module:
    """Two convolutions with pooling, then 64 rectified units.

    There is no batch normalization: batches of labeled and of unlabeled rows have
    different statistics, which would tell them apart.
    """
    if len(shape) != 3:
        raise ValueError(
            f"network='cnn' reads images, but a row has shape {shape}. Pass an array (rows, "
            "height, width) or (rows, height, width, channels), or take network='mlp'."
        )
    channels, height, width = shape
    size = 32 * max(height // 4, 1) * max(width // 4, 1)
    pools = [nn.MaxPool2d(2) if min(height, width) >= 4 else nn.Identity() for _ in range(2)]
    if min(height, width) < 4:
        size = 32 * height * width
    return nn.Sequential(
        nn.Conv2d(channels, 16, 3, padding=1),
        nn.ReLU(),
        pools[0],
        nn.Conv2d(16, 32, 3, padding=1),
        nn.ReLU(),
        pools[1],
        nn.Flatten(),
        nn.Linear(size, 64),
        nn.ReLU(),
        nn.Linear(64, 1),
    )


def scores(network: nn.Module, rows: Tensor) -> Tensor:
    """Score rows, shape (rows,)."""
    out = network(rows)
    if out.numel() != len(rows):
        raise ValueError(
            f"The network maps {len(rows)} rows to shape {tuple(out.shape)}; it must give one "
            "score per row. End it with a layer of one unit."
        )
    return out.reshape(len(rows))


def to_arrays(network: nn.Module) -> dict[str, np.ndarray]:
    """Weights and buffers of a network as arrays."""
    return {name: value.cpu().numpy().copy() for name, value in network.state_dict().items()}


def load_arrays(network: nn.Module, arrays: dict[str, np.ndarray]) -> nn.Module:
    """Put arrays made by :func:`to_arrays` back, and switch to evaluation."""
    network.load_state_dict({name: torch.as_tensor(array) for name, array in arrays.items()})
    return network.eval()
