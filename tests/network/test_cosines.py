"""Sums of cosines: read from midpoints, integrated and inverted in closed form."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from pulps.network.cosines import cumulative, evaluate, from_midpoints, invert, midpoints


def squares(seed, n_rows=5, dim=6):
    """Coefficients of squared cosine sums: densities that touch zero."""
    rng = np.random.default_rng(seed)
    k, m = np.arange(dim), np.arange(2 * dim - 1)
    wave = np.cos(np.pi * k * midpoints(2 * dim - 1).numpy()[:, None])
    values = (wave @ rng.standard_normal((dim, n_rows))) ** 2
    assert len(m) == len(values)
    return (from_midpoints(2 * dim - 1) @ torch.tensor(values)).mT


@given(st.integers(0, 2**31), st.integers(1, 12))
def test_values_at_midpoints_fix_the_sum_everywhere(seed, n_nodes):
    rng = np.random.default_rng(seed)
    coefficients, u = rng.standard_normal(n_nodes), rng.random(7)

    def value(at):
        return np.cos(np.pi * np.arange(n_nodes) * at[:, None]) @ coefficients

    read = from_midpoints(n_nodes) @ torch.tensor(value(midpoints(n_nodes).numpy()))
    found = evaluate(read.expand(7, -1), torch.tensor(u))
    np.testing.assert_allclose(found.numpy(), value(u), atol=1e-10)


def test_the_cumulative_function_is_the_integral():
    nodes, weights = np.polynomial.legendre.leggauss(60)
    for row in squares(0):
        for u in (0.0, 0.3, 0.77, 1.0):
            at = torch.tensor(u * (nodes + 1) / 2)
            integral = (u * weights / 2) @ evaluate(row.expand(60, -1), at).numpy()
            found = cumulative(row[None], torch.tensor([u], dtype=torch.float64))
            assert float(found[0]) == pytest.approx(integral, abs=1e-12)


@given(st.integers(0, 2**31))
def test_inverting_the_cumulative_function_returns_the_level(seed):
    coefficients = squares(seed)
    level = torch.tensor(np.random.default_rng(seed).random(5))
    u = invert(coefficients, level)
    assert ((u >= 0) & (u <= 1)).all()
    reached = cumulative(coefficients, u) / coefficients[:, 0]
    torch.testing.assert_close(reached, level, rtol=0, atol=1e-11)


def test_the_ends_of_the_interval_are_reached():
    coefficients = squares(3)
    ends = torch.tensor([0.0, 1.0, 0.0, 1.0, 1.0], dtype=torch.float64)
    torch.testing.assert_close(invert(coefficients, ends), ends, rtol=0, atol=1e-4)
