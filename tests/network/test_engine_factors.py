"""Factors from both ends equal environments, whatever the ranks, and keep more digits."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import dense_log_norms

from pulps.network import lps
from pulps.network.basis import CosineBasis, OneHotBasis
from pulps.network.engine import blocks, factors, native
from pulps.network.engine.rows import sort_rows
from pulps.network.lps import ChainShape

ENGINES = [blocks] + [native] * (native.load()[0] is not None)
each_engine = pytest.mark.parametrize("which", ENGINES, ids=lambda module: module.__name__)
DTYPES = [torch.float64, torch.float32]
TOLERANCE = {torch.float64: 1e-8, torch.float32: 1e-3}
SHAPES = {
    "the default, 8 sites": ChainShape((6,) * 8, 8, 4, 2),
    "the default, 20 sites": ChainShape((6,) * 20, 8, 4, 2),
    "factors do not meet": ChainShape((3,) * 36, 8, 4, 2),
    "legs of one dimension": ChainShape((3,) * 12, 5, 2, 1),
    "no leg but the last, longer than a stretch in the cache": ChainShape((2,) * 150, 8, 999, 3),
    "rank 1 to beyond the bond": ChainShape((2,) * 9, 3, 3, 7),
    "every site a leg": ChainShape((2,) * 9, 6, 1, 2),
    "one site of many outputs": ChainShape((4,), 8, 4, 9),
    "sites of unlike features": ChainShape((1, 5, 2, 17, 3, 4, 8, 2), 8, 3, 2),
}
each_shape = pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES.keys())


def draw(shape, n_chains=2, n_rows=37, missing=0.0, seed=0):
    """Draw cores, features, which sites are observed, and what log-norms weigh, in double."""
    generator = torch.Generator().manual_seed(seed)
    cores = [core.double() for core in shape.random_cores(n_chains, 1.0, generator)]
    features = [
        torch.rand(n_rows, d, generator=generator, dtype=torch.float64) + 0.1
        for d in shape.feature_dims
    ]
    observed = torch.rand(n_rows, shape.n_sites, generator=generator) >= missing
    return cores, features, observed, torch.randn(n_chains, n_rows, generator=generator).double()


def derived(norms, cores, weights):
    """Log-norms, and the gradients of a weighted sum of them, in double."""
    cores = [core.detach().requires_grad_() for core in cores]
    value = norms(cores)
    gradients = torch.autograd.grad((value * weights.to(value)).sum(), cores)
    return value.detach().double(), [gradient.double() for gradient in gradients]


def errors(found, wanted):
    """Largest error of the values, and of the gradients on the scale of the largest one."""
    scale = max(1.0, *(float(gradient.abs().max()) for gradient in wanted[1]))
    by_site = [float((a - b).abs().max()) for a, b in zip(found[1], wanted[1], strict=True)]
    return float((found[0] - wanted[0]).abs().max()), max(by_site) / scale


def assert_no_worse(norms, clear, cores, weights, dtype):
    """Compare with the clear sweep in double precision; in single, it may err itself."""
    truth = derived(clear(torch.float64), cores, weights)
    cores = [core.to(dtype) for core in cores]
    found = errors(derived(norms, cores, weights), truth)
    allowed = errors(derived(clear(dtype), cores, weights), truth)
    for error, of_clear in zip(found, allowed, strict=True):
        assert error <= max(TOLERANCE[dtype], 3 * of_clear)


@each_engine
@each_shape
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("missing", [0.0, 0.02])
def test_both_ends_equal_the_clear_sweep(which, shape, dtype, missing):
    cores, features, observed, weights = draw(shape, missing=missing)
    batch = sort_rows([phi.to(dtype) for phi in features], observed)
    assert_no_worse(
        lambda c: which.log_norms(c, batch),
        lambda t: lambda c: lps.log_norms(c, [phi.to(t) for phi in features], observed),
        cores,
        weights,
        dtype,
    )


@st.composite
def shapes(draw):
    """Short chains in which ranks stay below, reach and jump over the bond dimension."""
    dims = draw(st.lists(st.integers(1, 3), min_size=1, max_size=6))
    return ChainShape(
        tuple(dims), draw(st.integers(1, 8)), draw(st.integers(1, 7)), draw(st.integers(1, 3))
    )


@each_engine
@settings(max_examples=60)
@given(shape=shapes(), missing=st.sampled_from([0.0, 0.3]), seed=st.integers(0, 999))
def test_drawn_chains_equal_the_dense_matrix(which, shape, missing, seed):
    cores, features, observed, _ = draw(shape, 1, 5, missing, seed)
    found = which.log_norms(cores, sort_rows(features, observed))[0]
    wanted = dense_log_norms([core[0] for core in cores], features, observed)
    torch.testing.assert_close(found, wanted, rtol=1e-8, atol=1e-8)


@given(shape=shapes(), missed=st.sets(st.integers(0, 5)))
def test_factors_stop_before_missed_sites_and_large_ranks(shape, missed):
    cores = shape.core_shapes()
    low, high = factors.ends(cores, lambda site: site in missed)
    assert 0 <= low <= high <= shape.n_sites
    assert not missed & {*range(low), *range(high, shape.n_sites)}
    for sites in (range(low), range(shape.n_sites - 1, high - 1, -1)):
        rank = 1
        for site in sites:
            assert rank <= max(cores[site][1], 1)
            rank *= cores[site][2]


@each_engine
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("missing", [0.0, 0.02])
def test_categories_and_numbers_go_side_by_side(which, dtype, missing):
    dims = (6, 3, 2, 6, 20, 5, 6, 9, 4, 16)
    cores, _, observed, weights = draw(ChainShape(dims, 8, 4, 2), n_rows=70, missing=missing)
    generator = torch.Generator().manual_seed(1)
    features = [
        OneHotBasis(d)(torch.randint(d, (70,), generator=generator).double())
        if site % 3
        else CosineBasis(d)(torch.rand(70, generator=generator, dtype=torch.float64))
        for site, d in enumerate(dims)
    ]
    batch = sort_rows([phi.to(dtype) for phi in features], observed)
    assert_no_worse(
        lambda c: which.log_norms(c, batch),
        lambda t: lambda c: lps.log_norms(c, [phi.to(t) for phi in features], observed),
        cores,
        weights,
        dtype,
    )


@each_engine
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n_chains", [1, 7, 16, 33])
def test_frobenius_norms_of_many_chains_equal_the_clear_sweep(which, dtype, n_chains):
    cores, _, _, weights = draw(ChainShape((6, 2, 3, 5, 6), 8, 2, 2), n_chains)
    assert_no_worse(
        which.log_frobenius_norms,
        lambda _: lps.log_frobenius_norms,
        cores,
        weights[:, 0],
        dtype,
    )


@each_engine
@each_shape
def test_rows_do_not_depend_on_those_beside_them(which, shape):
    cores, features, _, _ = draw(shape, n_rows=70)
    every = which.log_norms(cores, sort_rows(features, None))
    for rows in (slice(0, 1), slice(3, 20), slice(17, 70)):
        some = which.log_norms(cores, sort_rows([phi[rows] for phi in features], None))
        torch.testing.assert_close(some, every[:, rows], rtol=1e-12, atol=1e-12)


@pytest.mark.skipif(native not in ENGINES, reason="the kernel was not built")
@pytest.mark.parametrize("dtype", DTYPES)
def test_log_norms_do_not_depend_on_the_number_of_threads(monkeypatch, dtype):
    cores, features, _, _ = draw(SHAPES["the default, 20 sites"], n_chains=4, n_rows=600)
    cores, features = [c.to(dtype) for c in cores], [phi.to(dtype) for phi in features]
    found = []
    for threads in (1, 2, 5):
        monkeypatch.setattr(torch, "get_num_threads", lambda threads=threads: threads)
        found.append(native.log_norms(cores, sort_rows(features, None)))
    assert all(torch.equal(one, found[0]) for one in found)


def kernel_row(shape, log_norm, cancelled, at):
    """Draw cores and one row of some log-norm; one site adds up large numbers that cancel."""
    cores, features, _, _ = draw(shape, n_chains=20, n_rows=1)
    factor = torch.ones(20, 1, 1, dtype=torch.float64)
    for core, phi in zip(cores[:at], features[:at], strict=True):
        factor = torch.einsum("gjl,gslkr,s->gjkr", factor, core, phi[0]).flatten(1, 2)
    basis = torch.linalg.qr(factor.mT)[0]
    site = torch.einsum("gslkr,s->glkr", cores[at], features[at][0])
    along = torch.einsum("gla,gma,gmkr->glkr", basis, basis, site)
    phi = features[at][0] / features[at][0].square().sum()
    cores[at] -= (1 - cancelled) * torch.einsum("s,glkr->gslkr", phi, along)
    size = ((log_norm - lps.log_norms(cores, features)) / len(cores)).exp()
    return [core * size[:, :, None, None, None] for core in cores], features


@each_engine
def test_rows_deep_in_the_kernel_keep_digits_that_environments_lose(which):
    cores, features = kernel_row(SHAPES["the default, 8 sites"], -50.0, 10.0**-2.5, at=5)
    truth = lps.log_norms(cores, features)
    torch.testing.assert_close(truth, torch.full_like(truth, -50.0), rtol=1e-6, atol=0)
    cores, features = [core.float() for core in cores], [phi.float() for phi in features]
    truth = lps.log_norms([c.double() for c in cores], [phi.double() for phi in features])
    error = (which.log_norms(cores, sort_rows(features, None)) - truth).abs()
    by_environments = (lps.log_norms(cores, features) - truth).abs()
    assert error.max() < 1e-3
    assert error.median() < by_environments.median() / 10


@each_engine
@pytest.mark.parametrize("log_norm", [-50.0, -80.0])
@pytest.mark.parametrize("name", ["the default, 8 sites", "the default, 20 sites"])
def test_tiny_log_norms_agree_with_double_precision_as_well_as_environments(which, log_norm, name):
    """All rows of a chain whose log-norms are far below zero, some of them by cancellation."""
    cores, features = kernel_row(SHAPES[name], log_norm, 10.0**-1.5, at=5)
    cores, features = [core.float() for core in cores], [phi.float() for phi in features]
    truth = lps.log_norms([c.double() for c in cores], [phi.double() for phi in features])
    assert truth.max() <= log_norm + 1
    error = (which.log_norms(cores, sort_rows(features, None)) - truth).abs()
    by_environments = (lps.log_norms(cores, features) - truth).abs()
    assert error.median() <= by_environments.median()
    assert error.max() <= by_environments.max() + 1e-5
