"""Bases are orthonormal; NaN is missing."""

import numpy as np
import pytest
import torch

from pulps.basis import CosineBasis, OneHotBasis, SineBasis, embed


def quadrature(n=64):
    nodes, weights = np.polynomial.legendre.leggauss(n)
    return torch.tensor((nodes + 1) / 2), torch.tensor(weights / 2)


@pytest.mark.parametrize("basis", [CosineBasis(9), SineBasis(9)])
def test_functions_are_orthonormal_on_the_unit_interval(basis):
    u, w = quadrature()
    phi = basis(u)
    torch.testing.assert_close(phi.T @ (w[:, None] * phi), torch.eye(9, dtype=torch.float64))


def test_indicators_are_orthonormal_on_the_categories():
    phi = OneHotBasis(4)(torch.arange(4.0))
    torch.testing.assert_close(phi.T @ phi, torch.eye(4))


@pytest.mark.parametrize("basis", [CosineBasis(5), OneHotBasis(5)])
def test_the_constant_function_is_one_everywhere(basis):
    u = torch.arange(5.0) if isinstance(basis, OneHotBasis) else torch.rand(5)
    torch.testing.assert_close(basis(u) @ basis.constant().float(), torch.ones(5))


def test_the_sine_constant_is_the_projection_of_one():
    u, w = quadrature()
    basis = SineBasis(6)
    torch.testing.assert_close(basis.constant(), w @ basis(u))


def test_nan_is_not_observed_and_embeds_to_zero():
    values = torch.tensor([[0.5, float("nan")], [float("nan"), 2.0]])
    features, observed = embed([CosineBasis(3), OneHotBasis(3)], values)
    assert observed.tolist() == [[True, False], [False, True]]
    assert features[0][1].tolist() == [0, 0, 0]
    assert features[1].tolist() == [[0, 0, 0], [0, 0, 1]]
