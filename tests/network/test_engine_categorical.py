"""The categorical shortcut is exact, whatever the table, and is taken when it pays."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import chain_shapes

from pulps.network import engine, lps
from pulps.network.engine import categorical
from pulps.network.engine.rows import sort_rows
from pulps.network.lps import ChainShape


def table(shape, n_rows, n_values, missing, seed, n_chains=2):
    """Draw cores, and features of rows whose attributes take few values."""
    generator = torch.Generator().manual_seed(seed)
    cores = [c.double() for c in shape.random_cores(n_chains, 1.0, generator)]
    features = []
    for dim in shape.feature_dims:
        values = torch.rand(n_values, dim, generator=generator, dtype=torch.float64) + 0.1
        features.append(values[torch.randint(n_values, (n_rows,), generator=generator)])
    observed = torch.rand(n_rows, shape.n_sites, generator=generator) >= missing
    return cores, features, observed


def shortcut(cores, batch):
    """Log-norms along the best plan, whether or not it pays."""
    batch.kept.setdefault("sites", categorical.find_sites(batch))
    shapes = [tuple(core.shape[1:]) for core in cores]
    plan, _ = categorical.Planner(batch.kept["sites"], shapes).best()
    return categorical.log_norms(cores, batch, plan)


@settings(max_examples=60)
@given(chain_shapes(8), st.integers(12, 60), st.integers(1, 3), st.booleans(), st.integers(0, 99))
def test_the_shortcut_equals_the_clear_sweep(shape, n_rows, n_values, missing, seed):
    cores, features, observed = table(shape, n_rows, n_values, 0.2 * missing, seed)
    cores = [core.requires_grad_() for core in cores]
    weights = torch.randn(2, n_rows, generator=torch.Generator().manual_seed(1)).double()
    found = shortcut(cores, sort_rows(features, observed))
    wanted = lps.log_norms(cores, features, observed)
    torch.testing.assert_close(found, wanted, rtol=1e-8, atol=1e-8)
    torch.testing.assert_close(
        torch.autograd.grad((found * weights).sum(), cores),
        torch.autograd.grad((wanted * weights).sum(), cores),
        rtol=1e-6,
        atol=1e-6,
    )


def test_a_table_of_categories_takes_the_shortcut():
    shape = ChainShape((16,) * 8, bond_dim=6, spacing=4)
    cores, features, observed = table(shape, 4000, 3, 0.01, 0)
    cores, features = [c.float() for c in cores], [phi.float() for phi in features]
    batch = engine.prepare(features, observed)
    shapes = [tuple(core.shape[1:]) for core in cores]
    assert categorical.plan(batch, shapes) is not None
    torch.testing.assert_close(
        engine.log_norms(cores, batch),
        engine.log_norms(cores, features, observed),
        rtol=1e-4,
        atol=1e-4,
    )


def test_few_rows_or_continuous_ones_do_not():
    shape = ChainShape((16,) * 8, bond_dim=6, spacing=4)
    _, features, observed = table(shape, 50, 3, 0.0, 0)
    assert categorical.plan(engine.prepare(features, observed), shape.core_shapes()) is None
    features[3] = torch.rand(features[3].shape, dtype=torch.float64)
    assert categorical.find_sites(engine.prepare(features, observed)) is None


def test_equal_probes_of_unequal_rows_are_noticed(monkeypatch):
    monkeypatch.setattr(torch, "rand", lambda n, **kwargs: torch.zeros(n, dtype=torch.float64))
    features = [torch.eye(3, dtype=torch.float64).repeat(20, 1)]
    assert categorical.find_sites(sort_rows(features, None)) is None


@pytest.mark.parametrize("n_chains", [1, 2, 3])
def test_threads_that_share_the_chains_change_nothing(n_chains):
    shape = ChainShape((4,) * 5, bond_dim=3, spacing=2)
    cores, features, observed = table(shape, 40, 3, 0.1, 0, n_chains)
    fixed = 1  # this core wants no gradient
    cores = [core.requires_grad_(site != fixed) for site, core in enumerate(cores)]
    moving = [core for core in cores if core.requires_grad]
    weights = torch.randn(n_chains, 40, generator=torch.Generator().manual_seed(1)).double()
    batch = sort_rows(features, observed)
    threads = torch.get_num_threads()
    found = []
    try:
        for n in (1, 2):
            torch.set_num_threads(n)
            norms = shortcut(cores, batch)
            loss = (norms * weights).sum()
            first = torch.autograd.grad(loss, moving, retain_graph=True)
            found.append((norms, first, torch.autograd.grad(loss, moving)))
    finally:
        torch.set_num_threads(threads)
    torch.testing.assert_close(*found)
