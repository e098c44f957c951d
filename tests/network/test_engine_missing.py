"""Rows that miss something: sorted by where they do, traced together, and never wrong."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from oracle import dense_log_norms

from pulps.network import lps
from pulps.network.engine import blocks, native
from pulps.network.engine.rows import CLOSE, sort_rows
from pulps.network.lps import ChainShape

ENGINES = [blocks] + [native] * (native.load()[0] is not None)
each_engine = pytest.mark.parametrize("which", ENGINES, ids=lambda module: module.__name__)
TOLERANCE = {torch.float64: 1e-9, torch.float32: 2e-4}
each_dtype = pytest.mark.parametrize("dtype", TOLERANCE.keys())


def draw(shape, n_rows, seed=0):
    """Draw the cores of one chain and the features of some rows, in double."""
    generator = torch.Generator().manual_seed(seed)
    cores = [core.double() for core in shape.random_cores(1, 1.0, generator)]
    features = [
        torch.rand(n_rows, d, generator=generator, dtype=torch.float64) + 0.1
        for d in shape.feature_dims
    ]
    return cores, features, generator


def derived(norms, cores):
    """Log-norms, and the gradients of an uneven sum of them, in double."""
    cores = [core.detach().requires_grad_() for core in cores]
    value = norms(cores)
    weights = torch.linspace(-1, 1, value.numel()).to(value)
    gradients = torch.autograd.grad((value.flatten() * weights).sum(), cores)
    return [value.detach().flatten().double(), *(gradient.double() for gradient in gradients)]


def assert_equals_the_dense_matrix(which, cores, features, observed, dtype):
    batch = sort_rows([phi.to(dtype) for phi in features], observed)
    found = derived(lambda c: which.log_norms(c, batch), [core.to(dtype) for core in cores])
    wanted = derived(lambda c: dense_log_norms([a[0] for a in c], features, observed), cores)
    for one, other in zip(found, wanted, strict=True):
        scale = max(1.0, float(other.abs().max()))
        assert float((one - other).abs().max()) <= TOLERANCE[dtype] * scale


@each_engine
@each_dtype
@pytest.mark.parametrize("missing", [0.05, 0.3, 0.9])
@pytest.mark.parametrize(
    "shape",
    [ChainShape((3, 2, 3, 2), 8, 2, 2), ChainShape((2,) * 6, 3, 3, 2), ChainShape((5, 2, 3), 4)],
    ids=["large bond", "small bond", "output as feature"],
)
def test_scattered_gaps_equal_the_dense_matrix(which, dtype, missing, shape):
    cores, features, generator = draw(shape, 150)
    observed = torch.rand(150, shape.n_sites, generator=generator) >= missing
    assert_equals_the_dense_matrix(which, cores, features, observed, dtype)


@each_engine
@each_dtype
@pytest.mark.parametrize("n_missed", [1, 2, 15, 16, 17, 40])
@pytest.mark.parametrize("site", [0, 2, 3])
def test_few_rows_and_many_that_miss_one_site_equal_the_dense_matrix(which, dtype, n_missed, site):
    cores, features, _ = draw(ChainShape((3, 2, 3, 4), 8, 2, 2), 40)
    observed = torch.ones(40, 4, dtype=torch.bool)
    observed[:n_missed, site] = False
    assert_equals_the_dense_matrix(which, cores, features, observed, dtype)


@each_engine
def test_weighted_gaps_of_many_rows_equal_the_clear_sweep(which):
    shape = ChainShape((3, 6, 17, 2, 4), 8, 2, 2)
    cores, features, generator = draw(shape, 100)
    observed = torch.rand(100, 5, generator=generator) >= 0.3
    weights = [torch.rand(d, generator=generator).double() + 0.1 for d in shape.feature_dims]
    batch = sort_rows(features, observed, weights)
    found = derived(lambda c: which.log_norms(batch.weighted(c), batch), cores)

    def clear(cores):
        norms = lps.log_norms(batch.weighted(cores), batch.features, batch.observed)
        return batch.restored(norms)

    for one, other in zip(found, derived(clear, cores), strict=True):
        torch.testing.assert_close(one, other, rtol=1e-8, atol=1e-8)


@given(
    n_rows=st.integers(1, 40),
    n_sites=st.integers(1, 12),
    missing=st.floats(0.01, 0.9),
    seed=st.integers(0, 999),
)
def test_rows_are_sorted_by_how_far_apart_they_miss_something(n_rows, n_sites, missing, seed):
    generator = torch.Generator().manual_seed(seed)
    observed = torch.rand(n_rows, n_sites, generator=generator) >= missing
    batch = sort_rows([torch.arange(n_rows)[:, None].double()] * n_sites, observed)
    values = torch.arange(n_rows)[None]
    assert torch.equal(batch.restored(batch.sorted(values)), values)
    if observed.all():
        assert batch.borders == ()
        return
    assert torch.equal(batch.observed, observed[batch.features[0][:, 0].long()])
    far, complete = batch.borders
    for row, seen in enumerate(batch.observed):
        places = (~seen).nonzero()[:, 0]
        assert (len(places) == 0) == (row >= complete)
        if len(places):
            span = int(places[-1] - places[0]) + 1
            assert (span > max(1, n_sites * CLOSE)) == (row < far)
