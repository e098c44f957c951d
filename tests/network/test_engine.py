"""Every engine equals the clear sweep, in value and gradient, whatever the shapes."""

import math
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch
from hypothesis import given, settings
from strategies import chains

from pulps.network import engine, lps
from pulps.network.engine import blocks, layouts, native
from pulps.network.engine.rows import sort_rows
from pulps.network.lps import ChainShape

BUILT = ["torch", "native"] if native.load()[0] is not None else ["torch"]
TOLERANCE = {
    torch.float64: (1e-10, 1e-10),
    torch.float32: (1e-4, 1e-3),
}


@pytest.fixture(autouse=True, scope="module")
def _one_thread():
    """Let tiny tensors be swept by one thread: on a busy machine others only wait."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def value_and_gradients(norms, cores, weights):
    """Log-norms, and the gradients of a weighted sum of them."""
    cores = [core.detach().requires_grad_() for core in cores]
    value = norms(cores)
    return value.detach(), torch.autograd.grad((value * weights).sum(), cores)


def assert_same(norms, truth, cores, weights, dtype):
    """Compare with the truth in double precision, gradients on the scale of the largest."""
    rtol, gradient_rtol = TOLERANCE[dtype]
    value, gradients = value_and_gradients(norms, [c.to(dtype) for c in cores], weights.to(dtype))
    wanted, wanted_gradients = value_and_gradients(truth, cores, weights)
    torch.testing.assert_close(value.double(), wanted, rtol=rtol, atol=rtol)
    scale = max(1.0, *(float(g.abs().max()) for g in wanted_gradients))
    for got, want in zip(gradients, wanted_gradients, strict=True):
        torch.testing.assert_close(got.double(), want, rtol=0, atol=gradient_rtol * scale)


def sample(shape, n_chains=2, n_rows=7, missing=0.0, seed=0):
    """Draw cores, features, which sites are observed, and weights of the rows, in double."""
    generator = torch.Generator().manual_seed(seed)
    cores = [core.double() for core in shape.random_cores(n_chains, 1.0, generator)]
    features = [
        torch.rand(n_rows, d, generator=generator, dtype=torch.float64) + 0.1
        for d in shape.feature_dims
    ]
    observed = torch.rand(n_rows, shape.n_sites, generator=generator) >= missing
    weights = torch.randn(n_chains, n_rows, generator=generator, dtype=torch.float64)
    return cores, features, observed, weights


SHAPES = {
    "every site an output": ChainShape((3,) * 6, bond_dim=4, spacing=1),
    "one output at the end": ChainShape((2,) * 5, bond_dim=3, spacing=9),
    "bond dimension one": ChainShape((2,) * 6, bond_dim=1, spacing=2),
    "feature dimension one": ChainShape((1,) * 6, bond_dim=3, spacing=2),
    "fewer outputs than features": ChainShape((4,) * 7, bond_dim=5, spacing=3, output_dim=2),
    "more outputs than features": ChainShape((2,) * 7, bond_dim=6, spacing=3, output_dim=5),
    "features differ by site": ChainShape((2, 5, 1, 3, 4, 2, 3), bond_dim=7, spacing=2),
    "one site": ChainShape((3,), bond_dim=4),
    "run longer than a rescaled stretch": ChainShape((2,) * 41, bond_dim=4, spacing=40),
    "bond dimension above a vector": ChainShape((3,) * 6, bond_dim=19, spacing=3),
}
DTYPES = [torch.float64, torch.float32]


ENGINES = [blocks] + [native] * (native.load()[0] is not None)
each_engine = pytest.mark.parametrize("which", ENGINES, ids=lambda module: module.__name__)


@each_engine
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("missing", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES.keys())
def test_every_shape_equals_the_clear_sweep(which, shape, missing, dtype):
    cores, features, observed, weights = sample(shape, missing=missing)
    batch = sort_rows([phi.to(dtype) for phi in features], observed)
    assert_same(
        lambda c: which.log_norms(c, batch),
        lambda c: lps.log_norms(c, features, observed),
        cores,
        weights,
        dtype,
    )


@each_engine
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES.keys())
def test_frobenius_norms_equal_the_clear_sweep(which, shape, dtype):
    cores, _, _, weights = sample(shape)
    assert_same(which.log_frobenius_norms, lps.log_frobenius_norms, cores, weights[:, 0], dtype)


@each_engine
@pytest.mark.parametrize("n_rows", [1, 8, 67, 300])
@pytest.mark.parametrize("n_chains", [1, 5])
def test_any_number_of_rows_and_chains(which, n_rows, n_chains):
    shape = ChainShape((3,) * 9, bond_dim=5, spacing=4)
    cores, features, observed, weights = sample(shape, n_chains, n_rows, missing=0.1)
    batch = sort_rows([phi.float() for phi in features], observed)
    assert_same(
        lambda c: which.log_norms(c, batch),
        lambda c: lps.log_norms(c, features, observed),
        cores,
        weights,
        torch.float32,
    )


@each_engine
@settings(max_examples=60)
@given(chain=chains())
def test_drawn_chains_equal_the_clear_sweep(which, chain):
    cores, features, observed = chain
    weights = torch.linspace(-1, 2, cores[0].shape[0] * len(observed), dtype=torch.float64)
    weights = weights.view(cores[0].shape[0], len(observed))
    batch = sort_rows(features, observed)
    value, gradients = value_and_gradients(lambda c: which.log_norms(c, batch), cores, weights)
    wanted, wanted_gradients = value_and_gradients(
        lambda c: lps.log_norms(c, features, observed), cores, weights
    )
    torch.testing.assert_close(value, wanted, rtol=1e-10, atol=1e-10)
    for got, want in zip(gradients, wanted_gradients, strict=True):
        torch.testing.assert_close(got, want, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("bond_dim", [3, 5])
def test_the_size_of_a_chunk_changes_nothing(bond_dim, missing):
    shape = ChainShape((3,) * 9, bond_dim=bond_dim, spacing=4)
    cores, features, observed, weights = sample(shape, n_rows=11, missing=missing)
    batch = sort_rows(features, observed)
    for chunk in (1, 4, 11, 50):
        assert_same(
            lambda c, chunk=chunk: blocks.log_norms(c, batch, chunk=chunk),
            lambda c: lps.log_norms(c, features, observed),
            cores,
            weights,
            torch.float64,
        )


@each_engine
@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("bond_dim", [3, 5])
def test_the_memory_lean_mode_equals_the_normal_one(which, bond_dim, missing):
    shape = ChainShape((3,) * 9, bond_dim=bond_dim, spacing=4)
    cores, features, observed, weights = sample(shape, n_rows=200, missing=missing)
    batch = sort_rows(features, observed)
    normal, lean = (
        value_and_gradients(
            lambda c, budget=budget: which.log_norms(c, batch, memory_budget=budget),
            cores,
            weights,
        )
        for budget in (2**40, 0)
    )
    torch.testing.assert_close(lean, normal, rtol=0, atol=0)


def test_both_layouts_agree(monkeypatch):
    shape = ChainShape((3, 2, 4) * 3, bond_dim=5, spacing=4)
    cores, features, observed, weights = sample(shape, missing=0.1)
    batch = sort_rows(features, observed)
    found = []
    for layout in (layouts.RowsFirst, layouts.RowsLast):
        monkeypatch.setattr(blocks, "best_layout", lambda _, layout=layout: layout)
        found.append(value_and_gradients(lambda c: blocks.log_norms(c, batch), cores, weights))
    torch.testing.assert_close(found[0], found[1])


@pytest.mark.skipif(native not in ENGINES, reason="the kernel was not built")
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("level", [1, 2])
def test_lesser_instruction_sets_agree(monkeypatch, level, dtype):
    shape = ChainShape((3, 9, 4) * 3, bond_dim=7, spacing=4)
    cores, features, observed, weights = sample(shape, n_rows=70, missing=0.1)
    batch = sort_rows([phi.to(dtype) for phi in features], observed)
    monkeypatch.setenv("PULPS_KERNEL_LEVEL", str(level))
    assert_same(
        lambda c: native.log_norms(c, batch),
        lambda c: lps.log_norms(c, features, observed),
        cores,
        weights,
        dtype,
    )


@pytest.mark.skipif(native not in ENGINES, reason="the kernel was not built")
def test_the_number_of_threads_changes_rounding_alone(monkeypatch):
    shape = ChainShape((3,) * 9, bond_dim=6, spacing=4)
    cores, features, observed, weights = sample(shape, n_rows=500, missing=0.05)
    batch = sort_rows(features, observed)
    found = []
    for threads in (1, 2, 5):
        monkeypatch.setattr(torch, "get_num_threads", lambda threads=threads: threads)
        found += [
            value_and_gradients(lambda c: native.log_norms(c, batch), cores, weights)
            for _ in range(2)
        ]
    for one, again in zip(found[::2], found[1::2], strict=True):
        torch.testing.assert_close(one, again, rtol=0, atol=0)
        torch.testing.assert_close(one, found[0])


@each_engine
def test_several_python_threads_may_share_a_batch(which):
    shape = ChainShape((3,) * 9, bond_dim=6, spacing=4)
    cores, features, observed, weights = sample(shape, n_rows=200, missing=0.05)
    batch = sort_rows(features, observed)

    def work(scale):
        scaled = [core * scale for core in cores]
        return value_and_gradients(lambda c: which.log_norms(c, batch), scaled, weights)

    scales = [0.5 + 0.25 * i for i in range(8)]
    alone = [work(scale) for scale in scales]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(work, scales))
    torch.testing.assert_close(together, alone)


@each_engine
@pytest.mark.parametrize("memory_budget", [None, 0])
def test_two_graphs_on_one_batch_do_not_disturb_each_other(which, memory_budget):
    shape = ChainShape((3,) * 9, bond_dim=4, spacing=4)
    cores, features, observed, weights = sample(shape, missing=0.1)
    batch = sort_rows(features, observed)
    first, second = ([c.clone().requires_grad_() for c in cores] for _ in range(2))
    with torch.no_grad():
        for core in second:
            core.mul_(1.5)
    values = [which.log_norms(c, batch, memory_budget=memory_budget) for c in (first, second)]
    for value, leaves in zip(values, (first, second), strict=True):
        got = torch.autograd.grad((value * weights).sum(), leaves, retain_graph=True)
        again = torch.autograd.grad((value * weights).sum(), leaves)
        truth = lps.log_norms(leaves, features, observed)
        want = torch.autograd.grad((truth * weights).sum(), leaves)
        torch.testing.assert_close(got, want)
        torch.testing.assert_close(again, want)


def test_a_prepared_batch_equals_the_plain_call():
    shape = ChainShape((3,) * 9, bond_dim=4, spacing=4)
    cores, features, observed, _ = sample(shape, missing=0.2)
    batch = engine.prepare(features, observed)
    plain = engine.log_norms(cores, features, observed)
    for _ in range(2):
        torch.testing.assert_close(engine.log_norms(cores, batch), plain, rtol=0, atol=0)


def test_no_rows_have_no_log_norms():
    cores, features, _, _ = sample(ChainShape((3,) * 5, bond_dim=3))
    assert engine.log_norms(cores, [phi[:0] for phi in features]).shape == (2, 0)


@each_engine
@pytest.mark.parametrize("scale", [0.05, 20.0])
def test_a_thousand_sites_stay_finite_in_float32(which, scale):
    generator = torch.Generator().manual_seed(0)
    shape = ChainShape((2,) * 1000, bond_dim=4, spacing=50)
    cores = [c.requires_grad_() for c in shape.random_cores(2, scale, generator)]
    batch = sort_rows([torch.rand(3, 2, generator=generator) for _ in cores], None)
    total = which.log_norms(cores, batch).sum() + which.log_frobenius_norms(cores).sum()
    total.backward()
    assert total.isfinite()
    assert all(core.grad.isfinite().all() for core in cores)


@each_engine
def test_a_row_without_length_has_a_finite_value_and_gradient(which):
    cores, features, _, _ = sample(ChainShape((3,) * 5, bond_dim=3, spacing=2))
    cores = [core.float().requires_grad_() for core in cores]
    features = [phi.float() for phi in features]
    features[2][0] = 0
    value = which.log_norms(cores, sort_rows(features, None))
    gradients = torch.autograd.grad(value.sum(), cores)
    assert value.isfinite().all()
    assert all(gradient.isfinite().all() for gradient in gradients)


@each_engine
def test_features_of_missing_attributes_are_never_read(which):
    shape = ChainShape((3,) * 6, bond_dim=3, spacing=2)
    cores, features, observed, weights = sample(shape, missing=0.3)
    marked = [phi.masked_fill(~observed[:, i, None], torch.nan) for i, phi in enumerate(features)]
    found = [
        value_and_gradients(
            lambda c, f=f: which.log_norms(c, sort_rows(f, observed)), cores, weights
        )
        for f in (features, marked)
    ]
    torch.testing.assert_close(found[0], found[1], rtol=0, atol=0)


@pytest.mark.parametrize("name", ["reference", *(m.__name__.split(".")[-1] for m in ENGINES)])
def test_the_environment_forces_an_engine(monkeypatch, name):
    name = {"blocks": "torch"}.get(name, name)
    monkeypatch.setenv("PULPS_ENGINE", name)
    assert engine.active_engine()[0] == name
    cores, features, observed, _ = sample(ChainShape((3,) * 5, bond_dim=3), missing=0.2)
    torch.testing.assert_close(
        engine.log_norms(cores, features, observed), lps.log_norms(cores, features, observed)
    )
    torch.testing.assert_close(engine.log_frobenius_norms(cores), lps.log_frobenius_norms(cores))


def test_without_the_kernel_pytorch_takes_over(monkeypatch):
    monkeypatch.delenv("PULPS_ENGINE", raising=False)
    monkeypatch.setattr(native, "load", lambda: (None, "hidden by a test"))
    assert engine.active_engine() == ("torch", "no native kernel: hidden by a test")
    cores, features, observed, _ = sample(ChainShape((3,) * 5, bond_dim=3), missing=0.2)
    torch.testing.assert_close(
        engine.log_norms(cores, features, observed), lps.log_norms(cores, features, observed)
    )
    monkeypatch.setenv("PULPS_ENGINE", "native")
    with pytest.raises(RuntimeError, match="no native kernel: hidden by a test"):
        engine.log_norms(cores, features)


def test_an_unknown_engine_is_refused(monkeypatch):
    monkeypatch.setenv("PULPS_ENGINE", "turbo")
    with pytest.raises(ValueError, match="'turbo', but the engines are reference, torch, native"):
        engine.active_engine()


def test_wide_bonds_go_to_pytorch(monkeypatch):
    monkeypatch.delenv("PULPS_ENGINE", raising=False)
    narrow, wide = (
        ChainShape((2,) * 3, bond_dim=bond).random_cores(1, 1.0, torch.Generator())
        for bond in (32, 33)
    )
    assert engine.engine_for(narrow) is ENGINES[-1]
    assert engine.engine_for(wide) is blocks


def test_rows_that_do_not_fit_are_refused():
    cores, features, _, _ = sample(ChainShape((3,) * 5, bond_dim=3))
    with pytest.raises(ValueError, match="5 sites, but features of 4"):
        engine.log_norms(cores, features[:4])
    with pytest.raises(ValueError, match="site 0 the core wants"):
        engine.log_norms(cores, [phi.float() for phi in features])


@pytest.mark.parametrize("name", BUILT)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_a_chain_that_is_not_a_number_stays_so_and_stays_alone(name, dtype, monkeypatch):
    monkeypatch.setenv("PULPS_ENGINE", name)
    generator = torch.Generator().manual_seed(0)
    cores = [
        core.to(dtype) for core in ChainShape((3,) * 6, 3, 2, 2).random_cores(2, 1, generator)
    ]
    cores[0][0] = math.nan
    features = [torch.rand(20, 3, generator=generator).to(dtype) for _ in cores]
    norms = engine.log_norms(cores, features)
    assert norms[0].isnan().all()
    torch.testing.assert_close(norms[1], lps.log_norms([c[1:] for c in cores], features)[0])
    assert engine.log_frobenius_norms(cores).isnan().tolist() == [True, False]


@pytest.mark.parametrize("name", BUILT)
def test_rows_in_the_kernel_of_a_chain_stay_finite(name, monkeypatch):
    """A trace that rounding makes negative must not blow the environment up on the way."""
    monkeypatch.setenv("PULPS_ENGINE", name)
    generator = torch.Generator().manual_seed(0)
    cores = ChainShape((1,) * 4, 8, 1, 2).random_cores(200, 1, generator)
    cores[0][:, :, :, 1] = 0  # one direction only leaves the first site ...
    direction = torch.nn.functional.normalize(cores[0][:, 0, 0, 0], dim=1)
    inside = torch.einsum("gl,gslkr->gskr", direction, cores[1])
    cores[1] -= torch.einsum("gl,gskr->gslkr", direction, inside)  # ... and the second kills it
    cores = [core.requires_grad_() for core in cores]
    norms = engine.log_norms(cores, [torch.ones(3, 1) for _ in cores])
    norms.sum().backward()
    assert norms.isfinite().all()
    assert all(core.grad.isfinite().all() for core in cores)


@pytest.mark.parametrize("name", ["reference", *BUILT])
def test_a_weighted_trace_is_a_weighted_sum_over_values(name, monkeypatch):
    # A site of categories: tracing it sums the squared norms of all completions of the row.
    monkeypatch.setenv("PULPS_ENGINE", name)
    cores, _, _, _ = sample(ChainShape((3, 2, 4), bond_dim=3, spacing=2))
    codes = torch.tensor([[0, 1, 3], [2, 0, 1]])
    features = [torch.eye(d, dtype=torch.float64)[codes[:, i]] for i, d in enumerate((3, 2, 4))]
    observed = torch.tensor([[True, True, True], [True, False, True]])
    weights = [torch.rand(d, dtype=torch.float64) + 0.1 for d in (3, 2, 4)]
    found = engine.log_norms(cores, features, observed, weights)
    whole = engine.log_norms(cores, features)
    torch.testing.assert_close(found[:, 0], whole[:, 0])
    completed = []
    for value in range(2):
        filled = [phi.clone() for phi in features]
        filled[1][1] = torch.eye(2, dtype=torch.float64)[value]
        completed.append(engine.log_norms(cores, filled)[:, 1].mul(2).exp() * weights[1][value])
    torch.testing.assert_close(found[:, 1].mul(2).exp(), sum(completed))


def test_weights_are_part_of_prepared_rows_and_of_the_gradient():
    shape = ChainShape((3,) * 5, bond_dim=3, spacing=2)
    cores, features, observed, row_weights = sample(shape, missing=0.4)
    weights = [torch.full((3,), 0.25, dtype=torch.float64) for _ in features]
    prepared = engine.prepare(features, observed, weights)
    half = 0.5 * math.log(0.25) * (~observed).sum(1).double()  # equal weights: a factor a cell

    def plain(cores):
        return engine.log_norms(cores, features, observed) + half

    def weighted(cores):
        return engine.log_norms(cores, prepared)

    assert_same(weighted, plain, cores, row_weights, torch.float64)
