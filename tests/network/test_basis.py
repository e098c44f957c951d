"""Bases are orthonormal; NaN is missing."""

import math

import numpy as np
import pytest
import torch

from pulps.network.basis import CosineBasis, OneHotBasis, SineBasis, SphereBasis, embed


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


def half_sphere(dim, scale, n=200):
    """Numbers and weights of an even rule on the half sphere: angles, or heights and angles."""
    turns = 2 * math.pi * (torch.arange(n, dtype=torch.float64) + 0.5) / n
    if dim == 2:
        z = torch.tan(turns / 2 - math.pi / 2)[:, None] / scale
        return z, torch.full((n,), 1 / n, dtype=torch.float64)
    heights, weights = quadrature()
    radii = (1 - heights**2).sqrt() / heights / scale
    ring = torch.stack([turns.cos(), turns.sin()], dim=1)
    z = (radii[:, None, None] * ring).flatten(0, 1)
    return z, weights.repeat_interleave(n) / n


@pytest.mark.parametrize("scale", [0.3, 2.0])
@pytest.mark.parametrize("dim", [2, 3])
def test_points_of_the_half_sphere_are_orthonormal(dim, scale):
    z, w = half_sphere(dim, scale)
    phi = SphereBasis(dim, scale)(z)
    torch.testing.assert_close(phi.T @ (w[:, None] * phi), torch.eye(dim, dtype=torch.float64))


@pytest.mark.parametrize(("dim", "tolerance"), [(2, 1e-4), (3, 1e-10)])
def test_the_sphere_constant_is_the_projection_of_one(dim, tolerance):
    z, w = half_sphere(dim, 1.0)
    basis = SphereBasis(dim)
    torch.testing.assert_close(basis.constant(), w @ basis(z), rtol=0, atol=tolerance)


def test_the_sphere_constant_holds_in_many_dimensions():
    normal = torch.randn(20_000, 10, generator=torch.Generator().manual_seed(0))
    points = math.sqrt(10) * torch.nn.functional.normalize(normal.double(), dim=1)
    points = points * points[:, :1].sign()
    error = (points.mean(0) - SphereBasis(10).constant()).abs()
    assert error.max() < 5 / math.sqrt(20_000)


@pytest.mark.parametrize("sign", [1, -1])
def test_the_sphere_gives_its_numbers_back(sign):
    z = torch.randn(7, 2, 4, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    basis = SphereBasis(5, scale=0.7)
    phi = basis(z)
    torch.testing.assert_close(phi.square().sum(-1), torch.full((7, 2), 5.0).double())
    assert (phi[..., 0] > 0).all()
    torch.testing.assert_close(basis.inverse(sign * phi), z)


def test_the_equator_has_finite_numbers():
    assert SphereBasis(3).inverse(torch.tensor([0.0, 1.0, -1.0])).isfinite().all()


def test_a_site_of_several_numbers_is_missing_as_a_whole():
    values = torch.zeros(2, 3, 2)
    values[0, 1, 1] = float("nan")
    values[1, 2] = float("nan")
    features, observed = embed([SphereBasis(3)] * 3, values)
    assert observed.tolist() == [[True, False, True], [True, True, False]]
    assert features[1][0].tolist() == [0, 0, 0]
    assert features[1][1].tolist() == pytest.approx([math.sqrt(3), 0, 0])
