"""Maps of many numbers are those of numpy, whatever the knots."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pulps.tables.interpolation import MANY, interpolate


@given(st.integers(2, 70), st.integers(0, 2**31), st.sampled_from([0.01, 1.0, 30.0]))
def test_many_numbers_are_mapped_as_numpy_maps_them(n_knots, seed, skew):
    rng = np.random.default_rng(seed)
    knots = np.unique(np.exp(skew * rng.standard_normal(n_knots)))
    if len(knots) < 2:
        knots = np.array([0.0, 1.0])
    positions = np.sort(rng.random(len(knots)))
    values = np.exp(skew * rng.standard_normal(MANY))
    values[: len(knots)] = knots
    values[-3:] = np.nan, -5.0, 2 * knots[-1]
    expected = np.interp(values, knots, positions)
    np.testing.assert_allclose(interpolate(values, knots, positions), expected, rtol=1e-14)


@pytest.mark.parametrize("size", [1, MANY - 1, MANY, 3 * MANY])
def test_a_number_goes_to_the_same_place_in_any_company(size):
    rng = np.random.default_rng(0)
    knots, positions = np.sort(rng.random(1000)), np.linspace(0, 1, 1000)
    values = rng.random(3 * MANY)
    apart = [
        interpolate(values[first : first + size], knots, positions)
        for first in range(0, len(values), size)
    ]
    together = interpolate(values, knots, positions)
    np.testing.assert_allclose(np.concatenate(apart), together, rtol=1e-14)
