"""Columns of few values are swept like any others, with whatever stands beside them."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from pulps.network import lps
from pulps.network.basis import CosineBasis
from pulps.network.engine import blocks, native
from pulps.network.engine.rows import sort_rows
from pulps.network.lps import ChainShape

ENGINES = [blocks] + [native] * (native.load()[0] is not None)
each_engine = pytest.mark.parametrize("which", ENGINES, ids=lambda module: module.__name__)
# Tolerance of gradients, on the scale of the largest one.
TOLERANCE = {torch.float64: 1e-9, torch.float32: 1e-3}
COUNTS = (1, 2, 5, 8, 9, 16, 17, 400)  # values of a column: up to all lanes, and beyond


def table(shape, n_rows, seed, missing=0.0, counts=COUNTS):
    """Draw cores, cosines of columns of few and of many values, and what is observed."""
    generator = torch.Generator().manual_seed(seed)
    cores = [core.double() for core in shape.random_cores(2, 1.0, generator)]
    features = []
    for site, dim in enumerate(shape.feature_dims):
        count = counts[site % len(counts)]
        values = torch.rand(count, generator=generator, dtype=torch.float64)
        column = values[torch.randint(count, (n_rows,), generator=generator)]
        features.append(CosineBasis(dim)(column).contiguous())
    observed = torch.rand(n_rows, shape.n_sites, generator=generator) >= missing
    weights = torch.randn(2, n_rows, generator=generator).double()
    return cores, features, observed, weights


def derived(norms, cores, weights):
    """Log-norms, and the gradients of a weighted sum of them, in double."""
    moving = [core.clone().requires_grad_() for core in cores]
    value = norms(moving)
    gradients = torch.autograd.grad((value * weights.to(value)).sum(), moving)
    return value.detach().double(), [gradient.double() for gradient in gradients]


@each_engine
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
@pytest.mark.parametrize("missing", [0.0, 0.02])
@pytest.mark.parametrize(
    "shape",
    [
        ChainShape((6,) * 10, 8, 4, 2),
        ChainShape((20,) * 9, 6, 4),  # the paper's: legs as wide as features
        ChainShape((12, 3, 1, 5, 4, 2, 7, 8, 6), 12, 3, 2),
        ChainShape((5,), 8, 4, 2),
    ],
    ids=str,
)
def test_few_values_equal_the_clear_sweep(which, shape, dtype, missing):
    cores, features, observed, weights = table(shape, 301, 0, missing)
    batch = sort_rows([phi.to(dtype) for phi in features], observed)
    found = derived(
        lambda moving: which.log_norms(moving, batch), [c.to(dtype) for c in cores], weights
    )
    wanted = derived(lambda moving: lps.log_norms(moving, features, observed), cores, weights)
    assert (found[0] - wanted[0]).abs().max() <= TOLERANCE[dtype] * 10
    scale = max(1.0, *(float(gradient.abs().max()) for gradient in wanted[1]))
    for got, want in zip(found[1], wanted[1], strict=True):
        assert (got - want).abs().max() <= TOLERANCE[dtype] * scale


@each_engine
@settings(max_examples=25)
@given(
    counts=st.lists(st.integers(1, 20), min_size=1, max_size=7),
    rows=st.tuples(st.integers(0, 100), st.integers(101, 200)),
    seed=st.integers(0, 99),
)
def test_rows_do_not_depend_on_how_many_values_the_others_have(which, counts, rows, seed):
    shape = ChainShape((6,) * len(counts), 8, 3, 2)
    cores, features, _, _ = table(shape, 200, seed, counts=counts)
    every = which.log_norms(cores, sort_rows(features, None))
    some = which.log_norms(cores, sort_rows([phi[slice(*rows)] for phi in features], None))
    torch.testing.assert_close(some, every[:, slice(*rows)], rtol=1e-12, atol=1e-12)
