"""Perceptrons by hand: their gradient is that of torch, and their risk falls."""

from itertools import pairwise

import numpy as np
import torch

from pulps.views.perceptrons import forward
from pulps.views.risk_network import backward


def test_the_gradient_is_that_of_automatic_differentiation():
    rng = np.random.RandomState(0)
    rows, sizes = rng.normal(size=(7, 4)), (4, 5, 6, 1)
    weights = [rng.normal(size=(3, a, b)) for a, b in pairwise(sizes)]
    offsets = [rng.normal(size=(3, 1, b)) for b in sizes[1:]]
    slopes = rng.normal(size=(3, 7))
    found = backward(slopes, forward(rows, weights, offsets), weights)
    tensors = [torch.tensor(values, requires_grad=True) for values in (*weights, *offsets)]
    values = torch.tensor(rows)
    for number in range(3):
        values = (values if number == 0 else values.relu()) @ tensors[number] + tensors[3 + number]
    (values[..., 0] * torch.tensor(slopes)).sum().backward()
    for mine, theirs in zip(found, tensors, strict=True):
        np.testing.assert_allclose(mine, theirs.grad.numpy(), rtol=1e-10, atol=1e-12)
