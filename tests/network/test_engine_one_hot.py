"""Sites of categories get the gradients of the clear sweep, whichever way these are summed."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import dense_log_norms

from pulps.network import lps
from pulps.network.engine import blocks, native
from pulps.network.engine.rows import sort_rows
from pulps.network.lps import ChainShape

ENGINES = [blocks] + [native] * (native.load()[0] is not None)
each_engine = pytest.mark.parametrize("which", ENGINES, ids=lambda module: module.__name__)
# Tolerance of gradients, on the scale of the largest one.
TOLERANCE = {torch.float64: 1e-9, torch.float32: 1e-3}


def table(shape, n_rows, missing, seed, n_chains=2):
    """Draw cores, one-hot features, which sites are observed, and weights of rows, in double."""
    generator = torch.Generator().manual_seed(seed)
    cores = [core.double() for core in shape.random_cores(n_chains, 1.0, generator)]
    features = []
    for dim in shape.feature_dims:
        # Half of the rows share a category, and some categories may have no row at all.
        codes = torch.randint(dim, (n_rows,), generator=generator)
        codes[torch.rand(n_rows, generator=generator) < 0.5] = dim - 1
        features.append(torch.eye(dim, dtype=torch.float64)[codes])
    observed = torch.rand(n_rows, shape.n_sites, generator=generator) >= missing
    weights = torch.randn(n_chains, n_rows, generator=generator).double()
    return cores, features, observed, weights


def assert_gradients(which, cores, features, observed, weights, dtype):
    """Compare gradients of a weighted sum of log-norms with those of the clear sweep."""
    batch = sort_rows([phi.to(dtype) for phi in features], observed)
    moving = [core.to(dtype).requires_grad_() for core in cores]
    found = torch.autograd.grad((which.log_norms(moving, batch) * weights.to(dtype)).sum(), moving)
    moving = [core.clone().requires_grad_() for core in cores]
    norms = lps.log_norms(moving, features, observed)
    wanted = torch.autograd.grad((norms * weights).sum(), moving)
    scale = max(1.0, *(float(gradient.abs().max()) for gradient in wanted))
    for got, want in zip(found, wanted, strict=True):
        assert (got.double() - want).abs().max() <= TOLERANCE[dtype] * scale


@each_engine
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
@pytest.mark.parametrize("missing", [0.0, 0.03])
@pytest.mark.parametrize(
    "shape",
    [
        ChainShape((6,) * 8, 8, 4, 2),
        ChainShape((8,) * 9, 8, 3, 2),  # other tiles of features
        ChainShape((2,) * 13, 8, 4, 2),  # ranks above the number of categories
        ChainShape((3, 16, 1, 5, 4, 2, 7), 16, 3, 3),  # as many categories as lanes, and one
        ChainShape((4,) * 7, 12, 3, 2),
        ChainShape((5,), 8, 4, 2),
    ],
    ids=str,
)
def test_gradients_of_categories_equal_the_clear_sweep(which, shape, dtype, missing):
    # More rows than a chunk has, and not a whole number of vectors.
    assert_gradients(which, *table(shape, 301, missing, 0), dtype)


@each_engine
@settings(max_examples=40)
@given(
    dims=st.lists(st.integers(1, 3), min_size=1, max_size=6),
    bond=st.sampled_from([1, 4, 8]),
    spacing=st.integers(1, 7),
    missing=st.sampled_from([0.0, 0.3]),
    seed=st.integers(0, 999),
)
def test_drawn_tables_of_categories_equal_the_dense_matrix(
    which, dims, bond, spacing, missing, seed
):
    shape = ChainShape(tuple(dims), bond, spacing, 2)
    cores, features, observed, weights = table(shape, 9, missing, seed, n_chains=1)
    found = which.log_norms(cores, sort_rows(features, observed))[0]
    wanted = dense_log_norms([core[0] for core in cores], features, observed)
    torch.testing.assert_close(found, wanted, rtol=1e-8, atol=1e-8)
    assert_gradients(which, cores, features, observed, weights, torch.float64)
